/** The output of `petstore pets import`: its progress, the problems of invalid rows, and the result. */

import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { printable } from '../lib/log.ts'
import { createProblems, describeProblem } from '../shop/imports/file/problems.ts'
import type { ImportResult } from '../shop/imports/import.ts'
import type { Terminal } from './command.ts'
import { localTime, plural } from './output.ts'
import { createProgress } from './progress.ts'

export type ImportReport = ReturnType<typeof createImportReport>

/** The number of problems that a terminal shows; a file or pipe gets all of them. */
const shownOnTerminal = 40

/** The number of unused columns that are named. */
const namedColumns = 20

/** With `isJson`, one document at the end: `{id, imported, skipped, errors: [{line, message}], problems, unusedColumns}`. */
export function createImportReport(terminal: Terminal, clock: Pick<Clock, 'monotonic'>, isJson: boolean) {
  const bar = createProgress(terminal, clock)
  const errors: { readonly line: number; readonly message: string }[] = []
  const problems = createProblems()
  let invalid = 0
  let unusedColumns: readonly string[] = []

  function end(id: number | null, imported: number): void {
    bar.clear()
    const found = problems.list()
    if (isJson) {
      const result = { id, imported, skipped: invalid, errors, problems: found, unusedColumns }
      terminal.out(`${JSON.stringify(result)}\n`)
      return
    }
    if (unusedColumns.length > 0) terminal.err(`Not used: ${printable(namesOf(unusedColumns))}.\n`)
    const most = terminal.errColumns === undefined ? found.length : shownOnTerminal
    for (const problem of found.slice(0, most)) terminal.err(`${printable(describeProblem(problem))}\n`)
    if (found.length > most) {
      terminal.err(`… and ${plural(found.length - most, 'more problem')}; with --json, or 2> FILE, you see them all\n`)
    }
  }

  return {
    badRow(line: number, faults: readonly string[], isFatal: boolean): void {
      if (isJson) errors.push({ line, message: faults.join('; ') })
      if (isFatal) return
      invalid++
      problems.note(line, faults)
    },
    unused(columns: readonly string[]): void {
      unusedColumns = columns
    },
    /** `share` is the part of the file that was read, from 0 to 1, or undefined if its size is unknown. */
    progress: (rows: number, share: number | undefined): void => bar.update(plural(rows, 'row'), share),
    /** `undo` is the command that undoes the import. */
    succeed({ id, imported, previous }: ImportResult, undo: string): void {
      end(id, imported)
      if (previous) {
        const before = `import ${previous.id} on ${localTime(previous.createdAt)}`
        terminal.err(`This file was imported before: ${before}. To remove what was added now: ${undo}\n`)
      }
      if (isJson) return
      const skipped = invalid > 0 ? `, skipped ${plural(invalid, 'row')}` : ''
      terminal.out(`Imported ${plural(imported, 'animal')}${skipped}.\nThis is import ${id}. To undo it: ${undo}\n`)
    },
    /** An error that no row has caused is reported with line 0. */
    fail(error: unknown): void {
      bar.clear()
      if (!(error instanceof AppError)) return
      if (error.code !== 'invalid_body') errors.push({ line: 0, message: error.message })
      end(null, 0)
    },
  }
}

function namesOf(columns: readonly string[]): string {
  const more = columns.length - namedColumns
  const named = columns.slice(0, namedColumns).join(', ')
  return more > 0 ? `${named} and ${plural(more, 'more column')}` : named
}
