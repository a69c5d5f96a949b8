/** Messages with a button: to take back what has been done, or to see more. */

import { Button } from '@mantine/core'
import { randomId } from '../../api/random.ts'
import { hideNotice, showDone, showFailure } from './notices.ts'
import './undo.css'

/** Says what has been done. `undo` is called at most once. */
export function showUndo(text: string, undo: () => Promise<unknown>): void {
  showWithButton(text, 'Undo', () => void undo().catch((error) => showFailure(error)))
}

/** The message goes when the button is pressed. */
export function showWithButton(text: string, label: string, run: () => void): void {
  const id = randomId()
  function press(): void {
    hideNotice(id)
    run()
  }
  showDone(
    <span className="undo">
      <span>{text}</span>
      <Button variant="default" size="xs" onClick={press}>
        {label}
      </Button>
    </span>,
    { id, hasButton: true },
  )
}
