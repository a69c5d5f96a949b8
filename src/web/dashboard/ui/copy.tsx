/** Copying a text. Where the browser refuses it, the text is selected for Ctrl/⌘ C. */

import { Button, type ButtonProps, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type RefObject, useEffect, useState } from 'react'

/**
 * Copies a text. The command of older browsers works in all of them, also without HTTPS, and has its result at once; the
 * newer clipboard is missing on pages without HTTPS, and waits for ever where a window lost the focus. Returns false if the
 * browser does not let the page copy.
 */
function copyText(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'copy-source'
  // Inside an open dialog: its focus trap would take the focus away from an element outside.
  const focused = document.activeElement
  const host = focused?.closest('[role="dialog"]') ?? document.body
  host.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}

const shownMs = 2_500

export interface CopyButtonProps extends Omit<ButtonProps, 'children'> {
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

  function copy(): void {
    const isCopied = copyText(text)
    // The person can copy the marked text with the keyboard.
    if (!isCopied && source?.current) getSelection()?.selectAllChildren(source.current)
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
        onClick={copy}
      >
        {shown}
      </Button>
      <VisuallyHidden role="status">{outcome === undefined ? '' : shown}</VisuallyHidden>
    </>
  )
}
