/** Chooses an available animal by its name. */

import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCategoryNames } from '../animals/queries.ts'
import { api, type Schemas } from '../api/client.ts'
import { filledPage, pageOf } from '../api/lists.ts'
import { isolated } from '../ui/format.ts'
import { defined, searchTextOf, typingPauseMs } from '../ui/input.ts'
import { offered, SearchSelect } from '../ui/search-select.tsx'

interface AnimalPickerProps {
  readonly value: number | undefined
  readonly onChange: (id: number | undefined) => void
  readonly error: string | undefined
}

export function AnimalPicker({ value, onChange, error }: AnimalPickerProps) {
  const [text, setText] = useState('')
  const nameOf = useCategoryNames()
  /** Many animals may have the same name. */
  const choiceOf = ({ id, name, categoryId }: Schemas['Pet']) => ({
    value: String(id),
    label: `${isolated(name)} (${isolated(nameOf(categoryId))}, no. ${id})`,
  })
  const [typed] = useDebouncedValue(text, typingPauseMs)
  const { data: found } = useQuery({
    queryKey: ['picker', typed],
    queryFn: ({ signal }) =>
      filledPage((start) => {
        const q = defined({ q: searchTextOf(typed) })
        const query = { status: 'available', order: 'desc', limit: offered, ...q, ...start } as const
        return pageOf(api.GET('/pets', { params: { query }, signal }))
      }),
    placeholderData: keepPreviousData,
    meta: { topics: ['pets'] },
  })
  // A link may have chosen it, for instance from the list of animals.
  const { data: given } = useQuery({
    queryKey: ['picker', 'given', value],
    queryFn: ({ signal }) => pageOf(api.GET('/pets', { params: { query: { ids: [value ?? 0] } }, signal })),
    enabled: value !== undefined,
  })
  const nothing = useReason(typed, found?.items.length === 0)
  return (
    <SearchSelect
      label="Animal"
      placeholder="Type a name"
      value={value === undefined ? undefined : String(value)}
      chosen={given?.items.map(choiceOf)[0]}
      choices={found?.items.map(choiceOf)}
      nothing={nothing}
      onType={setText}
      onChoose={(id) => onChange(id === undefined ? undefined : Number(id))}
      error={error}
      data-autofocus
    />
  )
}

/** Why no animal is offered: the one of this name may be sold or reserved. */
function useReason(typed: string, isEmpty: boolean): string {
  const { data } = useQuery({
    queryKey: ['picker', 'other', typed],
    queryFn: ({ signal }) =>
      filledPage((start) => {
        const query = { order: 'desc', limit: 1, ...defined({ q: searchTextOf(typed) }), ...start } as const
        return pageOf(api.GET('/pets', { params: { query }, signal }))
      }),
    enabled: isEmpty && typed !== '',
    meta: { topics: ['pets'] },
  })
  const other = data?.items[0]
  if (typed === '') return 'There is no available animal.'
  if (other === undefined) return 'No available animal has this name.'
  return `${isolated(other.name)} is ${other.status === 'sold' ? 'sold' : 'reserved'}. Only an available animal can be ordered.`
}
