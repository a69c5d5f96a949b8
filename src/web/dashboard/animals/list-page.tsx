/** The list of animals. */

import { Button, Group, Modal } from '@mantine/core'
import { IconFileImport, IconPaw, IconPlus, IconTag } from '@tabler/icons-react'
import type { Dispatch, SetStateAction } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useSignal } from '../signal.ts'
import { isolated } from '../ui/format.ts'
import { addressWith, idIn, withParameters } from '../ui/input.ts'
import { Page } from '../ui/page.tsx'
import { Empty, Failure, LoadingRows } from '../ui/states.tsx'
import { changeStatus } from './actions.tsx'
import { AddForm } from './add-form.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { Editor } from './editor.tsx'
import { ExportMenu, MoreMenu } from './export-menu.tsx'
import { type Filters, filtersOf, isFiltered, parametersOf } from './filters.ts'
import type { AnimalList } from './list/animal-list.ts'
import { Table } from './list/table.tsx'
import { type Selection, useAnimalList, useFreshRows, useSelection } from './list/use-animal-list.ts'
import { Toolbar } from './toolbar.tsx'
import { useUnsavedNotice } from './unsaved.ts'

export function ListPage() {
  const [parameters, setParameters] = useSearchParams()
  const filters = filtersOf(parameters)
  const { list, shown } = useAnimalList(filters)
  const [selected, select] = useSelection(shown)
  const opened = idIn(parameters, 'animal')
  useUnsavedNotice(opened)

  function change(next: Filters, isTyping = false): void {
    setParameters((before) => withParameters(before, parametersOf(next)), { replace: isTyping })
  }

  function close(name: 'add' | 'animal'): void {
    setParameters((before) => withParameters(before, { [name]: '' }), { replace: true })
  }

  return (
    <Page
      title="Animals"
      actions={
        <>
          <Group gap="xs" visibleFrom="sm">
            <Button component={Link} href="/animals/categories" variant="default" leftSection={<IconTag size={16} />}>
              Categories
            </Button>
            <Button
              component={Link}
              href="/animals/import"
              variant="default"
              leftSection={<IconFileImport size={16} />}
            >
              Import
            </Button>
            <ExportMenu />
          </Group>
          <AddButton list={shown} filters={filters} />
          <MoreMenu />
        </>
      }
    >
      <Toolbar filters={filters} list={list} onChange={change} />
      <Rows list={shown} filters={filters} selected={selected} onSelect={select} onChange={change} />
      <Modal opened={parameters.has('add')} onClose={() => close('add')} title="Add animal" size="30rem">
        <AddForm
          name={filters.q}
          onClose={() => close('add')}
          onAdded={() => {
            list.invalidate()
            void list.refresh(0, 0)
          }}
        />
      </Modal>
      <Modal opened={opened > 0} onClose={() => close('animal')} title={`Animal ${opened}`}>
        {opened > 0 && (
          <Editor
            key={opened}
            id={opened}
            onClose={() => close('animal')}
            onSaved={list.replace}
            onSell={(pet) => changeStatus(pet, 'sold', list)}
          />
        )}
      </Modal>
    </Page>
  )
}

/** The dialog to add an animal. A search without a hit stays in the address: its text becomes the name. */
const addAddress = (searched: string | undefined): string =>
  addressWith('/animals', withParameters(new URLSearchParams(), { q: searched, add: '1' }))

/** A link, so that "Back" closes the dialog. */
function AddButton({ list, filters: { q } }: Pick<RowsProps, 'list' | 'filters'>) {
  const isEmpty = useSignal(list.state, ({ rows, isComplete }) => isComplete && rows.length === 0)
  return (
    <Button component={Link} href={addAddress(isEmpty ? q : undefined)} leftSection={<IconPlus size={16} />}>
      Add animal
    </Button>
  )
}

interface RowsProps {
  readonly list: AnimalList
  readonly filters: Filters
  readonly selected: Selection
  readonly onSelect: Dispatch<SetStateAction<Selection>>
  readonly onChange: (filters: Filters) => void
}

function Rows({ list, filters, selected, onSelect, onChange }: RowsProps) {
  const hasRows = useSignal(list.state, ({ rows }) => rows.length > 0)
  if (!hasRows) return <NoRows list={list} filters={filters} onChange={onChange} />
  return (
    <>
      <BulkBar list={list} filters={filters} selected={selected} onSelect={onSelect} />
      <Table list={list} filters={filters} selected={selected} onSelect={onSelect} onChange={onChange} />
    </>
  )
}

function NoRows({ list, filters, onChange }: Pick<RowsProps, 'list' | 'filters' | 'onChange'>) {
  const isComplete = useSignal(list.state, (state) => state.isComplete)
  const error = useSignal(list.state, (state) => state.error)
  // The first animal may be added elsewhere, or brought back.
  useFreshRows(list, 0, 0)
  if (error !== undefined) return <Failure error={error} onRetry={() => void list.loadMore()} />
  if (!isComplete) return <LoadingRows rows={12} height={53} label="Loading the animals…" />
  if (isFiltered(filters)) {
    return (
      <Empty
        icon={<IconPaw size={28} />}
        title="No animal fits"
        text="Check the spelling, or look at all animals."
        actions={
          <>
            <Button
              variant="default"
              onClick={() => onChange({ ...filters, q: undefined, status: undefined, categoryId: undefined })}
            >
              Show all animals
            </Button>
            {filters.q !== undefined && (
              <Button component={Link} href={addAddress(filters.q)} className="long-label">
                Add “{isolated(filters.q)}”
              </Button>
            )}
          </>
        }
      />
    )
  }
  return (
    <Empty
      icon={<IconPaw size={28} />}
      title="Your first animals"
      text="Import the list that you have, from a spreadsheet or another program, or add the animals one by one."
      actions={
        <>
          <Button component={Link} href="/animals/import" leftSection={<IconFileImport size={16} />}>
            Import animals
          </Button>
          <Button component={Link} href="/animals?add=1" variant="default" leftSection={<IconPlus size={16} />}>
            Add animal
          </Button>
        </>
      }
    />
  )
}
