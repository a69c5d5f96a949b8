/**
 * What a command is, and the terminal that it writes to. Results go to `out`, diagnostics to `err`; with
 * `--json` a command prints one JSON document and nothing else on `out`.
 */

import type { OptionSpecs } from '../config/options.ts'
import type { EnvironmentVariables } from '../config/read.ts'
import type { OptionValues } from '../config/values.ts'
import type { ProcessUsage } from '../metrics/collect.ts'

export interface Terminal {
  out(text: string): void
  /** Like `out` for long output: resolves when the reader has taken it, and never if that is gone. */
  write(text: string): Promise<void>
  /** Returns false if the text was dropped, because too much waits for a reader that doesn't read. */
  err(text: string): unknown
  /** Columns of the terminal that results go to; undefined if they go to a file or pipe. */
  readonly outColumns: number | undefined
  /** Whether results may be coloured. */
  readonly colours: boolean
  /** Columns of the terminal that diagnostics go to; undefined if they go to a file or pipe. */
  readonly errColumns: number | undefined
  readonly input: () => ReadableStream<Uint8Array>
  readonly pid: number
  readonly usage: () => ProcessUsage
  /**
   * For a service: runs `stop` at the first request to end (SIGTERM, SIGINT); a second one ends at once. From here on,
   * output that nobody can read any more is dropped and does not end the process.
   */
  onStop(stop: () => void): void
}

export interface Invocation {
  readonly values: OptionValues
  readonly positionals: readonly string[]
  readonly terminal: Terminal
  readonly variables: EnvironmentVariables
}

/**
 * One declaration for a command: what runs it, `petstore help` and the completions are all made from it.
 */
export interface Command {
  /** One or two words. */
  readonly name: string
  /** One line for the list of commands: begins with a verb in lower case, has no full stop. */
  readonly summary: string
  /** Further sentences for the command's own help. */
  readonly details?: string
  /** The operands as the help shows them, such as `FILE|-`. */
  readonly operands?: string
  /** The least and the most operands. */
  readonly arity?: readonly [number, number]
  /** What completions offer for the operands: these words, or paths. */
  readonly completes?: 'file' | 'directory' | readonly string[]
  /** Its own options, beside those of every command. */
  readonly options?: OptionSpecs
  /** At least two command lines for the help, without `petstore`. */
  readonly examples: readonly [string, string, ...string[]]
  /** Whether the command changes the store: it is then said which one that was, unless it is the usual one. */
  readonly changesStore?: boolean
  /** Resolves to the exit code; throws `UsageError` for 2, anything else for 1. */
  run(invocation: Invocation): Promise<number> | number
}
