/** Changes of a form that are not saved and are kept when its page is left. */

import { useWindowEvent } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { closeNotice, showWithButton } from './notices.tsx'

interface Change {
  /** The subject of the message, such as `animal 7`. */
  readonly subject: string
  /** What the change is of, as in "Your change of Bella is not saved." */
  readonly name: string
  /** The address of the form below /dashboard. */
  readonly href: string
}

interface Unsaved extends Change {
  readonly isChanged: boolean
  /** Whether the change is still kept when the page is left. */
  readonly isKept: () => boolean
}

/** Asks before the window is closed, and leads back to a change that was left unsaved. */
export function useUnsaved(unsaved: Unsaved): void {
  const { subject, isChanged } = unsaved
  const now = useRef(unsaved)
  now.current = unsaved
  useWindowEvent('beforeunload', (event) => {
    if (isChanged) event.preventDefault()
  })
  useEffect(() => {
    if (now.current.isChanged) closeNotice(subject)
    return () => {
      if (now.current.isChanged && now.current.isKept()) sayUnsaved(now.current)
    }
  }, [subject])
}

/** Says that a change is not saved, and leads back to it. */
export function sayUnsaved({ subject, name, href }: Change): void {
  showWithButton(`Your change of ${name} is not saved.`, 'Continue editing', () => navigate(`/dashboard${href}`), {
    subject,
    tone: 'warning',
  })
}
