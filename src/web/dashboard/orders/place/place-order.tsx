/** The dialog to place an order. */

import { Modal, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, bodyOf } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { invalidateTopics } from '../../api/queries.ts'
import { createKept } from '../../session/kept.ts'
import { useSession } from '../../session/use-session.ts'
import { showDone } from '../../ui/feedback/notices.ts'
import { useIsShown } from '../../ui/feedback/use-is-shown.ts'
import { AccountField } from '../../ui/form/account-field.tsx'
import { endOfDay, lastDay } from '../../ui/form/day.ts'
import { Form } from '../../ui/form/form.tsx'
import { AnimalPicker } from './animal-picker.tsx'

interface PlaceOrderProps {
  readonly opened: boolean
  /** The animal that is chosen already; 0 for none. */
  readonly petId: number
  readonly onClose: () => void
}

export function PlaceOrder({ opened, petId, onClose }: PlaceOrderProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Place order">
      <OrderForm petId={petId} onClose={onClose} />
    </Modal>
  )
}

const longestNote = 500

/** Today in this time zone, as a field of dates writes it. */
function today(): string {
  const now = new Date()
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

interface Draft {
  readonly animal: number | undefined
  readonly accountId: number | undefined
  readonly note: string
  readonly day: string
}

/** The input when the dialog was last closed: "Back" and Esc lose nothing. */
const kept = createKept<Draft>()

function OrderForm({ petId, onClose }: Omit<PlaceOrderProps, 'opened'>) {
  const { account } = useSession()
  const [, navigate] = useLocation()
  const isShown = useIsShown()
  const [draft, setDraft] = useState<Draft>(() => {
    // A note is about its animal.
    const before = kept.get()
    if (before !== undefined && (petId === 0 || petId === before.animal)) return before
    return { animal: petId > 0 ? petId : undefined, accountId: account.id, note: '', day: '' }
  })
  const { animal, accountId, note, day } = draft
  const [wrong, setWrong] = useState<{ readonly [field in 'animal' | 'account' | 'day' | 'note']?: string }>({})

  function change(next: Partial<Draft>): void {
    const changed = { ...draft, ...next }
    kept.set(changed)
    setDraft(changed)
  }

  async function place(): Promise<void> {
    setWrong({})
    if (animal === undefined) return setWrong({ animal: 'Choose the animal that is ordered.' })
    if (accountId === undefined) return setWrong({ account: 'Choose an account.' })
    const shipDate = endOfDay(day)
    if (day !== '' && shipDate === undefined) return setWrong({ day: 'Write the year with four digits.' })
    if (day !== '' && day < today()) return setWrong({ day: 'This day is over. Choose today or a later day.' })
    if ([...note].length > longestNote) return setWrong({ note: `Use at most ${longestNote} letters.` })
    const body = {
      petId: animal,
      accountId,
      ...(note.trim() === '' ? {} : { note: note.trim() }),
      // The whole day is meant: its end is not past yet.
      ...(shipDate === undefined ? {} : { shipDate }),
    }
    try {
      const order = await bodyOf(api.POST('/store/orders', { body }))
      // A later form may have other input.
      if (kept.get() === draft) kept.set(undefined)
      showDone(`Order ${order.id} is placed.`, { subject: `order ${order.id}` })
      await invalidateTopics(['orders', 'pets'])
      if (isShown()) navigate(`/orders/${order.id}`, { replace: true })
    } catch (error) {
      if (!isShown() || !isApiError(error, 'pet_not_available')) throw error
      setWrong({ animal: 'This animal is sold or reserved meanwhile. Choose another one.' })
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
      <AnimalPicker value={animal} onChange={(chosen) => change({ animal: chosen })} error={wrong.animal} />
      <AccountField
        value={accountId}
        onChange={(id) => change({ accountId: id })}
        error={wrong.account}
        description="Whose order it is: the keys of this account see it too."
      />
      <TextInput
        type="date"
        label="Ship on"
        description="Leave it empty if no day is agreed."
        min={today()}
        max={lastDay}
        value={day}
        error={wrong.day}
        onChange={({ currentTarget }) => change({ day: currentTarget.value })}
      />
      <Textarea
        label="Note"
        description="Who it is for, or what to think of. Only you and your partners see it."
        autosize
        minRows={2}
        maxRows={8}
        value={note}
        error={wrong.note}
        onChange={({ currentTarget }) => change({ note: currentTarget.value })}
      />
    </Form>
  )
}
