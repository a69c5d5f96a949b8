/** Ctrl+C during an upload: the command ends with 1, and with a line about the result of the upload. */

import { AppError } from '../../lib/error.ts'
import type { Terminal } from '../command.ts'

/** The error of an interrupted upload. */
export class Interrupted extends AppError {
  constructor(consequence: string) {
    super('conflict', `Interrupted. ${consequence}`)
  }
}

/**
 * A signal that is aborted with an `Interrupted` when the process is asked to end. The service finishes an upload that
 * has arrived whole: after the call of `sent` the error says `ifSent`, before it `ifUnsent`.
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
