/**
 * What a command is, and the terminal it talks to. Results go to `out`, diagnostics to `err`; with
 * `--json` a command prints one JSON document and nothing else on `out`.
 */

import type { EnvironmentVariables, OptionSpecs, OptionValues } from '../config.ts'
import { printable } from '../lib/log.ts'

export interface Terminal {
  out(text: string): void
  /** The same for long output: resolves when the reader has taken it, and never if that is gone. */
  write(text: string): Promise<void>
  err(text: string): void
  /** Columns of the terminal that diagnostics go to; undefined if they go to a file or pipe. */
  readonly errColumns: number | undefined
  readonly input: () => ReadableStream<Uint8Array>
  readonly pid: number
  /** Runs `stop` at the first request to end (SIGTERM, SIGINT); a second one ends at once. */
  onStop(stop: () => void): void
}

export interface Invocation {
  readonly values: OptionValues
  readonly positionals: readonly string[]
  readonly terminal: Terminal
  readonly variables: EnvironmentVariables
}

export interface Command {
  /** One or two words. */
  readonly name: string
  readonly summary: string
  /** What stands behind the name, as in `FILE|-`. */
  readonly operands?: string
  readonly options?: OptionSpecs
  /** The least and the most operands. */
  readonly arity?: readonly [number, number]
  /** Resolves to the exit code; throws `UsageError` for 2, anything else for 1. */
  run(invocation: Invocation): Promise<number> | number
}

/** Lines of columns as wide as their widest cell, the last one as it comes. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable))
  const widths = (cells[0] ?? []).map((_, i) => Math.max(...cells.map((row) => Bun.stringWidth(row[i] ?? ''))))
  return cells
    .map((row) => {
      const line = row.map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - Bun.stringWidth(cell))))
      return `${line.join('  ').trimEnd()}\n`
    })
    .join('')
}
