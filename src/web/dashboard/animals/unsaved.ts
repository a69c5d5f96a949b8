/** Changes of animals that are typed and not saved. When their form is left without saving, a message leads back to it. */

import { useEffect } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { Tagged } from '../api/client.ts'
import { createKept } from '../session/session.ts'
import { isolated } from '../ui/format.ts'
import { closeNotice, showWithButton } from '../ui/notices.tsx'
import { subjectOf } from './actions.tsx'
import type { Draft } from './fields.tsx'
import type { Pet } from './filters.ts'

export interface Unsaved {
  /** The animal as it was fetched when editing began. */
  readonly base: Tagged<Pet>
  readonly draft: Draft
  /** The change is being sent, and nothing was typed since. */
  readonly isSaving?: true
}

export const unsaved = createKept<Unsaved>()

/** Says that a change is not saved when the form of the animal `id` is closed or its page is left; 0 while none is open. */
export function useUnsavedNotice(id: number): void {
  useEffect(() => {
    // An earlier message leads to the form that is open now.
    if (unsaved.get(id) !== undefined) closeNotice(subjectOf(id))
    return () => sayUnsaved(id)
  }, [id])
}

/** Says so, unless the change is being saved: if that fails, the failure is said. */
export function sayUnsaved(id: number): void {
  const change = unsaved.get(id)
  if (change === undefined || change.isSaving) return
  const continueEditing = () => navigate(addressOf(id))
  showWithButton(
    `Your change of ${isolated(change.base.record.name)} is not saved.`,
    'Continue editing',
    continueEditing,
    {
      subject: subjectOf(id),
      tone: 'warning',
    },
  )
}

/** The list of animals, as it is filtered if it is open, with the form of the animal. */
function addressOf(id: number): string {
  const list = '/dashboard/animals'
  const parameters = new URLSearchParams(location.pathname === list ? location.search : '')
  parameters.set('animal', String(id))
  return `${list}?${parameters}`
}
