/** The dialog to add an animal. */

import { Button, Group, Modal, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { createKept } from '../../session/kept.ts'
import { FormError } from '../../ui/feedback/confirm.tsx'
import { showDone } from '../../ui/feedback/notices.ts'
import { categoriesQuery } from '../queries.ts'
import { type Draft, Fields, nameProblem } from './fields.tsx'

interface AddDialogProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onAdded: () => void
}

export function AddDialog({ opened, onClose, onAdded }: AddDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add animal">
      <AddForm onClose={onClose} onAdded={onAdded} />
    </Modal>
  )
}

/** The input when the dialog was last closed: "Back" and Esc lose nothing. */
const kept = createKept<Partial<Draft>>()

function AddForm({ onClose, onAdded }: Omit<AddDialogProps, 'opened'>) {
  const { data: categories } = useQuery(categoriesQuery)
  const [draft, setDraft] = useState(() => kept.get() ?? {})
  const [problem, setProblem] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState<'once' | 'again'>()
  const nameField = useRef<HTMLInputElement>(null)
  const shown: Draft = {
    name: draft.name ?? '',
    categoryId: draft.categoryId ?? categories?.[0]?.id ?? 1,
    status: draft.status ?? 'available',
  }

  function change(next: Partial<Draft>): void {
    kept.set(next)
    setDraft(next)
  }

  async function add(then: 'once' | 'again'): Promise<void> {
    const found = nameProblem(shown.name)
    setProblem(found)
    setError(undefined)
    if (found !== undefined) {
      nameField.current?.focus()
      return
    }
    setBusy(then)
    try {
      const pet = await bodyOf(api.POST('/pets', { body: { ...shown, name: shown.name.trim() } }))
      showDone(`${pet.name} is added as number ${pet.id}.`)
      onAdded()
      // The next animal is often of the same kind.
      change(then === 'once' ? {} : { categoryId: shown.categoryId, status: shown.status })
      if (then === 'once') onClose()
      else nameField.current?.focus()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(undefined)
    }
  }

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    void add('once')
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Fields draft={shown} onChange={change} nameError={problem} nameField={nameField} />
        {error !== undefined && <FormError error={error} />}
        <Group justify="flex-end" className="form-buttons form-buttons-long">
          <Button variant="default" loading={busy === 'again'} onClick={() => void add('again')}>
            Add and continue
          </Button>
          <Button type="submit" loading={busy === 'once'}>
            Add animal
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
