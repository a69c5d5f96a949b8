/** The list of animals, with its search, filters and menus. */

import { ActionIcon, Button, Group, Menu, Modal, NativeSelect } from '@mantine/core'
import {
  IconAdjustmentsHorizontal,
  IconDots,
  IconFileExport,
  IconFileImport,
  IconPaw,
  IconPhotoPlus,
  IconPlus,
  IconTag,
} from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Dispatch, type SetStateAction, useId, useRef, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { randomId } from '../api/send.ts'
import { filesOfDrop } from '../projects/site-files.ts'
import { useSignal } from '../signal.ts'
import { FileInput, WindowDrop } from '../ui/drop.tsx'
import { countOf, formatNumber, isolated } from '../ui/format.ts'
import { addressWith, withParameters } from '../ui/input.ts'
import { Page } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Empty, Failure, LoadingRows } from '../ui/states.tsx'
import { AddForm } from './add-form.tsx'
import { BulkBar } from './bulk-bar.tsx'
import {
  type Filters,
  filtersOf,
  isFiltered,
  isSortable,
  parametersOf,
  petStates,
  profileFilterNames,
  profileFilters,
  statuses,
} from './filters.ts'
import type { AnimalList } from './list/animal-list.ts'
import { Table } from './list/table.tsx'
import { type Selection, useFreshRows, useSelection } from './list/use-animal-list.ts'
import { useKeptPlace } from './list/use-kept-place.ts'
import { type ChosenFiles, PhotosDialog } from './photos-dialog.tsx'
import { categoriesQuery, categoryName, countQuery } from './queries.ts'
import { photoTypes, useUploadWarning } from './upload-photos.ts'

interface ListPageProps {
  /** The list of the filters in the address. */
  readonly list: AnimalList
  /** The list that is shown, until that one is loaded. */
  readonly shown: AnimalList
}

export function ListPage({ list, shown }: ListPageProps) {
  useKeptPlace()
  const [parameters, setParameters] = useSearchParams()
  const filters = filtersOf(parameters)
  const [selected, select] = useSelection(shown)
  useUploadWarning()
  const [chosen, setChosen] = useState<ChosenFiles>()
  const photoInput = useRef<HTMLInputElement>(null)
  const choosePhotos = () => photoInput.current?.click()

  function plan(files: Promise<readonly File[]>): void {
    setChosen({ key: randomId(), files })
  }

  function change(next: Filters, isTyping = false): void {
    setParameters((before) => withParameters(before, parametersOf(next)), { replace: isTyping })
  }

  function close(): void {
    setParameters((before) => withParameters(before, { add: '' }), { replace: true })
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
            <Button variant="default" leftSection={<IconPhotoPlus size={16} />} onClick={choosePhotos}>
              Add photos
            </Button>
          </Group>
          <AddButton list={shown} filters={filters} />
          <MoreMenu onPhotos={choosePhotos} />
          <FileInput
            ref={photoInput}
            label="Photos of animals"
            accept={photoTypes}
            multiple
            onChoose={(files) => plan(Promise.resolve([...files]))}
          />
        </>
      }
    >
      <Toolbar filters={filters} list={list} onChange={change} />
      <Rows list={shown} filters={filters} selected={selected} onSelect={select} onChange={change} />
      <WindowDrop
        title="Drop photos of your animals"
        text="The name of a file begins with the number of its animal: A-1042-2.jpg."
        onDrop={({ items }) => plan(filesOfDrop(items).then((found) => found.map(({ file }) => file)))}
      />
      <PhotosDialog chosen={chosen} onClose={() => setChosen(undefined)} />
      <Modal opened={parameters.has('add')} onClose={close} title="Add animal" size="30rem">
        <AddForm
          name={filters.q}
          onClose={close}
          onAdded={() => {
            list.invalidate()
            void list.refresh(0, 0)
          }}
        />
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
              onClick={() =>
                onChange({ ...filters, q: undefined, status: undefined, categoryId: undefined, profile: undefined })
              }
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

function ExportMenu() {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<IconFileExport size={16} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={addressOf('csv')} download>
          For a spreadsheet (CSV)
        </Menu.Item>
        <Menu.Item component="a" href={addressOf('ndjson')} download>
          For programs (NDJSON)
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const addressOf = (format: 'csv' | 'ndjson') => `/dashboard/files/exports/pets?format=${format}`

/** On phones, the buttons would leave no room for the animals. */
function MoreMenu({ onPhotos }: { readonly onPhotos: () => void }) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label="More for all animals" hiddenFrom="sm">
          <IconDots size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} href="/animals/categories" leftSection={<IconTag size={16} />}>
          Manage categories
        </Menu.Item>
        <Menu.Item component={Link} href="/animals/import" leftSection={<IconFileImport size={16} />}>
          Import animals
        </Menu.Item>
        <Menu.Item leftSection={<IconPhotoPlus size={16} />} onClick={onPhotos}>
          Add photos
        </Menu.Item>
        <Menu.Item component="a" href={addressOf('csv')} download leftSection={<IconFileExport size={16} />}>
          Export for a spreadsheet (CSV)
        </Menu.Item>
        <Menu.Item component="a" href={addressOf('ndjson')} download leftSection={<IconFileExport size={16} />}>
          Export for programs (NDJSON)
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const arrangements = [
  { sort: 'id', order: 'desc', label: 'Newest first' },
  { sort: 'id', order: 'asc', label: 'Oldest first' },
  { sort: 'name', order: 'asc', label: 'Name, A to Z' },
  { sort: 'name', order: 'desc', label: 'Name, Z to A' },
  { sort: 'category', order: 'asc', label: 'Category' },
  { sort: 'category', order: 'desc', label: 'Category, last first' },
  { sort: 'status', order: 'asc', label: 'Status' },
  { sort: 'status', order: 'desc', label: 'Status, sold first' },
] as const

interface ToolbarProps {
  readonly filters: Filters
  /** The list of these filters. */
  readonly list: AnimalList
  /** `isTyping`: the address changes without a step for "Back". */
  readonly onChange: (filters: Filters, isTyping?: boolean) => void
}

function Toolbar({ filters, list, onChange }: ToolbarProps) {
  const { data: categories = [] } = useQuery(categoriesQuery)
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const isNarrowed = isFiltered({ ...filters, q: undefined })
  return (
    <search className="toolbar">
      <SearchField
        label="Search animals by name, number, breed or microchip"
        placeholder="Name, number, breed or chip"
        text={filters.q ?? ''}
        onChange={(q) => onChange({ ...filters, q: q || undefined }, true)}
      />
      <Button
        variant="default"
        hiddenFrom="sm"
        leftSection={<IconAdjustmentsHorizontal size={16} />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {isNarrowed ? 'Filters on' : 'Filters'}
      </Button>
      <div id={id} className="toolbar-filters" data-open={isOpen || undefined}>
        <NativeSelect
          aria-label="Status"
          value={filters.status ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...filters, status: statuses.find((one) => one === value) })
          }
        >
          <option value="">Every status</option>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {petStates[status][0]}
            </option>
          ))}
        </NativeSelect>
        <NativeSelect
          aria-label="Category"
          value={filters.categoryId ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ ...filters, categoryId: Number(value) || undefined })}
        >
          <option value="">Every category</option>
          {categories.map((category) => (
            <option key={category.id} value={category.id}>
              {`${isolated(categoryName(category))} (${formatNumber(category.petCount)})`}
            </option>
          ))}
        </NativeSelect>
        <NativeSelect
          aria-label="Profile"
          value={filters.profile ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...filters, profile: profileFilterNames.find((one) => one === value) })
          }
        >
          <option value="">Every profile</option>
          {profileFilterNames.map((name) => (
            <option key={name} value={name}>
              {profileFilters[name][0]}
            </option>
          ))}
        </NativeSelect>
        <NativeSelect
          aria-label="Order"
          value={`${filters.sort} ${filters.order}`}
          onChange={({ currentTarget: { value } }) => {
            const { sort, order } = arrangements.find((one) => `${one.sort} ${one.order}` === value) ?? filters
            onChange({ ...filters, sort, order })
          }}
        >
          {arrangements.map(({ sort, order, label }) => (
            <option key={label} value={`${sort} ${order}`} disabled={!isSortable(filters) && sort !== 'id'}>
              {label}
            </option>
          ))}
        </NativeSelect>
      </div>
      <Count filters={filters} list={list} />
    </search>
  )
}

function Count({ filters, list }: Pick<ToolbarProps, 'filters' | 'list'>) {
  const { data, isPlaceholderData } = useQuery({ ...countQuery(filters), placeholderData: keepPreviousData })
  const loaded = useSignal(list.state, ({ rows }) => rows.length)
  const isComplete = useSignal(list.state, (state) => state.isComplete)
  // The server stops counting the animals of a search after some time.
  const isExact = data?.exact === true || isComplete
  const count = data?.exact === true ? data.count : Math.max(data?.count ?? 0, loaded)
  const found = `${isExact ? '' : 'At least '}${countOf(count, 'animal')}${isFiltered(filters) ? ' found' : ''}`
  return (
    <p className="toolbar-count" role="status">
      {data === undefined ? ' ' : isPlaceholderData || (count === 0 && !isExact) ? 'Counting…' : found}
    </p>
  )
}
