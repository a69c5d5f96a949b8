/**
 * The state of a form of an animal, in its row and on its page. What is not changed in it follows the store; a change that is
 * not saved is kept when the form is left, and the next one continues with it. Somebody else's change is a conflict only if
 * it is of a member that is changed here too.
 */

import { useRef, useState } from 'react'
import { api, bodyOf, taggedBodyOf } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { queryClient, refreshShown } from '../../api/queries.ts'
import { createKept } from '../../session/session.ts'
import { useChange } from '../../ui/change.tsx'
import { useFields } from '../../ui/form.tsx'
import { isolated } from '../../ui/format.ts'
import { defined } from '../../ui/input.ts'
import { showDone } from '../../ui/notices.tsx'
import { sayUnsaved, useUnsaved } from '../../ui/unsaved.ts'
import { subjectOf } from '../actions.tsx'
import type { Pet } from '../filters.ts'
import { fetchAnimal, profileQuery } from '../queries.ts'
import { changesOf, type Draft, draftOf, type Profile, problemsOf } from './draft.ts'
import { changedMembers, conflictsOf, type Edits, editsSince, membersOf, withEdits } from './edits.ts'

const kept = createKept<Edits<Draft>>()
const none: Edits<Draft> = { before: {}, entered: {} }

type Entered = { readonly [M in keyof Draft]?: Draft[M] | undefined }

interface FormOptions {
  /** That of the price. */
  readonly currency?: string
  /** Runs before a change is sent. */
  readonly prepare?: () => Promise<void>
  /** Called when all that was entered is saved, which may be after the form has closed. */
  readonly onSaved?: (pet: Pet, isShown: boolean) => void
}

export function useAnimalForm(profile: Profile, { currency = '', prepare, onSaved }: FormOptions) {
  const { petId: id, pet } = profile
  const current = draftOf(profile)
  const [left] = useState(() => kept.get(id))
  /** The members as they were before they were changed here. */
  const before = useRef(left?.before ?? {})
  const fields = useFields<Entered>(left?.entered ?? {}, (entered) => {
    const members = Object.keys(entered) as (keyof Draft)[]
    before.current = {
      ...membersOf<Draft>(current, members),
      ...membersOf(before.current, changedMembers(edits, current)),
    }
    const next = editsOf(entered)
    kept.set(changedMembers(next, current).length > 0 ? next : undefined, id)
  })
  const editsOf = (entered: Entered): Edits<Draft> => ({ before: before.current, entered: defined(entered) })
  const edits = editsOf(fields.values)
  const draft = withEdits(edits, current)
  const changed = changedMembers(edits, current)
  const conflicts = conflictsOf(edits, current)
  const { isBusy, error, run, isShown } = useChange()
  const isKept = () => kept.get(id) !== undefined
  const unsaved = { subject: subjectOf(id), name: isolated(pet.name), href: `/animals/${id}` }
  // If saving fails, that is said.
  useUnsaved({ ...unsaved, isChanged: changed.length > 0, isKept: () => isKept() && !isBusy })

  /** Continues with other edits: none, or those that are left. */
  function replace(next: Edits<Draft>): void {
    const cleared = Object.fromEntries(Object.keys(fields.latest()).map((member) => [member, undefined]))
    before.current = next.before
    fields.change({ ...cleared, ...next.entered })
    before.current = next.before
    if (next === none) kept.set(undefined, id)
  }

  async function save(): Promise<void> {
    if (fields.reject(problemsOf(draft, currency))) return
    try {
      await prepare?.()
      const saved = await sendEdits(id, edits, currency)
      // Otherwise, the form shows the conflict.
      if (saved === undefined) return
      showDone(`${isolated(saved.pet.name)} is saved.`, { subject: subjectOf(id) })
      const entered = isShown() ? editsOf(fields.latest()) : (kept.get(id) ?? none)
      const rest = editsSince(entered, edits, draftOf(saved))
      const isDone = Object.keys(rest.entered).length === 0
      if (isShown()) replace(isDone ? none : rest)
      else kept.set(isDone ? undefined : rest, id)
      if (isDone) onSaved?.(saved.pet, isShown())
      else if (!isShown()) sayUnsaved(unsaved)
      void refreshShown()
    } catch (failure) {
      if (isApiError(failure, 'not_found')) kept.set(undefined, id)
      if (!isShown() && isKept()) sayUnsaved(unsaved)
      if (!isShown() || !isApiError(failure, 'conflict')) throw failure
      fields.reject({ [changed.includes('status') ? 'status' : 'number']: failure.message })
    }
  }

  return {
    fields,
    /** The animal as it would be saved. */
    draft,
    changed,
    /** The members that somebody else has changed too, as they are now. */
    theirs: conflicts.length === 0 || isBusy ? undefined : membersOf(current, conflicts),
    isBusy,
    error,
    save: () => void run(save),
    discard: () => replace(none),
    keepMine(): void {
      before.current = { ...before.current, ...membersOf(current, conflicts) }
      fields.change({})
    },
    takeTheirs: () => fields.change(Object.fromEntries(conflicts.map((member) => [member, undefined]))),
  }
}
export type AnimalForm = ReturnType<typeof useAnimalForm>

/** The most attempts while others change the same animal again and again. */
const mostAttempts = 5

/**
 * Saves the changed members, each request for the newest version of its record. Returns the profile as it is then,
 * undefined if somebody has changed one of the members meanwhile.
 */
async function sendEdits(id: number, edits: Edits<Draft>, currency: string): Promise<Profile | undefined> {
  const query = profileQuery(id)
  const path = { petId: id }
  for (let attempt = 1; ; attempt++) {
    const [animal, latest] = await Promise.all([fetchAnimal(id), queryClient.fetchQuery({ ...query, staleTime: 0 })])
    const current = draftOf({ ...latest.record, pet: animal?.record ?? latest.record.pet })
    if (conflictsOf(edits, current).length > 0) return undefined
    const { pet, profile } = changesOf(membersOf(edits.entered, changedMembers(edits, current)), currency)
    const header = (etag: string | undefined) => defined({ 'If-Match': etag })
    let saved = latest
    try {
      if (pet) {
        const params = { path, header: header(animal?.etag) }
        const changed = await bodyOf(api.PATCH('/pets/{petId}', { params, body: pet }))
        saved = { ...latest, record: { ...latest.record, pet: changed } }
      }
      if (profile) {
        const params = { path, header: header(latest.etag) }
        saved = await taggedBodyOf(api.PATCH('/pets/{petId}/profile', { params, body: profile }))
      }
      queryClient.setQueryData(query.queryKey, saved)
      return saved.record
    } catch (error) {
      if (!isApiError(error, 'precondition_failed') || attempt === mostAttempts) throw error
    }
  }
}
