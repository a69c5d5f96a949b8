/** The output of `petstore pets import`: its progress, what was found in the file, and the result. */

import { byteSize } from '../../lib/byte-size.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import { describeProblem } from '../../shop/imports/file/findings.ts'
import type { ImportResult } from '../../shop/imports/schemas.ts'
import { ServerEnded } from '../client/api-client.ts'
import type { Terminal } from '../command.ts'
import { Interrupted } from '../terminal/interruption.ts'
import { count, localTime, plural } from '../terminal/output.ts'
import { createProgress } from '../terminal/progress.ts'

/** The number of problems that a terminal shows; a file or pipe gets all of them. */
const shownOnTerminal = 40

/** The number of unused columns that are named. */
const namedColumns = 20

/** What is printed of a result, also of one that failed. */
type Printed = Pick<
  ImportResult,
  | 'id'
  | 'imported'
  | 'changed'
  | 'unchanged'
  | 'alreadyThere'
  | 'skipped'
  | 'leftOut'
  | 'errors'
  | 'problems'
  | 'unreadValues'
  | 'unusedColumns'
  | 'guessedColumns'
  | 'notes'
  | 'rejection'
>

const nothing: Printed = {
  id: null,
  imported: 0,
  changed: 0,
  unchanged: 0,
  alreadyThere: 0,
  skipped: 0,
  leftOut: 0,
  errors: [],
  problems: [],
  unreadValues: [],
  unusedColumns: [],
  guessedColumns: [],
  notes: [],
  rejection: null,
}

/**
 * Creates the output of an import. With `isJson`, it is one document at
 * the end: `{id, imported, changed, unchanged, alreadyThere, skipped, leftOut, errors: [{line, message}], problems,
 * unreadValues, unusedColumns, notes}`.
 */
export function createReport(terminal: Terminal, clock: Pick<Clock, 'monotonic'>, isJson: boolean) {
  const bar = createProgress(terminal, clock)

  function end(result: Printed): void {
    bar.clear()
    const { errors, problems, unreadValues, unusedColumns, guessedColumns, notes, rejection } = result
    if (isJson) {
      const { id, imported, changed, unchanged, alreadyThere, skipped, leftOut } = result
      const numbers = { id, imported, changed, unchanged, alreadyThere, skipped, leftOut }
      terminal.out(`${JSON.stringify({ ...numbers, errors, problems, unreadValues, unusedColumns, notes })}\n`)
      return
    }
    const guessed = guessedColumns.map(({ field, column }) => `${field}=${column}`).join(', ')
    if (guessed !== '') terminal.err(`Guessed columns: ${printable(guessed)}.\n`)
    if (unusedColumns.length > 0) terminal.err(`Unused columns: ${printable(namesOf(unusedColumns))}.\n`)
    for (const { message } of notes) terminal.err(`${printable(message)}\n`)
    const left = unreadValues.map((value) => `Left out: ${describeProblem(value)}`)
    const shown = [...left, ...problems.map(describeProblem).filter((text) => !rejection?.includes(text))]
    const limit = terminal.errColumns === undefined ? shown.length : shownOnTerminal
    for (const text of shown.slice(0, limit)) terminal.err(`${printable(text)}\n`)
    if (shown.length > limit) {
      terminal.err(`… and ${plural(shown.length - limit, 'more problem')}: --json or 2> FILE shows them all\n`)
    }
  }

  return {
    /** `share` is the part of the file that was sent, from 0 to 1, or undefined if its size is unknown. */
    sent: (bytes: number, share: number | undefined): void => bar.update(byteSize(bytes), share),
    /** Prints what the owner should know before anything is added. */
    tried(notes: ImportResult['notes']): void {
      bar.clear()
      for (const { kind, message } of notes) if (kind === 'already_there') terminal.err(`${printable(message)}\n`)
    },
    /** The whole file was sent. */
    adding(): void {
      bar.clear()
      bar.update('Adding the animals')
    },
    /** Prints the response; `undo` is the command that undoes the import. */
    ended(result: ImportResult, undo: string): void {
      end(result)
      const { id, imported, changed, unnamedCategories, previousImportId, previousImportedAt, rejection } = result
      const undoAdvice = (what: string) => (imported + changed > 0 ? ` ${what}: ${undo}` : '')
      if (rejection !== null) return
      if (unnamedCategories.length > 0) terminal.err(`Categories without a name: ${unnamedCategories.join(', ')}.\n`)
      if (previousImportId !== null && previousImportedAt !== null) {
        const before = `import ${previousImportId} on ${localTime(previousImportedAt)}`
        const advice = id === null ? '' : undoAdvice('To remove what was added now')
        terminal.err(`This file was imported before: ${before}.${advice}\n`)
      }
      if (isJson) return
      const dryRun = `This was a dry run: nothing was changed.${result.skipped > 0 ? ' An import needs --skip-invalid.' : ''}`
      terminal.out(
        `${describeCounts(result)}.\n${id === null ? dryRun : `This is import ${id}.${undoAdvice('To undo it')}`}\n`,
      )
    },
    /** Prints an error that no row has caused, which is listed with line 0; returns the error. */
    failed(error: unknown): unknown {
      bar.clear()
      // What was imported is then unknown.
      if (!(error instanceof AppError) || error instanceof ServerEnded || error instanceof Interrupted) return error
      end({ ...nothing, errors: [{ line: 0, message: error.message }] })
      return error
    },
  }
}

export type ImportReport = ReturnType<typeof createReport>

function describeCounts({ id, imported, changed, unchanged, alreadyThere, skipped }: Printed): string {
  const parts = [
    `${id === null ? 'Would import' : 'Imported'} ${plural(imported, 'animal')}`,
    ...(changed > 0 ? [`${id === null ? 'change' : 'changed'} ${count(changed)}`] : []),
    ...(skipped > 0 ? [`${id === null ? 'skip' : 'skipped'} ${plural(skipped, 'row')}`] : []),
    ...(unchanged > 0 ? [`${count(unchanged)} unchanged`] : []),
    ...(alreadyThere > 0 ? [`${count(alreadyThere)} already there`] : []),
  ]
  return parts.join(', ')
}

function namesOf(columns: readonly string[]): string {
  const more = columns.length - namedColumns
  const named = columns.slice(0, namedColumns).join(', ')
  return more > 0 ? `${named} and ${plural(more, 'more column')}` : named
}
