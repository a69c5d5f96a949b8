/** The form to add an animal. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, bodyOf } from '../api/client.ts'
import { createKept } from '../session/session.ts'
import { Form, useFields } from '../ui/form.tsx'
import { isolated } from '../ui/format.ts'
import { showDone } from '../ui/notices.tsx'
import { animalNameProblem, type Draft, Fields } from './fields.tsx'
import { categoriesQuery } from './queries.ts'

/** What was entered; the rest has its usual values. */
type Entered = { readonly [F in keyof Draft]?: Draft[F] | undefined }

/** The input when the dialog was last closed: "Back" and Esc lose nothing. */
const kept = createKept<{ readonly entered: Entered; readonly searched: string | undefined }>()

/** The kept input; a name that was searched for since replaces its name. */
function startOf(searched: string | undefined): Entered {
  const before = kept.get()
  return searched === undefined || before?.searched === searched
    ? (before?.entered ?? {})
    : { ...before?.entered, name: searched }
}

interface AddFormProps {
  /** The name that was searched for without a hit. */
  readonly name: string | undefined
  readonly onClose: () => void
  readonly onAdded: () => void
}

export function AddForm({ name: searched, onClose, onAdded }: AddFormProps) {
  const { data: categories } = useQuery(categoriesQuery)
  const { values, wrong, of, change, focus, latest, reject } = useFields<Entered>(
    () => startOf(searched),
    (entered) => kept.set({ entered, searched }),
  )
  const isAgain = useRef(false)
  const draft: Draft = {
    name: values.name ?? '',
    categoryId: values.categoryId ?? categories?.[0]?.id ?? 1,
    status: values.status ?? 'available',
  }

  async function add(isShown: () => boolean): Promise<void> {
    const again = isAgain.current
    isAgain.current = false
    if (reject({ name: animalNameProblem(draft.name) })) return
    const pet = await bodyOf(api.POST('/pets', { body: { ...draft, name: draft.name.trim() } }))
    showDone(`${isolated(pet.name)} is added as number ${pet.id}.`)
    onAdded()
    // What was typed meanwhile, here or into a later form, is for another animal.
    const isTyped = latest() !== values
    if (!isShown()) {
      if (kept.get()?.entered === values) kept.set(undefined)
    } else if (isTyped || again) {
      // The next animal is often of the same kind.
      if (!isTyped) change({ name: '', categoryId: draft.categoryId, status: draft.status })
      focus('name')
    } else {
      kept.set(undefined)
      onClose()
    }
  }

  return (
    <Form
      onSubmit={add}
      action="Add animal"
      onCancel={() => {
        kept.set(undefined)
        onClose()
      }}
      buttons={
        <Button
          variant="default"
          onClick={({ currentTarget }) => {
            isAgain.current = true
            currentTarget.form?.requestSubmit()
          }}
        >
          Add and continue
        </Button>
      }
    >
      <Fields draft={draft} onChange={change} nameError={wrong.name} nameField={of('name').ref} />
    </Form>
  )
}
