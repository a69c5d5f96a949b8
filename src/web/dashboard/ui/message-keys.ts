/**
 * Keys for what appears away from the place where somebody works, such as row 5,000 of a list: Ctrl/⌘ Z takes back the
 * newest change that a message offers to undo, and F8 goes to the messages and to the bar of the selected animals.
 */

import { useWindowEvent } from '@mantine/hooks'
import { useRef } from 'react'

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** A letter with Ctrl or ⌘, as it is written on this device. */
export const keyName = (letter: string): string => `${isApple ? '⌘' : 'Ctrl'} ${letter}`

/** The key that presses "Undo". */
export const undoKey = keyName('Z')

const stops = '.mantine-Notification-root, .bulk-bar'

export function useMessageKeys(): void {
  /** The element to return to from the messages. */
  const before = useRef<Element>(null)

  /** Goes to the next stop, from the last one back to where the focus was. */
  function visitNext(): boolean {
    const all = [...document.querySelectorAll(stops)]
    const at = all.findIndex((stop) => stop.contains(document.activeElement))
    if (at === -1) before.current = document.activeElement
    const next = all[at + 1]?.querySelector('button') ?? before.current
    if (all.length === 0 || !(next instanceof HTMLElement)) return false
    next.focus()
    return true
  }

  /** In a field, the key takes back what was typed. */
  function undo(target: EventTarget | null): boolean {
    const field = 'input:not([type="checkbox"]), textarea, select'
    if (target instanceof Element && target.closest(field) !== null) return false
    const button = document.querySelector<HTMLElement>('.undo-button')
    button?.click()
    return button !== null
  }

  useWindowEvent('keydown', (event) => {
    const isUndo = event.key.toLowerCase() === 'z' && (isApple ? event.metaKey : event.ctrlKey) && !event.shiftKey
    const isDone = isUndo ? undo(event.target) : event.key === 'F8' && visitNext()
    if (isDone) event.preventDefault()
  })

  // A message whose button was pressed leaves with the focus.
  useWindowEvent('click', ({ target }) => {
    const isFocused = target instanceof Element && target.closest('.mantine-Notification-root:focus-within') !== null
    if (isFocused && before.current instanceof HTMLElement && before.current.isConnected) before.current.focus()
  })
}
