/** The output of `petstore pets import`: its progress, the invalid rows by reason, and the result. */

import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { printable } from '../lib/log.ts'
import type { ImportResult } from '../transfer/import.ts'
import type { Terminal } from './command.ts'
import { localTime, plural } from './output.ts'
import { createProgress } from './progress.ts'

export type ImportReport = ReturnType<typeof createImportReport>

/** The number of reasons that a terminal shows; a file or pipe gets all of them. */
const shownOnTerminal = 20

/** Further reasons are counted together. Of each reason the lines of the first rows are printed. */
const maximumReasons = 1_000
const namedLines = 3

interface BadRows {
  count: number
  readonly lines: number[]
}

/** With `isJson`, one document at the end: `{id, imported, skipped, errors: [{line, message}]}`. */
export function createImportReport(terminal: Terminal, clock: Pick<Clock, 'monotonic'>, isJson: boolean) {
  const bar = createProgress(terminal, clock)
  const errors: { readonly line: number; readonly message: string }[] = []
  const reasons = new Map<string, BadRows>()
  let invalid = 0

  function note(line: number, message: string): void {
    const reason = reasons.has(message) || reasons.size < maximumReasons ? message : 'other reasons'
    const rows = reasons.get(reason) ?? { count: 0, lines: [] }
    rows.count++
    if (rows.lines.length < namedLines) rows.lines.push(line)
    reasons.set(reason, rows)
  }

  function end(id: number | null, imported: number): void {
    bar.clear()
    if (isJson) {
      terminal.out(`${JSON.stringify({ id, imported, skipped: invalid, errors })}\n`)
      return
    }
    const lines = [...reasons].map(describeRows)
    const most = terminal.errColumns === undefined ? lines.length : shownOnTerminal
    for (const line of lines.slice(0, most)) terminal.err(line)
    if (lines.length > most) {
      terminal.err(`… and ${plural(lines.length - most, 'more reason')}; with --json, or 2> FILE, you see them all\n`)
    }
  }

  return {
    badRow(line: number, message: string, isFatal: boolean): void {
      if (isJson) errors.push({ line, message })
      if (isFatal) return
      invalid++
      if (!isJson) note(line, message)
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

function describeRows([reason, { count, lines }]: [string, BadRows]): string {
  const text = printable(reason)
  if (count === 1) return `line ${lines[0]}: ${text}\n`
  return `${plural(count, 'row')}: ${text} (lines ${lines.join(', ')}${count > lines.length ? ', …' : ''})\n`
}
