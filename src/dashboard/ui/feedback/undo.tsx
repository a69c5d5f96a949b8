/** Says what has been done, with a button to take it back. */

import { Button } from '@mantine/core'
import { randomId } from '../../api/random.ts'
import { hideNotice, showDone, showFailure } from './notices.ts'
import './undo.css'

/** `undo` is called at most once. */
export function showUndo(text: string, undo: () => Promise<unknown>): void {
  const id = randomId()
  function run(): void {
    hideNotice(id)
    void undo().catch((error) => showFailure(error))
  }
  showDone(
    <span className="undo">
      <span>{text}</span>
      <Button variant="default" size="xs" onClick={run}>
        Undo
      </Button>
    </span>,
    { id, hasButton: true },
  )
}
