/** What a program prints when it fails. */

import { UsageError } from '../config/values.ts'
import { AppError, messageOf } from '../lib/error.ts'
import { printable } from '../lib/log.ts'
import { isSystemError, systemReason } from '../lib/system-error.ts'
import type { Terminal } from './command.ts'

/** Prints the error of a command; returns the exit code: 1 for a failure, 2 for wrong usage. */
export function explain(error: unknown, terminal: Terminal, command = ''): number {
  if (error instanceof UsageError) {
    const hasHint = error.message.includes('petstore help')
    const hint = hasHint ? '' : ` See: petstore help ${command}`.trimEnd()
    terminal.err(`petstore: ${readable(error.message)}${hint}\n`)
    return 2
  }
  const isExpected = error instanceof AppError
  const message = !isExpected && isSystemError(error) ? `It failed: ${systemReason(error)}.` : messageOf(error)
  terminal.err(`petstore: ${readable(message)}\n`)
  // This is a defect of petstore: a report of it needs the stack.
  if (!isExpected && !isSystemError(error) && error instanceof Error) terminal.err(`${error.stack}\n`)
  return 1
}

/** An error's message, without the middle of a very long one: it may name an argument or an input of any length. */
function readable(message: string): string {
  const text = printable(message)
  const kept = 500
  return text.length <= 2 * kept ? text : `${text.slice(0, kept)} … ${text.slice(-kept)}`.toWellFormed()
}
