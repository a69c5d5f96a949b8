/** The form to change an animal in its row. */

import { Button, Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useEffect } from 'react'
import { Link } from 'wouter'
import { FormError } from '../ui/form.tsx'
import { SmallButton } from '../ui/small.ts'
import { Loaded, LoadingRows } from '../ui/states.tsx'
import { Conflict } from './animal/conflict.tsx'
import type { Profile } from './animal/draft.ts'
import { useAnimalForm } from './animal/use-animal-form.ts'
import { Fields } from './fields.tsx'
import { type Pet, reachableFrom } from './filters.ts'
import { profileQuery } from './queries.ts'
import './editor.css'

interface EditorProps {
  readonly id: number
  readonly onClose: () => void
  /** Called with the animal as it is saved, which may be after the form has closed. */
  readonly onSaved: (pet: Pet) => void
}

export function Editor({ id, ...form }: EditorProps) {
  const query = useQuery(profileQuery(id))
  return (
    <Loaded query={query} loading={<LoadingRows rows={1} label="Loading the animal…" />}>
      {({ record }) => <EditForm {...form} profile={record} />}
    </Loaded>
  )
}

type EditFormProps = Omit<EditorProps, 'id'> & { readonly profile: Profile }

const members: readonly string[] = ['name', 'categoryId', 'status']

function EditForm({ profile, onClose, onSaved }: EditFormProps) {
  const form = useAnimalForm(profile, {
    onSaved(pet, isShown) {
      onSaved(pet)
      if (isShown) onClose()
    },
  })
  const { fields, draft, changed, theirs, isBusy, error } = form
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the form appears
  useEffect(() => fields.focus('name'), [])

  function submit(event: FormEvent): void {
    event.preventDefault()
    form.save()
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onClose()
  }

  if (changed.some((member) => !members.includes(member))) {
    return (
      <Group justify="space-between" role="status">
        The page of this animal has a change that is not saved.
        <Group gap="xs">
          <SmallButton onClick={onClose}>Close</SmallButton>
          <Button size="xs" component={Link} href={`/animals/${profile.petId}`}>
            Continue editing
          </Button>
        </Group>
      </Group>
    )
  }
  return (
    <form className="editor-in-row" onSubmit={submit} onKeyDown={onKey} noValidate>
      <Stack gap="sm">
        <Stack gap="sm" className="editor-fields">
          <Fields
            draft={draft}
            onChange={fields.change}
            nameError={fields.wrong.name}
            nameField={fields.of('name').ref}
            allowed={reachableFrom(profile.pet.status)}
            isCompact
          />
          {theirs === undefined && (
            <Group gap="xs" className="editor-buttons" justify="flex-end">
              <Button
                variant="default"
                onClick={() => {
                  form.discard()
                  onClose()
                }}
              >
                Cancel
              </Button>
              <Button type="submit" loading={isBusy} disabled={changed.length === 0}>
                Save animal
              </Button>
            </Group>
          )}
        </Stack>
        {theirs !== undefined && <Conflict form={form} theirs={theirs} />}
        {error !== undefined && <FormError error={error} />}
      </Stack>
    </form>
  )
}
