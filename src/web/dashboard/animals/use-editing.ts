/**
 * Editing one animal. The form starts from the animal as it is fetched when editing begins, and saves with that version's
 * tag in `If-Match`. If somebody changed the animal meanwhile, the person decides whose version stays. What is not saved is
 * kept, and the next form of the animal continues with it.
 */

import { useWindowEvent } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { api, type Tagged, taggedBodyOf } from '../api/client.ts'
import { isApiError } from '../api/error.ts'
import { useIsShown } from '../ui/change.tsx'
import { showFailure } from '../ui/notices.tsx'
import { animalNameProblem, type Draft } from './fields.tsx'
import type { Pet } from './filters.ts'
import { fetchAnimal } from './queries.ts'
import { sayUnsaved, type Unsaved, unsaved } from './unsaved.ts'

export interface Editing {
  /** The animal as it is fetched; undefined until then. */
  readonly pet: Pet | undefined
  readonly draft: Draft | undefined
  readonly isGone: boolean
  /** The version of somebody else, which the person has not decided about. */
  readonly theirs: Pet | undefined
  readonly nameError: string | undefined
  readonly error: unknown
  readonly isBusy: boolean
  readonly isChanged: boolean
  /** Whether the form began with a change that was left unsaved. */
  readonly isContinued: boolean
  change(draft: Draft): void
  save(): Promise<void>
  keepMine(): Promise<void>
  takeTheirs(): void
  /** The change is not wanted any more. */
  discard(): void
}

/** `onSaved` is called with the animal as it is saved, also after the form has been closed. */
export function useEditing(id: number, onSaved: (pet: Pet) => void): Editing {
  const [continued] = useState(() => unsaved.get(id))
  const [base, setBase] = useState(continued?.base)
  const [draft, setDraft] = useState(continued?.draft)
  const [theirs, setTheirs] = useState<Tagged<Pet>>()
  const [isGone, setGone] = useState(false)
  const [nameError, setNameError] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const isShown = useIsShown()
  const isStarted = useRef(false)
  const latest = useRef(draft)
  latest.current = draft

  useEffect(() => {
    if (isStarted.current || continued !== undefined) return
    isStarted.current = true
    fetchAnimal(id).then(
      (found) => {
        setBase(found)
        setDraft(found?.record)
        setGone(found === undefined)
      },
      (failure) => setError(failure),
    )
  }, [id, continued])

  const isChanged = base !== undefined && draft !== undefined && isDifferent(base.record, draft)
  useWindowEvent('beforeunload', (event) => {
    if (isChanged) event.preventDefault()
  })

  function change(next: Draft): void {
    setDraft(next)
    if (base !== undefined) unsaved.set(isDifferent(base.record, next) ? { base, draft: next } : undefined, id)
  }

  function lose(): void {
    unsaved.set(undefined, id)
    setGone(true)
  }

  /** Sends what was changed here since `from`; `etag` is the tag of the version that it replaces. */
  async function send(from: Tagged<Pet>, wanted: Draft, etag: string | undefined): Promise<void> {
    const problem = animalNameProblem(wanted.name)
    setNameError(problem)
    setError(undefined)
    if (problem !== undefined) return
    const sent: Unsaved = { base: from, draft: wanted, isSaving: true }
    unsaved.set(sent, id)
    setBusy(true)
    try {
      const saved = await taggedBodyOf(
        api.PATCH('/pets/{petId}', {
          params: {
            path: { petId: id },
            header: etag === undefined ? {} : { 'If-Match': etag },
          },
          body: changesOf(from.record, wanted),
        }),
      )
      if (latest.current === wanted) {
        if (unsaved.get(id) === sent) unsaved.set(undefined, id)
        return onSaved(saved.record)
      }
      // What was typed meanwhile is the next change, unless it was discarded with the form.
      setBase(saved)
      if (isShown() || unsaved.get(id)?.draft === latest.current) {
        unsaved.set({ base: saved, draft: latest.current ?? wanted }, id)
      }
    } catch (failure) {
      if (unsaved.get(id) === sent) unsaved.set({ base: from, draft: wanted }, id)
      await fail(failure)
    } finally {
      setBusy(false)
    }
  }

  async function fail(failure: unknown): Promise<void> {
    if (isApiError(failure, 'not_found')) lose()
    else if (isShown() && isApiError(failure, 'precondition_failed')) await showTheirs()
    else setError(failure)
    if (isShown()) return
    showFailure(failure)
    sayUnsaved(id)
  }

  async function showTheirs(): Promise<void> {
    const found = await fetchAnimal(id).catch((failure) => {
      setError(failure)
      return base
    })
    if (found === undefined) lose()
    else if (found !== base) setTheirs(found)
  }

  return {
    pet: base?.record,
    draft,
    isGone,
    theirs: theirs?.record,
    nameError,
    error,
    isBusy,
    isChanged,
    isContinued: continued !== undefined,
    change,
    async save() {
      if (base !== undefined && draft !== undefined) await send(base, draft, base.etag)
    },
    async keepMine() {
      if (base === undefined || theirs === undefined || draft === undefined) return
      setTheirs(undefined)
      await send(base, draft, theirs.etag)
    },
    takeTheirs() {
      if (theirs === undefined) return
      unsaved.set(undefined, id)
      onSaved(theirs.record)
    },
    discard: () => unsaved.set(undefined, id),
  }
}

const isDifferent = (pet: Pet, draft: Draft): boolean => Object.keys(changesOf(pet, draft)).length > 0

/** The members that differ: what is not touched here keeps what others made of it. */
function changesOf(pet: Pet, draft: Draft): Partial<Draft> {
  const name = draft.name.trim()
  return {
    ...(name === pet.name ? {} : { name }),
    ...(draft.categoryId === pet.categoryId ? {} : { categoryId: draft.categoryId }),
    ...(draft.status === pet.status ? {} : { status: draft.status }),
  }
}
