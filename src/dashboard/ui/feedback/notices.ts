/** Short messages at the edge of the window: what has been done, or what failed. */

import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { explain } from '../../api/error.ts'
import { SignedOutError } from '../../session/session.ts'

const shownMs = 6_000
/** A message with a button stays long enough to reach it. */
const shownWithButtonMs = 12_000

/** Says that something is done. It does not interrupt a screen reader. */
export function showDone(
  message: ReactNode,
  { hasButton = false, id }: { hasButton?: boolean; id?: string } = {},
): void {
  notifications.show({
    ...(id === undefined ? {} : { id }),
    message,
    color: 'brand',
    role: 'status',
    autoClose: hasButton ? shownWithButtonMs : shownMs,
    closeButtonProps: { 'aria-label': 'Close this message' },
  })
}

/** Says what failed and what to do. It stays until it is closed. */
export function showFailure(error: unknown, title?: string): void {
  if (error instanceof SignedOutError) return
  const explanation = explain(error)
  notifications.show({
    title: title ?? explanation.title,
    message: explanation.text,
    color: 'red',
    role: 'alert',
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Close this message' },
  })
}

export const hideNotice = (id: string): void => {
  notifications.hide(id)
}
