/** Messages with a button: to take back what has been done, or to see more. */

import { Button } from '@mantine/core'
import { type NoticeOptions, showFailure, showNotice } from './notices.ts'
import './undo.css'

/** Says what has been done. `undo` is called at most once; it says by itself what it did. */
export function showUndo(text: string, undo: () => Promise<unknown>, options: NoticeOptions = {}): void {
  showWithButton(text, 'Undo', () => void undo().catch((error) => showFailure(error)), options)
}

/** The message closes when the button is pressed. */
export function showWithButton(text: string, label: string, run: () => void, options: NoticeOptions = {}): void {
  // A closing message still takes clicks while it moves out.
  let isPressed = false
  showNotice(
    (close) => (
      <span className="undo">
        <span className="undo-text">{text}</span>
        <Button
          variant="default"
          size="xs"
          onClick={() => {
            if (isPressed) return
            isPressed = true
            close()
            run()
          }}
        >
          {label}
        </Button>
      </span>
    ),
    { ...options, hasButton: true },
  )
}
