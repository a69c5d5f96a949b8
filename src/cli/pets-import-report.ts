/** What `petstore pets import` tells: bad rows by line as they turn up, how far it is, and how it ended. */

import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { printable } from '../lib/log.ts'
import type { Terminal } from './command.ts'
import { createProgress } from './progress.ts'

export type ImportReport = ReturnType<typeof createImportReport>

/** How many bad rows a terminal shows; a file or a pipe gets all of them. */
const shownOnTerminal = 20

/** With `isJson`, one document at the end: `{imported, skipped, errors: [{line, message}]}`. */
export function createImportReport(terminal: Terminal, clock: Pick<Clock, 'monotonic'>, isJson: boolean) {
  const bar = createProgress(terminal, clock)
  const most = terminal.errColumns === undefined ? Number.POSITIVE_INFINITY : shownOnTerminal
  const errors: { readonly line: number; readonly message: string }[] = []
  let bad = 0
  let unwritten = ''

  function write(): void {
    if (unwritten === '') return
    bar.clear()
    terminal.err(unwritten)
    unwritten = ''
  }

  function end(imported: number): void {
    write()
    bar.clear()
    if (isJson) terminal.out(`${JSON.stringify({ imported, skipped: bad, errors })}\n`)
    else if (bad > most) terminal.err(`… and ${number(bad - most)} more; with --json, or 2> FILE, you see them all\n`)
  }

  return {
    badRow(line: number, message: string, isFatal: boolean): void {
      if (isJson) errors.push({ line, message })
      if (isFatal) return
      bad++
      if (!isJson && bad <= most) unwritten += `line ${line}: ${printable(message)}\n`
    },
    /** `share` of the file, from 0 to 1, if that is known. */
    progress(rows: number, share: number | undefined): void {
      write()
      bar.update(plural(rows, 'row'), share)
    },
    succeed(imported: number): void {
      end(imported)
      const skipped = bad > 0 ? `, skipped ${plural(bad, 'row')}` : ''
      if (!isJson) terminal.out(`Imported ${plural(imported, 'animal')}${skipped}.\n`)
    },
    /** A failure that no row is to blame for goes with line 0. */
    fail(error: unknown): void {
      bar.clear()
      if (!(error instanceof AppError)) return
      if (error.code !== 'invalid_body') errors.push({ line: 0, message: error.message })
      end(0)
    },
  }
}

function plural(count: number, thing: string): string {
  return `${number(count)} ${thing}${count === 1 ? '' : 's'}`
}

function number(count: number): string {
  return count.toLocaleString('en')
}
