/** Search, filters and order of the list, and how many animals they leave. */

import { Button, NativeSelect } from '@mantine/core'
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useSignal } from '../signal.ts'
import { countOf, formatNumber, isolated } from '../ui/format.ts'
import { SearchField } from '../ui/search-field.tsx'
import { type Filters, isFiltered, petStates, statuses } from './filters.ts'
import type { AnimalList } from './list/animal-list.ts'
import { categoriesQuery, categoryName, countQuery } from './queries.ts'

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

export function Toolbar({ filters, list, onChange }: ToolbarProps) {
  const { data: categories = [] } = useQuery(categoriesQuery)
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const isNarrowed = filters.status !== undefined || filters.categoryId !== undefined
  return (
    <search className="toolbar">
      <SearchField
        label="Search animals by name"
        placeholder="Search by name"
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
          aria-label="Order"
          value={`${filters.sort} ${filters.order}`}
          onChange={({ currentTarget: { value } }) => {
            const { sort, order } = arrangements.find((one) => `${one.sort} ${one.order}` === value) ?? filters
            onChange({ ...filters, sort, order })
          }}
        >
          {arrangements.map(({ sort, order, label }) => (
            <option key={label} value={`${sort} ${order}`} disabled={filters.q !== undefined && sort !== 'id'}>
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
