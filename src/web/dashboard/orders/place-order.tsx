/** The form to place an order. */

import { Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useCategoryNames } from '../animals/queries.ts'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { isApiError } from '../api/error.ts'
import { filledPage, pageOf } from '../api/lists.ts'
import { createKept, useSession } from '../session/session.ts'
import { AccountField } from '../ui/account-field.tsx'
import { Form, useFields } from '../ui/form.tsx'
import { isolated } from '../ui/format.ts'
import { defined, endOfDay, lastDay, searchTextOf, today, typingPauseMs } from '../ui/input.ts'
import { showDone } from '../ui/notices.tsx'
import { offered, SearchSelect } from '../ui/search-select.tsx'

const longestNote = 500

interface Draft {
  readonly animal: number | undefined
  readonly account: number | undefined
  readonly note: string
  readonly day: string
}

/** The input when the dialog was last closed: "Back" and Esc lose nothing. */
const kept = createKept<Draft>()

interface OrderFormProps {
  /** The animal that is chosen already; 0 for none. */
  readonly petId: number
  readonly onClose: () => void
}

export function OrderForm({ petId, onClose }: OrderFormProps) {
  const own = useSession().account
  const [, navigate] = useLocation()
  const { values, wrong, of, change, reject } = useFields<Draft>(() => {
    // A note is about its animal.
    const before = kept.get()
    if (before !== undefined && (petId === 0 || petId === before.animal)) return before
    return { animal: petId > 0 ? petId : undefined, account: own.id, note: '', day: '' }
  }, kept.set)

  function problemsOf({ animal, account, day, note }: Draft) {
    const isDay = day === '' || endOfDay(day) !== undefined
    const isOver = day !== '' && day < today()
    return {
      animal: animal === undefined ? 'Choose the animal that is ordered.' : undefined,
      account: account === undefined ? 'Choose an account.' : undefined,
      day: isDay
        ? isOver
          ? 'This day is over. Choose today or a later day.'
          : undefined
        : 'Write the year with four digits.',
      note: [...note].length > longestNote ? `Use at most ${longestNote} letters.` : undefined,
    }
  }

  async function place(isShown: () => boolean): Promise<void> {
    const { animal, account, note, day } = values
    if (reject(problemsOf(values)) || animal === undefined) return
    // The whole day is meant: its end is not past yet.
    const rest = defined({ accountId: account, note: note.trim() || undefined, shipDate: endOfDay(day) })
    try {
      const order = await bodyOf(api.POST('/store/orders', { body: { petId: animal, ...rest } }))
      // A later form may have other input.
      if (kept.get() === values) kept.set(undefined)
      showDone(`Order ${order.id} is placed.`, { subject: `order ${order.id}` })
      if (isShown()) navigate(`/orders/${order.id}`, { replace: true })
    } catch (error) {
      if (!isShown() || !isApiError(error, 'pet_not_available')) throw error
      reject({ animal: 'This animal is sold or reserved meanwhile. Choose another one.' })
    }
  }

  return (
    <Form
      onSubmit={place}
      action="Place order"
      onCancel={() => {
        kept.set(undefined)
        onClose()
      }}
    >
      <AnimalPicker value={values.animal} onChange={(animal) => change({ animal })} error={wrong.animal} />
      <AccountField
        value={values.account}
        onChange={(account) => change({ account })}
        error={wrong.account}
        description="Whose order it is: the keys of this account see it too."
      />
      <TextInput
        {...of('day')}
        type="date"
        label="Ship on"
        description="Leave it empty if no day is agreed."
        min={today()}
        max={lastDay}
      />
      <Textarea
        {...of('note')}
        label="Note"
        description="Who it is for, or anything to remember. You and the account that places the order can see it, customers of your website cannot."
        autosize
        minRows={2}
        maxRows={8}
      />
    </Form>
  )
}

interface AnimalPickerProps {
  readonly value: number | undefined
  readonly onChange: (id: number | undefined) => void
  readonly error: string | undefined
}

function AnimalPicker({ value, onChange, error }: AnimalPickerProps) {
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
