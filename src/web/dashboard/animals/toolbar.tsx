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
          value={filters.order}
          onChange={({ currentTarget: { value } }) => onChange({ ...filters, order: value === 'asc' ? 'asc' : 'desc' })}
        >
          <option value="desc">Newest first</option>
          <option value="asc">Oldest first</option>
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
