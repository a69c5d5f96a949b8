/** The categories: their names, how many animals each has, and how one is merged into another or deleted. */

import { Button, Group, Menu, Modal, NativeSelect, Table, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { api, bodyOf } from '../api/client.ts'
import { isApiError } from '../api/error.ts'
import { Confirm, Form, useFields } from '../ui/form.tsx'
import { countOf, formatNumber, isolated } from '../ui/format.ts'
import { nameProblem } from '../ui/input.ts'
import { showDone } from '../ui/notices.tsx'
import { BackLink, Page } from '../ui/page.tsx'
import { RecordMenu } from '../ui/record-menu.tsx'
import { SmallButton } from '../ui/small.ts'
import { Loaded } from '../ui/states.tsx'
import { buttons, RecordTable, TableFrame } from '../ui/table.tsx'
import { type Category, categoriesQuery, categoryName } from './queries.ts'

const renameLabel = ({ name }: Category): string => (name === null ? 'Name it' : 'Rename category')

/** The category whose name is edited, or that a new one is added. */
type Target = Category | 'new'

export function CategoriesPage() {
  const categories = useQuery(categoriesQuery)
  const [target, setTarget] = useState<Target>()
  const [merged, setMerged] = useState<Category>()
  const [removed, setRemoved] = useState<Category>()
  const close = () => setTarget(undefined)

  async function remove(category: Category): Promise<void> {
    await api.DELETE('/categories/{categoryId}', { params: { path: { categoryId: category.id } } })
    showDone(`Category ${isolated(categoryName(category))} is deleted.`)
  }

  return (
    <Page
      title="Categories"
      lead="The kinds of animals in your store. One that has no animals can be deleted, and two of the same kind can be merged."
      actions={
        <>
          <BackLink href="/animals">Animals</BackLink>
          <Button leftSection={<IconPlus size={16} />} onClick={() => setTarget('new')}>
            Add category
          </Button>
        </>
      }
    >
      <Loaded query={categories}>
        {(found) => (
          <TableFrame>
            <RecordTable columns={['Category', buttons('Actions')]}>
              {found.map((category) => (
                <Table.Tr key={category.id}>
                  <Table.Td>
                    <Text fw={600} {...(category.name === null ? { c: 'dimmed', fs: 'italic' } : {})}>
                      {categoryName(category)}
                    </Text>
                    <Text size="sm">
                      <Link href={`/animals?category=${category.id}`}>{countOf(category.petCount, 'animal')}</Link>
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <Group gap={4} wrap="nowrap" justify="flex-end">
                      <SmallButton
                        flex="none"
                        aria-label={`${renameLabel(category)}: ${categoryName(category)}`}
                        onClick={() => setTarget(category)}
                      >
                        {renameLabel(category)}
                      </SmallButton>
                      <RecordMenu label={`More for ${categoryName(category)}`}>
                        <Menu.Item disabled={found.length < 2} onClick={() => setMerged(category)}>
                          Merge into another category
                        </Menu.Item>
                        <Menu.Item c="var(--bad)" disabled={category.petCount > 0} onClick={() => setRemoved(category)}>
                          Delete category
                        </Menu.Item>
                      </RecordMenu>
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </RecordTable>
          </TableFrame>
        )}
      </Loaded>
      <Modal
        opened={target !== undefined}
        onClose={close}
        title={target === 'new' || target === undefined ? 'Add category' : 'Name of the category'}
      >
        {target !== undefined && <NameForm target={target} onClose={close} />}
      </Modal>
      <Modal opened={merged !== undefined} onClose={() => setMerged(undefined)} title="Merge category">
        {merged !== undefined && (
          <MergeForm category={merged} all={categories.data ?? []} onClose={() => setMerged(undefined)} />
        )}
      </Modal>
      <Confirm
        opened={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        title={`Delete the category ${removed === undefined ? '' : isolated(categoryName(removed))}?`}
        action="Delete category"
        onConfirm={async () => removed && remove(removed)}
      >
        It has no animals. You can add a category with this name again.
      </Confirm>
    </Page>
  )
}

const longestName = 64

function NameForm({ target, onClose }: { readonly target: Target; readonly onClose: () => void }) {
  const isNew = target === 'new'
  const { values, of, reject } = useFields({ name: isNew ? '' : (target.name ?? '') })

  async function save(isShown: () => boolean): Promise<void> {
    const body = { name: values.name.trim() }
    if (reject({ name: nameProblem(body.name, 'Enter a name, such as Rabbit.', longestName) })) return
    try {
      const saved = await bodyOf(
        isNew
          ? api.POST('/categories', { body })
          : api.PUT('/categories/{categoryId}', { params: { path: { categoryId: target.id } }, body }),
      )
      const name = isolated(categoryName(saved))
      showDone(isNew ? `Category ${name} is added.` : `The category is now called ${name}.`)
      if (isShown()) onClose()
    } catch (error) {
      if (!isShown() || !isApiError(error, 'conflict')) throw error
      reject({ name: 'Another category has this name. Choose another one.' })
    }
  }

  return (
    <Form onSubmit={save} action={isNew ? 'Add category' : 'Save name'} onCancel={onClose}>
      <TextInput {...of('name')} label="Name" autoComplete="off" data-autofocus />
    </Form>
  )
}

interface MergeFormProps {
  readonly category: Category
  readonly all: readonly Category[]
  readonly onClose: () => void
}

function MergeForm({ category, all, onClose }: MergeFormProps) {
  const { values, of, reject } = useFields({ into: '' })
  const name = isolated(categoryName(category))

  async function merge(isShown: () => boolean): Promise<void> {
    if (reject({ into: values.into === '' ? 'Choose the category that stays.' : undefined })) return
    const params = { path: { categoryId: category.id } }
    const into = await bodyOf(
      api.POST('/categories/{categoryId}/merge', { params, body: { into: Number(values.into) } }),
    )
    showDone(`Category ${name} is merged into ${isolated(categoryName(into))}.`)
    if (isShown()) onClose()
  }

  return (
    <Form onSubmit={merge} action="Merge category" color="red" onCancel={onClose}>
      <Text>
        {countOf(category.petCount, 'animal')} of {name} will move to the category that you choose, and {name} will be
        deleted. This cannot be undone.
      </Text>
      <NativeSelect {...of('into')} label="Merge into" data-autofocus>
        <option value="">Choose a category</option>
        {all
          .filter(({ id }) => id !== category.id)
          .map((one) => (
            <option key={one.id} value={one.id}>
              {`${isolated(categoryName(one))} (${formatNumber(one.petCount)})`}
            </option>
          ))}
      </NativeSelect>
    </Form>
  )
}
