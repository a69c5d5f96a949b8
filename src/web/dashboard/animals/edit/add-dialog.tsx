/** The dialog to add an animal. */

import { Button, Group, Modal, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { forgetFailed } from '../../api/send.ts'
import { createKept } from '../../session/kept.ts'
import { FormError } from '../../ui/feedback/confirm.tsx'
import { showDone, showFailure } from '../../ui/feedback/notices.ts'
import { useIsShown } from '../../ui/feedback/use-is-shown.ts'
import { isolated } from '../../ui/format.ts'
import { categoriesQuery } from '../queries.ts'
import { animalNameProblem, type Draft, Fields } from './fields.tsx'

interface AddDialogProps {
  readonly opened: boolean
  /** The name that was searched for without a hit. */
  readonly name?: string | undefined
  readonly onClose: () => void
  readonly onAdded: () => void
}

export function AddDialog({ opened, name, onClose, onAdded }: AddDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add animal" size="30rem">
      <AddForm name={name} onClose={onClose} onAdded={onAdded} />
    </Modal>
  )
}

/** The input when the dialog was last closed: "Back" and Esc lose nothing. */
const kept = createKept<{ readonly draft: Partial<Draft>; readonly searched: string | undefined }>()

/** The kept input; a name that was searched for since replaces its name. */
function startOf(searched: string | undefined): Partial<Draft> {
  const before = kept.get()
  return searched === undefined || before?.searched === searched
    ? (before?.draft ?? {})
    : { ...before?.draft, name: searched }
}

function AddForm({ name, onClose, onAdded }: Omit<AddDialogProps, 'opened'>) {
  const { data: categories } = useQuery(categoriesQuery)
  const [draft, setDraft] = useState(() => startOf(name))
  const [problem, setProblem] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState<'once' | 'again'>()
  const isShown = useIsShown()
  const nameField = useRef<HTMLInputElement>(null)
  const latest = useRef(draft)
  latest.current = draft
  const shown: Draft = {
    name: draft.name ?? '',
    categoryId: draft.categoryId ?? categories?.[0]?.id ?? 1,
    status: draft.status ?? 'available',
  }

  function change(next: Partial<Draft>): void {
    kept.set({ draft: next, searched: name })
    setDraft(next)
  }

  async function add(then: 'once' | 'again'): Promise<void> {
    const found = animalNameProblem(shown.name)
    setProblem(found)
    setError(undefined)
    if (found !== undefined) {
      nameField.current?.focus()
      return
    }
    setBusy(then)
    try {
      const pet = await bodyOf(api.POST('/pets', { body: { ...shown, name: shown.name.trim() } }))
      showDone(`${isolated(pet.name)} is added as number ${pet.id}.`)
      onAdded()
      if (!isShown()) {
        // What was typed into another form meanwhile stays.
        if (kept.get()?.draft === draft) kept.set(undefined)
        return
      }
      // What was typed meanwhile is for another animal.
      const isTyped = latest.current !== draft
      // The next animal is often of the same kind.
      if (!isTyped) change(then === 'once' ? {} : { categoryId: shown.categoryId, status: shown.status })
      if (then === 'once' && !isTyped) onClose()
      else nameField.current?.focus()
    } catch (failure) {
      if (isShown()) setError(failure)
      else showFailure(failure)
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
        <Group justify="flex-end" gap="xs" className="form-buttons">
          <Button
            variant="default"
            onClick={() => {
              forgetFailed()
              kept.set(undefined)
              onClose()
            }}
          >
            Cancel
          </Button>
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
