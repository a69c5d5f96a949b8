/**
 * Keeps the focus in the list when the control that has it leaves the page: an editor closes, an animal is sold, a row is
 * deleted. Without this, the next key would begin at the top of the page.
 */

import { type FocusEvent, type RefObject, useEffect, useRef } from 'react'

/** Returns the listeners for the element with the rows, which is within the table. */
export function useRowFocus(table: RefObject<HTMLElement | null>) {
  const focused = useRef<{ readonly row: HTMLElement; readonly isForm: boolean }>(undefined)
  // After each render, since any can remove the control.
  useEffect(() => {
    if (focused.current === undefined || document.activeElement !== document.body) return
    const { row, isForm } = focused.current
    const next = row.isConnected ? row : table.current?.querySelector(`[data-index="${row.dataset['index']}"]`)
    // The next keys are meant for the form that has left: they must not press the button of another animal.
    if (isForm && !row.isConnected) table.current?.focus({ preventScroll: true })
    else if (next) next.querySelector<HTMLElement>('.animals-name')?.focus({ preventScroll: true })
    else focused.current = undefined
  })
  return {
    onFocus({ target }: FocusEvent): void {
      const row = target.closest<HTMLElement>('[data-index]')
      focused.current = row === null ? undefined : { row, isForm: target.closest('form') !== null }
    },
    /** A control that is removed has no such event. */
    onBlur(): void {
      focused.current = undefined
    },
  }
}
