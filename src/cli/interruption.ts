/** Ctrl+C during an upload: the command ends with 1, and with a line that says what becomes of the upload. */

import { AppError } from '../lib/error.ts'
import type { Terminal } from './command.ts'

/** The error of an interrupted upload. */
export class Interrupted extends AppError {
  constructor(consequence: string) {
    super('conflict', `Interrupted. ${consequence}`)
  }
}

/**
 * A signal that is aborted with an `Interrupted` when the process is told to end. The service goes on with an upload that has arrived:
 * from the call of `sent` on the error says `ifSent`, before it `ifUnsent`.
 */
export function interruption(terminal: Pick<Terminal, 'onStop'>, words: { ifUnsent: string; ifSent: string }) {
  const controller = new AbortController()
  let consequence = words.ifUnsent
  terminal.onStop(() => controller.abort(new Interrupted(consequence)))
  return {
    signal: controller.signal,
    sent(): void {
      consequence = words.ifSent
    },
  }
}
