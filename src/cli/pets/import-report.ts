/** The output of `petstore pets import`: its progress, the problems of invalid rows, and the result. */

import { byteSize } from '../../lib/byte-size.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import { describeProblem } from '../../shop/imports/file/findings.ts'
import type { ImportResult } from '../../shop/imports/schemas.ts'
import { ServerEnded } from '../client/api-client.ts'
import type { Terminal } from '../command.ts'
import { Interrupted } from '../terminal/interruption.ts'
import { localTime, plural } from '../terminal/output.ts'
import { createProgress } from '../terminal/progress.ts'

export type ImportReport = ReturnType<typeof createImportReport>

/** The number of problems that a terminal shows; a file or pipe gets all of them. */
const shownOnTerminal = 40

/** The number of unused columns that are named. */
const namedColumns = 20

/** What is printed of a result, also of one that failed. */
type Findings = Pick<ImportResult, 'errors' | 'problems' | 'unusedColumns' | 'guessedColumns' | 'rejection'>
type Counts = Pick<ImportResult, 'id' | 'imported' | 'skipped'>

const nothingFound: Findings = { errors: [], problems: [], unusedColumns: [], guessedColumns: [], rejection: null }

/**
 * With `isJson`, one document at the end: `{id, imported, skipped, errors: [{line, message}], problems,
 * unusedColumns}`.
 */
export function createImportReport(terminal: Terminal, clock: Pick<Clock, 'monotonic'>, isJson: boolean) {
  const bar = createProgress(terminal, clock)

  function end({ id, imported, skipped }: Counts, findings: Findings): void {
    bar.clear()
    const { errors, problems, unusedColumns, guessedColumns, rejection } = findings
    if (isJson) {
      terminal.out(`${JSON.stringify({ id, imported, skipped, errors, problems, unusedColumns })}\n`)
      return
    }
    const guessed = guessedColumns.map(({ field, column }) => `${field}=${column}`).join(', ')
    if (guessed !== '') terminal.err(`Guessed from the names of the columns: ${printable(guessed)}.\n`)
    if (unusedColumns.length > 0) terminal.err(`Not used: ${printable(namesOf(unusedColumns))}.\n`)
    const shown = problems.map(describeProblem).filter((text) => !rejection?.includes(text))
    const limit = terminal.errColumns === undefined ? shown.length : shownOnTerminal
    for (const text of shown.slice(0, limit)) terminal.err(`${printable(text)}\n`)
    if (shown.length > limit) {
      terminal.err(`… and ${plural(shown.length - limit, 'more problem')}; with --json, or 2> FILE, you see them all\n`)
    }
  }

  return {
    /** `share` is the part of the file that was sent, from 0 to 1, or undefined if its size is unknown. */
    sent: (bytes: number, share: number | undefined): void => bar.update(byteSize(bytes), share),
    /** The whole file was sent. */
    adding(): void {
      bar.clear()
      bar.update('Adding the animals')
    },
    /** Prints the response; `undo` is the command that undoes the import. */
    ended(result: ImportResult, undo: string): void {
      end(result, result)
      const { id, imported, skipped, unnamedCategories, previousImportId, previousImportedAt, rejection } = result
      if (rejection !== null) return
      if (unnamedCategories.length > 0) terminal.err(`Categories without a name: ${unnamedCategories.join(', ')}.\n`)
      if (previousImportId !== null && previousImportedAt !== null) {
        const before = `import ${previousImportId} on ${localTime(previousImportedAt)}`
        terminal.err(`This file was imported before: ${before}. To remove what was added now: ${undo}\n`)
      }
      if (isJson) return
      const rest = skipped > 0 ? `, skipped ${plural(skipped, 'row')}` : ''
      terminal.out(`Imported ${plural(imported, 'animal')}${rest}.\nThis is import ${id}. To undo it: ${undo}\n`)
    },
    /** Prints an error that no row has caused, which is listed with line 0; returns the error. */
    failed(error: unknown): unknown {
      bar.clear()
      // What was imported is then unknown.
      if (!(error instanceof AppError) || error instanceof ServerEnded || error instanceof Interrupted) return error
      end({ id: null, imported: 0, skipped: 0 }, { ...nothingFound, errors: [{ line: 0, message: error.message }] })
      return error
    },
  }
}

function namesOf(columns: readonly string[]): string {
  const more = columns.length - namedColumns
  const named = columns.slice(0, namedColumns).join(', ')
  return more > 0 ? `${named} and ${plural(more, 'more column')}` : named
}
