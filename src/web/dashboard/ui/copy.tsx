/** Copying a text. Pages without HTTPS on a network have no clipboard: the text is then selected for Ctrl/⌘ C. */

import { Button, type ButtonProps } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type RefObject, useEffect, useState } from 'react'

/** Copies a text. Returns false if the browser gives the page no way to. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** The way of older browsers, which also works without HTTPS. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'copy-source'
  // Inside an open dialog: its focus trap would take the focus away from an element outside.
  const host = document.activeElement?.closest('[role="dialog"]') ?? document.body
  const focused = document.activeElement
  host.append(area)
  area.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    area.remove()
    if (focused instanceof HTMLElement) focused.focus()
  }
}

/** Selects the text of an element, so that the person can copy it. */
export function selectText(element: HTMLElement | null): void {
  if (element === null) return
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    element.focus()
    element.select()
    return
  }
  const selection = getSelection()
  selection?.removeAllRanges()
  const range = document.createRange()
  range.selectNodeContents(element)
  selection?.addRange(range)
}

const shownMs = 2_500

interface CopyButtonProps extends Omit<ButtonProps, 'children'> {
  readonly text: string
  /** Verb and noun, as in "Copy the key". */
  readonly label: string
  /** The element that shows the text: it is selected if copying is impossible. */
  readonly source?: RefObject<HTMLElement | null>
  /** The visible text of the button; the label if left out. */
  readonly children?: string
  readonly onCopied?: () => void
}

export function CopyButton({ text, label, source, children, onCopied, ...props }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'selected'>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), shownMs)
    return () => clearTimeout(timer)
  }, [outcome])

  async function copy(): Promise<void> {
    const isCopied = await copyText(text)
    if (!isCopied) selectText(source?.current ?? null)
    setOutcome(isCopied ? 'copied' : 'selected')
    onCopied?.()
  }

  const shown = outcome === 'copied' ? 'Copied' : outcome === 'selected' ? 'Press Ctrl/⌘ C' : (children ?? label)
  return (
    <>
      <Button
        variant="default"
        leftSection={outcome === 'copied' ? <IconCheck size={16} /> : <IconCopy size={16} />}
        {...props}
        aria-label={outcome === undefined ? label : `${shown}: ${label}`}
        onClick={() => void copy()}
      >
        {shown}
      </Button>
      <span className="visually-hidden" role="status">
        {outcome === undefined ? '' : shown}
      </span>
    </>
  )
}
