/** The categories: their names, and how many animals each has. */

import { Button, Modal, TextInput } from '@mantine/core'
import { IconArrowLeft, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { api, bodyOf } from '../api/client.ts'
import { isApiError } from '../api/error.ts'
import { Form, useFields } from '../ui/form.tsx'
import { countOf, isolated } from '../ui/format.ts'
import { nameProblem } from '../ui/input.ts'
import { showDone } from '../ui/notices.tsx'
import { Page } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { type Category, categoriesQuery, categoryName } from './queries.ts'
import './categories.css'

const renameLabel = ({ name }: Category): string => (name === null ? 'Name category' : 'Rename category')

/** The category whose name is edited, or that a new one is added. */
type Target = Category | 'new'

export function CategoriesPage() {
  const categories = useQuery(categoriesQuery)
  const [target, setTarget] = useState<Target>()
  const close = () => setTarget(undefined)
  return (
    <Page
      title="Categories"
      lead="The kinds of animals in your store. A category cannot be deleted: rename one that you do not need."
      width="narrow"
      actions={
        <>
          <Button component={Link} href="/animals" variant="default" leftSection={<IconArrowLeft size={16} />}>
            Animals
          </Button>
          <Button leftSection={<IconPlus size={16} />} onClick={() => setTarget('new')}>
            Add category
          </Button>
        </>
      }
    >
      <Loaded query={categories}>
        {(found) => (
          <ul className="categories">
            {found.map((category) => (
              <li key={category.id}>
                <div>
                  <span className={category.name === null ? 'categories-unnamed' : 'categories-name'}>
                    {categoryName(category)}
                  </span>
                  <Link href={`/animals?category=${category.id}`}>{countOf(category.petCount, 'animal')}</Link>
                </div>
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`${renameLabel(category)}: ${categoryName(category)}`}
                  onClick={() => setTarget(category)}
                >
                  {renameLabel(category)}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Modal
        opened={target !== undefined}
        onClose={close}
        title={target === 'new' || target === undefined ? 'Add category' : renameLabel(target)}
      >
        {target !== undefined && <NameForm target={target} onClose={close} />}
      </Modal>
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
