/** Chooses an available animal by its name. */

import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, pageOf, type Schemas } from '../../api/client.ts'

const shownAnimals = 20
const typingPauseMs = 150

interface AnimalPickerProps {
  readonly value: number | undefined
  readonly onChange: (id: number | undefined) => void
  readonly error: string | undefined
}

const optionOf = ({ id, name }: Schemas['Pet']) => ({ value: String(id), label: `${name} (no. ${id})` })

export function AnimalPicker({ value, onChange, error }: AnimalPickerProps) {
  const [chosen, setChosen] = useState<{ readonly value: string; readonly label: string }>()
  const [text, setText] = useState('')
  const [typed] = useDebouncedValue(text.trim(), typingPauseMs)
  const isChosenText = typed === chosen?.label
  const { data: found } = useQuery({
    queryKey: ['picker', isChosenText ? '' : typed],
    queryFn: ({ signal }) =>
      pageOf(
        api.GET('/pets', {
          params: {
            query: {
              status: 'available',
              order: 'desc',
              limit: shownAnimals,
              ...(typed === '' || isChosenText ? {} : { q: typed.slice(0, 100) }),
            },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    meta: { topics: ['pets'] },
  })
  // A link may have chosen it, for instance from the list of animals.
  const { data: given } = useQuery({
    queryKey: ['picker', 'given', value],
    queryFn: ({ signal }) => pageOf(api.GET('/pets', { params: { query: { ids: [value ?? 0] } }, signal })),
    enabled: value !== undefined && chosen?.value !== String(value),
  })
  const options = new Map((found?.items ?? []).map((pet) => [pet.id, optionOf(pet)]))
  const current = chosen ?? given?.items.map(optionOf)[0]
  if (current !== undefined && value !== undefined) options.set(value, current)
  // A list of options must have one (WCAG 1.3.1).
  const nothing = useReason(typed, found !== undefined && options.size === 0)
  const none = [{ value: '', label: found === undefined ? 'Searching…' : nothing, disabled: true }]

  return (
    <Select
      label="Animal"
      placeholder="Type a name"
      searchable
      data={options.size === 0 ? none : [...options.values()]}
      filter={({ options: all }) => all}
      value={value === undefined ? null : String(value)}
      onChange={(next, option) => {
        setChosen(option ?? undefined)
        onChange(next === null ? undefined : Number(next))
      }}
      searchValue={text}
      onSearchChange={setText}
      error={error}
      // The list would cover the rest of the form; typing, a click and the arrow keys open it.
      openOnFocus={false}
      comboboxProps={{ withinPortal: false }}
      withScrollArea={false}
      styles={{ options: { maxHeight: 260, overflowY: 'auto' } }}
      data-autofocus
    />
  )
}

/** Why no animal is offered: the one of this name may be sold or reserved. */
function useReason(typed: string, isEmpty: boolean): string {
  const { data } = useQuery({
    queryKey: ['picker', 'other', typed],
    queryFn: ({ signal }) =>
      pageOf(api.GET('/pets', { params: { query: { order: 'desc', limit: 1, q: typed.slice(0, 100) } }, signal })),
    enabled: isEmpty && typed !== '',
    meta: { topics: ['pets'] },
  })
  const other = data?.items[0]
  if (typed === '') return 'There is no available animal.'
  if (other === undefined) return 'No available animal has this name.'
  return `${other.name} is ${other.status === 'sold' ? 'sold' : 'reserved'}. Only an available animal can be ordered.`
}
