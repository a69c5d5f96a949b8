/** Printing what is shown only once, such as a key: the change is undone if it can't be printed. */

import { AppError } from '../../lib/error.ts'
import { systemReason } from '../../lib/system-error.ts'
import type { Terminal } from '../command.ts'

/** Throws `conflict` if the output is closed or the null device. To be called before a secret is made. */
export function assertShown(terminal: Terminal, what: string): void {
  if (!terminal.isNull()) return
  const message = `The output is closed or /dev/null, so ${what} would be lost. Nothing was changed; print it to a terminal, a pipe or a file.`
  throw new AppError('conflict', message)
}

/** Prints a secret. If that fails, runs `undo` and throws `conflict`; `undone` completes the message. */
export async function printOnce(terminal: Terminal, text: string, undo: () => unknown, undone: string): Promise<void> {
  try {
    await terminal.deliver(text)
  } catch (cause) {
    await undo()
    throw new AppError('conflict', `The output can't be written: ${systemReason(cause)}. ${undone}`, { cause })
  }
}
