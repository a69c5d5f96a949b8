/** The list of animals. */

import { Button, Group, Modal } from '@mantine/core'
import { IconFileImport, IconPaw, IconPlus, IconTag } from '@tabler/icons-react'
import type { Dispatch, SetStateAction } from 'react'
import { Link, useSearchParams } from 'wouter'
import { idIn } from '../ui/address.ts'
import { Empty, Failure, LoadingRows } from '../ui/feedback/states.tsx'
import { isolated } from '../ui/format.ts'
import { Page } from '../ui/page.tsx'
import { changeStatus } from './actions.tsx'
import { BulkBar } from './bulk/bulk-bar.tsx'
import { AddDialog } from './edit/add-dialog.tsx'
import { Editor } from './edit/editor.tsx'
import { useUnsavedNotice } from './edit/unsaved.ts'
import { ExportMenu, MoreMenu } from './export-menu.tsx'
import { type Filters, filtersOf, isFiltered, withFilters } from './filters.ts'
import { Table } from './list/table.tsx'
import { useAnimalList, useFreshRows, useListState } from './list/use-animal-list.ts'
import { type Selection, useSelection } from './list/use-selection.ts'
import { Toolbar } from './toolbar.tsx'

export function ListPage() {
  const [parameters, setParameters] = useSearchParams()
  const filters = filtersOf(parameters)
  const { list, shown } = useAnimalList(filters)
  const [selected, select] = useSelection(shown)
  const opened = idIn(parameters, 'animal')
  useUnsavedNotice(opened)

  function change(next: Filters, isTyping = false): void {
    setParameters((before) => withFilters(before, next), { replace: isTyping })
  }

  function without(name: string): void {
    setParameters(
      (before) => {
        const next = new URLSearchParams(before)
        next.delete(name)
        return next
      },
      { replace: true },
    )
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
      <Toolbar filters={filters} onChange={change} />
      <Rows
        list={shown}
        filters={filters}
        selected={selected}
        onSelect={select}
        onReset={() => change({ order: filters.order })}
      />
      <AddDialog
        opened={parameters.has('add')}
        name={filters.q}
        onClose={() => without('add')}
        onAdded={() => {
          list.invalidate()
          void list.refresh(0, 0)
        }}
      />
      <Modal opened={opened > 0} onClose={() => without('animal')} title={`Animal ${opened}`}>
        {opened > 0 && (
          <Editor
            key={opened}
            id={opened}
            onClose={() => without('animal')}
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
  `/animals?${new URLSearchParams({ ...(searched === undefined ? {} : { q: searched }), add: '1' })}`

/** A link, so that "Back" closes the dialog. */
function AddButton({ list, filters: { q } }: Pick<RowsProps, 'list' | 'filters'>) {
  const isEmpty = useListState(list, ({ rows, isComplete }) => isComplete && rows.length === 0)
  return (
    <Button component={Link} href={addAddress(isEmpty ? q : undefined)} leftSection={<IconPlus size={16} />}>
      Add animal
    </Button>
  )
}

interface RowsProps {
  readonly list: ReturnType<typeof useAnimalList>['list']
  readonly filters: Filters
  readonly selected: Selection
  readonly onSelect: Dispatch<SetStateAction<Selection>>
  readonly onReset: () => void
}

function Rows({ list, filters, selected, onSelect, onReset }: RowsProps) {
  const hasRows = useListState(list, ({ rows }) => rows.length > 0)
  if (!hasRows) return <NoRows list={list} filters={filters} onReset={onReset} />
  return (
    <>
      <BulkBar list={list} selected={selected} onSelect={onSelect} />
      <Table list={list} selected={selected} onSelect={onSelect} />
    </>
  )
}

function NoRows({ list, filters, onReset }: Pick<RowsProps, 'list' | 'filters' | 'onReset'>) {
  const isComplete = useListState(list, (state) => state.isComplete)
  const error = useListState(list, (state) => state.error)
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
            <Button variant="default" onClick={onReset}>
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
