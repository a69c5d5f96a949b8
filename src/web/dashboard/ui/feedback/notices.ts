/** Short messages at the edge of the window: what has been done, what is in the way, or what failed. */

import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { explain } from '../../api/error.ts'
import { randomId } from '../../api/random.ts'
import { SignedOutError } from '../../session/session.ts'

const shownMs = 6_000
/** A message with a button stays long enough to reach it. */
const shownWithButtonMs = 12_000

export interface NoticeOptions {
  /** The thing that the message is about, such as `animal 7`: it replaces an earlier message with the same subject. */
  readonly subject?: string | undefined
  /** `warning`: nothing was done, and the person has to do something first. */
  readonly tone?: 'done' | 'warning'
  /** The message stays until it is closed. */
  readonly stays?: boolean
}

/** The ids of the visible messages by subject. */
const visible = new Map<string, string>()
let sequence = 0

/** Shows a message above the earlier ones; `content` gets a function that closes it. */
export function showNotice(
  content: (close: () => void) => ReactNode,
  { subject, tone = 'done', stays = false, hasButton }: NoticeOptions & { readonly hasButton: boolean },
): void {
  const id = nextId(subject)
  notifications.show({
    id,
    priority: ++sequence,
    message: content(() => notifications.hide(id)),
    color: tone === 'done' ? 'brand' : 'amber',
    // A warning interrupts a screen reader: the button did not do what it says.
    role: tone === 'done' ? 'status' : 'alert',
    autoClose: !stays && (hasButton ? shownWithButtonMs : shownMs),
    closeButtonProps: { 'aria-label': 'Close this message' },
  })
}

/** The id of the next message; an earlier one about the same subject closes. */
function nextId(subject: string | undefined): string {
  const id = randomId()
  if (subject !== undefined) {
    closeNotice(subject)
    visible.set(subject, id)
  }
  return id
}

/** Says that something is done. */
export function showDone(message: string, options: NoticeOptions = {}): void {
  showNotice(() => message, { ...options, hasButton: false })
}

/** Closes the message about a subject, if there is one. */
export function closeNotice(subject: string): void {
  const id = visible.get(subject)
  if (id !== undefined) notifications.hide(id)
  visible.delete(subject)
}

/** Says what failed and what to do. It stays until it is closed, or until the same failure happens again. */
export function showFailure(error: unknown, title?: string): void {
  if (error instanceof SignedOutError) return
  const { title: usualTitle, text } = explain(error)
  const shownTitle = title ?? usualTitle
  notifications.show({
    id: nextId(`failure: ${shownTitle} ${text}`),
    priority: ++sequence,
    title: shownTitle,
    message: text,
    color: 'red',
    role: 'alert',
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Close this message' },
  })
}
