/**
 * The keyboard in the list: the Tab key stops once in each row, the arrow keys go from control to control and from row to
 * row, and F2 edits the row. Keeps the focus in the list when the control that has it leaves the page: an editor closes, an animal is sold, a row is
 * deleted. Without this, the next key would begin at the top of the page.
 */

import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef } from 'react'

/** The control that an arrow key leads to: another one of the row, or the same one of the row above or below. */
function neighbour(from: HTMLElement, key: string): HTMLElement | null | undefined {
  const row = from.closest<HTMLElement>('[data-index]')
  if (row === null || from.closest('form') !== null) return undefined
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const index = Number(row.dataset['index']) + (key === 'ArrowUp' ? -1 : 1)
    const other = row.parentElement?.querySelector(`[data-index="${index}"]`)
    return other?.querySelector<HTMLElement>(`.${from.className}`) ?? other?.querySelector<HTMLElement>('.animals-name')
  }
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined
  const controls = [...row.querySelectorAll<HTMLElement>('a, button, input')]
  return controls[controls.indexOf(from) + (key === 'ArrowLeft' ? -1 : 1)]
}

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
    onKeyDown(event: KeyboardEvent): void {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      if (event.key === 'F2') (event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.click()
      const next = neighbour(event.target as HTMLElement, event.key)
      if (!next) return
      event.preventDefault()
      next.focus()
    },
    /** A control that is removed has no such event. */
    onBlur(): void {
      focused.current = undefined
    },
  }
}
