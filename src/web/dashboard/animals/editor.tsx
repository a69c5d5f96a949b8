/**
 * The form to change an animal: in its row, or in a dialog for an animal that a link opens. It starts from the animal as it is
 * fetched when editing begins, and saves with that version's tag in `If-Match`. If somebody changed the animal meanwhile, the
 * person decides whose version stays. What is not saved is kept, and the next form of the animal continues with it.
 */

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useState } from 'react'
import { api, type Tagged, taggedBodyOf } from '../api/client.ts'
import { isApiError } from '../api/error.ts'
import { ChangeButton, useChange } from '../ui/change.tsx'
import { FormError, useFields } from '../ui/form.tsx'
import { isolated } from '../ui/format.ts'
import { defined } from '../ui/input.ts'
import { showDone, showFailure } from '../ui/notices.tsx'
import { Failure, LoadingRows } from '../ui/states.tsx'
import { subjectOf } from './actions.tsx'
import { animalNameProblem, type Draft, Fields } from './fields.tsx'
import { type Pet, petStates, reachableFrom } from './filters.ts'
import { fetchAnimal, useCategoryNames } from './queries.ts'
import { sayUnsaved, type Unsaved, unsaved } from './unsaved.ts'
import './editor.css'

interface EditorProps {
  readonly id: number
  readonly onClose: () => void
  /** Called with the animal as it is saved, which may be after the form has closed. */
  readonly onSaved: (pet: Pet) => void
  readonly isInRow?: boolean
  /** Sells the animal, and then the form closes; without it, there is no button for that. */
  readonly onSell?: (pet: Pet) => Promise<void>
}

export function Editor(props: EditorProps) {
  const { id, onClose } = props
  const [continued] = useState(() => unsaved.get(id))
  /** Null for an animal that is deleted. */
  const [start, setStart] = useState<Unsaved | null | undefined>(continued)
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    if (continued !== undefined) return
    fetchAnimal(id).then((found) => setStart(found ? { base: found, draft: found.record } : null), setError)
  }, [id, continued])

  if (start === null) {
    return (
      <Group justify="space-between" role="alert">
        Somebody has deleted this animal.
        <Button variant="default" size="xs" onClick={onClose}>
          Close
        </Button>
      </Group>
    )
  }
  if (error !== undefined) return <Failure error={error} onRetry={onClose} />
  if (start === undefined) return <LoadingRows rows={1} label="Loading the animal…" />
  return <EditForm {...props} start={start} isContinued={start === continued} onGone={() => setStart(null)} />
}

interface EditFormProps extends EditorProps {
  readonly start: Unsaved
  /** Whether the form begins with a change that was left unsaved. */
  readonly isContinued: boolean
  readonly onGone: () => void
}

function EditForm(props: EditFormProps) {
  const { id, start, isContinued, isInRow = false, onClose, onSaved, onSell, onGone } = props
  const [base, setBase] = useState(start.base)
  /** The version of somebody else, until the person decides. */
  const [theirs, setTheirs] = useState<Tagged<Pet>>()
  const { isBusy, error, run, isShown } = useChange()
  const fields = useFields<Draft>(start.draft, (next) =>
    unsaved.set(isDifferent(base.record, next) ? { base, draft: next } : undefined, id),
  )
  const { values: draft, latest } = fields
  const isChanged = isDifferent(base.record, draft)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the form appears
  useEffect(() => fields.focus('name'), [])
  useWindowEvent('beforeunload', (event) => {
    if (isChanged) event.preventDefault()
  })

  // Another form may be open when the response arrives.
  function closeIfShown(): void {
    if (isShown()) onClose()
  }

  function finish(pet: Pet): void {
    onSaved(pet)
    closeIfShown()
    showDone(`${isolated(pet.name)} is saved.`, { subject: subjectOf(pet.id) })
  }

  function lose(): void {
    unsaved.set(undefined, id)
    onGone()
  }

  /** Sends what was changed here; `etag` is the tag of the version that it replaces. */
  async function save(etag: string | undefined): Promise<void> {
    if (fields.reject({ name: animalNameProblem(draft.name) })) return
    const sent: Unsaved = { base, draft, isSaving: true }
    unsaved.set(sent, id)
    try {
      const params = { path: { petId: id }, header: defined({ 'If-Match': etag }) }
      const saved = await taggedBodyOf(api.PATCH('/pets/{petId}', { params, body: changesOf(base.record, draft) }))
      if (latest() === draft) {
        if (unsaved.get(id) === sent) unsaved.set(undefined, id)
        finish(saved.record)
        return
      }
      // What was typed meanwhile is the next change, unless it was discarded with the form.
      setBase(saved)
      if (isShown() || unsaved.get(id)?.draft === latest()) unsaved.set({ base: saved, draft: latest() }, id)
    } catch (failure) {
      if (unsaved.get(id) === sent) unsaved.set({ base, draft }, id)
      await fail(failure)
    }
  }

  async function fail(failure: unknown): Promise<void> {
    const isGone = isApiError(failure, 'not_found')
    if (isGone) lose()
    if (!isShown()) {
      showFailure(failure)
      sayUnsaved(id)
    } else if (isApiError(failure, 'precondition_failed')) {
      const found = await fetchAnimal(id)
      if (found === undefined) lose()
      else setTheirs(found)
    } else if (!isGone) throw failure
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    void run(() => save(base.etag))
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !isInRow) return
    event.stopPropagation()
    onClose()
  }

  return (
    <form className={isInRow ? 'editor-in-row' : undefined} onSubmit={submit} onKeyDown={onKey} noValidate>
      <Stack gap="sm">
        <Stack gap="sm" className="editor-fields">
          <Fields
            draft={draft}
            onChange={fields.change}
            nameError={fields.wrong.name}
            nameField={fields.of('name').ref}
            allowed={reachableFrom(base.record.status)}
            isCompact={isInRow}
          />
          {theirs === undefined && (
            <Group gap="xs" className="editor-buttons" justify="flex-end">
              {onSell !== undefined && base.record.status !== 'sold' && (
                <ChangeButton
                  className="editor-sell"
                  me="auto"
                  // Something is changed and not saved.
                  disabled={isChanged}
                  change={() => onSell(base.record).then(closeIfShown)}
                >
                  Mark as sold
                </ChangeButton>
              )}
              <Button
                variant="default"
                onClick={() => {
                  unsaved.set(undefined, id)
                  onClose()
                }}
              >
                Cancel
              </Button>
              <Button type="submit" loading={isBusy} disabled={!isChanged}>
                Save animal
              </Button>
            </Group>
          )}
        </Stack>
        {isContinued && theirs === undefined && (
          <Text size="sm" c="dimmed" role="status">
            This change was not saved yet. “Cancel” discards it.
          </Text>
        )}
        {theirs !== undefined && (
          <Conflict
            theirs={<Summary pet={theirs.record} />}
            onKeep={() => {
              setTheirs(undefined)
              void run(() => save(theirs.etag))
            }}
            onTake={() => {
              unsaved.set(undefined, id)
              finish(theirs.record)
            }}
          />
        )}
        {error !== undefined && <FormError error={error} />}
      </Stack>
    </form>
  )
}

interface ConflictProps {
  /** What somebody else made of it, in words. */
  readonly theirs: ReactNode
  readonly onKeep: () => void
  readonly onTake: () => void
}

/** Asks whose version stays. */
export function Conflict({ theirs, onKeep, onTake }: ConflictProps) {
  return (
    <Alert color="amber" title="Somebody changed this meanwhile." className="breaks">
      {theirs}
      <Group gap="xs" mt="xs">
        <Button size="xs" onClick={onKeep}>
          Keep mine
        </Button>
        <Button size="xs" variant="default" onClick={onTake}>
          Take theirs
        </Button>
      </Group>
    </Alert>
  )
}

function Summary({ pet }: { readonly pet: Pet }) {
  const nameOf = useCategoryNames()
  return `Now it is ${isolated(pet.name)}, ${isolated(nameOf(pet.categoryId))}, ${petStates[pet.status][0].toLowerCase()}.`
}

const isDifferent = (pet: Pet, draft: Draft): boolean => Object.keys(changesOf(pet, draft)).length > 0

/** The members that differ. The others keep the changes of other people. */
function changesOf(pet: Pet, { name, categoryId, status }: Draft): Partial<Draft> {
  return defined({
    name: name.trim() === pet.name ? undefined : name.trim(),
    categoryId: categoryId === pet.categoryId ? undefined : categoryId,
    status: status === pet.status ? undefined : status,
  })
}
