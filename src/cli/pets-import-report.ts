/** The output of `petstore pets import`: its progress, the problems of invalid rows, and the result. */

import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { printable } from '../lib/log.ts'
import { type ImportField, shownName } from '../shop/imports/file/columns.ts'
import { createFindings, describeProblem } from '../shop/imports/file/findings.ts'
import type { Layout } from '../shop/imports/file/rows.ts'
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
  const findings = createFindings()

  function end(id: number | null, imported: number, skipped: number, more: readonly ImportError[] = []): void {
    bar.clear()
    const { unusedColumns } = findings
    const problems = findings.problems()
    if (isJson) {
      const errors = [...findings.errors, ...more]
      terminal.out(`${JSON.stringify({ id, imported, skipped, errors, problems, unusedColumns })}\n`)
      return
    }
    const guessed = guessedColumns(findings.layout)
    if (guessed !== '') terminal.err(`Guessed from the names of the columns: ${printable(guessed)}.\n`)
    if (unusedColumns.length > 0) terminal.err(`Not used: ${printable(namesOf(unusedColumns))}.\n`)
    const most = terminal.errColumns === undefined ? problems.length : shownOnTerminal
    for (const problem of problems.slice(0, most)) terminal.err(`${printable(describeProblem(problem))}\n`)
    if (problems.length > most) {
      terminal.err(
        `… and ${plural(problems.length - most, 'more problem')}; with --json, or 2> FILE, you see them all\n`,
      )
    }
  }

  return {
    findings,
    /** `share` is the part of the file that was read, from 0 to 1, or undefined if its size is unknown. */
    progress: (rows: number, share: number | undefined): void => bar.update(plural(rows, 'row'), share),
    /** `undo` is the command that undoes the import. */
    succeed({ id, imported, skipped, previous }: ImportResult, undo: string): void {
      end(id, imported, skipped)
      if (previous) {
        const before = `import ${previous.id} on ${localTime(previous.createdAt)}`
        terminal.err(`This file was imported before: ${before}. To remove what was added now: ${undo}\n`)
      }
      if (isJson) return
      const rest = skipped > 0 ? `, skipped ${plural(skipped, 'row')}` : ''
      terminal.out(`Imported ${plural(imported, 'animal')}${rest}.\nThis is import ${id}. To undo it: ${undo}\n`)
    },
    /** An error that no row has caused is reported with line 0. */
    fail(error: unknown): void {
      bar.clear()
      if (!(error instanceof AppError)) return
      end(null, 0, findings.invalidRows(), error.code === 'invalid_body' ? [] : [{ line: 0, message: error.message }])
    },
  }
}

interface ImportError {
  readonly line: number
  readonly message: string
}

/** Such as `name=Rufname, category=Tierart`. */
function guessedColumns(layout: Layout | undefined): string {
  if (!layout) return ''
  const { guessed, indexes } = layout.located
  const namesIn = (field: ImportField) =>
    indexes.get(field)?.map((index) => shownName(layout.header[index] ?? '', index))
  return [...guessed].map((field) => `${field}=${namesIn(field)?.join('|')}`).join(', ')
}

function namesOf(columns: readonly string[]): string {
  const more = columns.length - namedColumns
  const named = columns.slice(0, namedColumns).join(', ')
  return more > 0 ? `${named} and ${plural(more, 'more column')}` : named
}
