/**
 * Keeps the focus in the list when the control that has it leaves the page: an editor closes, an animal is sold, a row is
 * deleted. Without this, the next key would begin at the top of the page.
 */

import { type FocusEvent, type RefObject, useEffect, useRef } from 'react'

/** Returns the listeners for the element with the rows. */
export function useRowFocus(body: RefObject<HTMLElement | null>) {
  const focused = useRef<HTMLElement | null>(null)
  // After each render, since any can remove the control.
  useEffect(() => {
    const row = focused.current
    if (row === null || document.activeElement !== document.body) return
    const next = row.isConnected ? row : body.current?.querySelector(`[data-index="${row.dataset['index']}"]`)
    if (next) next.querySelector<HTMLElement>('.animals-name')?.focus({ preventScroll: true })
    else focused.current = null
  })
  return {
    onFocus({ target }: FocusEvent): void {
      focused.current = target.closest<HTMLElement>('[data-index]')
    },
    /** A control that is removed has no such event. */
    onBlur(): void {
      focused.current = null
    },
  }
}
