/** Messages with a button: to take back what has been done, or to see more. */

import { Button } from '@mantine/core'
import { isRefused } from '../../api/send.ts'
import { undoKey } from './message-keys.ts'
import { type NoticeOptions, showFailure, showNotice } from './notices.ts'
import './undo.css'

/**
 * Says what has been done. `undo` says by itself what it did. If it fails without a definite response, such as for lack of a
 * connection, it is offered again until the message is closed.
 */
export function showUndo(text: string, undo: () => Promise<unknown>, options: NoticeOptions = {}): void {
  const fail = (error: unknown) => {
    showFailure(error)
    if (!isRefused(error)) showUndo(text, undo, { ...options, tone: 'warning', stays: true })
  }
  showWithButton(text, 'Undo', () => void undo().catch(fail), options, undoKey)
}

/** The message closes when the button is pressed. F8 goes to the button, unless it is named a key of its own. */
export function showWithButton(
  text: string,
  label: string,
  run: () => void,
  options: NoticeOptions = {},
  key = 'F8',
): void {
  // A closing message still takes clicks while it moves out.
  let isPressed = false
  showNotice(
    (close) => (
      <span className="undo">
        <span className="undo-text">{text}</span>
        <Button
          variant="default"
          size="xs"
          className={key === undoKey ? 'undo-button' : undefined}
          onClick={() => {
            if (isPressed) return
            isPressed = true
            close()
            run()
          }}
        >
          {label} <kbd className="key">{key}</kbd>
        </Button>
      </span>
    ),
    { ...options, hasButton: true },
  )
}
