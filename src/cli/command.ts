/**
 * The declaration of a command, and the terminal that it writes to. A command writes its result to `out` and
 * diagnostics to `err`; with `--json` it prints one JSON document and nothing else on `out`.
 */

import { commonOptions, type OptionSpec, type OptionSpecs, remoteOptions } from '../config/options.ts'
import type { EnvironmentVariables } from '../config/read.ts'
import type { OptionValues } from '../config/values.ts'
import type { ProcessUsage } from '../operate/metrics/collect.ts'
import type { RemoteStore } from './client/remote.ts'

export interface Terminal {
  /** Ends the process with 1 if the text can't be written; a reader that has closed the pipe is no error. */
  out(text: string): void
  /**
   * Like `out` for long output: resolves when the text was written, and ends the process if the reader has closed the
   * pipe.
   */
  write(text: string): Promise<void>
  /** Like `write` for a text that is shown only once: rejects if it can't be written. */
  deliver(text: string): Promise<void>
  /** Whether `out` is the null device, as it is where stdout is closed. */
  readonly isNull: () => boolean
  /** Returns false if the text was dropped because the reader is too slow. */
  err(text: string): unknown
  /** The width of the terminal on `out`; undefined if `out` is a file or pipe. */
  readonly outColumns: number | undefined
  /** Whether results may be coloured. */
  readonly colours: boolean
  /** The width of the terminal on `err`; undefined if `err` is a file or pipe. */
  readonly errColumns: number | undefined
  readonly input: () => ReadableStream<Uint8Array>
  /** The first line of the input, which a terminal does not show; prints the question if there is one. */
  askSecret(question: string): Promise<string>
  /** The first line of the input; prints the question if that is a terminal. Empty if there is no input. */
  ask(question: string): Promise<string>
  /** Whether the process runs as root. */
  readonly isRoot: boolean
  readonly pid: number
  /** The command line that runs petstore, without its arguments; undefined where there is none, as in tests. */
  readonly self?: readonly string[]
  /** The absolute path of the executable; undefined where petstore runs from its source. */
  readonly executable?: string | undefined
  readonly usage: () => ProcessUsage
  /**
   * Calls `stop` on the first SIGTERM, SIGINT or SIGHUP; a second SIGTERM or SIGINT calls `abort` and ends the process
   * at once. A process that was started with SIGHUP ignored keeps ignoring it. SIGUSR1 and SIGUSR2 are ignored from
   * then on.
   */
  onStop(stop: (signal: string) => void, abort?: () => void): void
  /**
   * Calls `stop` when the parent process is gone, or the pipe on the standard input ends; resolves when it does so. A
   * pipe that has ended before is ignored.
   */
  onParentGone(stop: () => void): Promise<void>
}

export interface Invocation {
  readonly values: OptionValues
  readonly positionals: readonly string[]
  readonly terminal: Terminal
  readonly variables: EnvironmentVariables
  /** The store on another machine that the command works on; undefined for one on this machine. */
  readonly remote: RemoteStore | undefined
}

/** One declaration for a command: its execution, `petstore help` and completion all use it. */
export interface Command {
  /** One to three words. */
  readonly name: string
  /** One line for the list of commands: begins with a verb in lower case, has no full stop. */
  readonly summary: string
  /** Further sentences for the command's own help. */
  readonly details?: string
  /** The operands as the help shows them, such as `FILE|-`. */
  readonly operands?: string
  /** The minimum and maximum number of operands; none by default. */
  readonly arity?: readonly [number, number]
  /** Completions of the operands: these words, or paths. */
  readonly completes?: 'file' | 'directory' | readonly string[]
  /** Options of this command, in addition to the common ones. */
  readonly options?: OptionSpecs
  /** At least two command lines for the help, without `petstore`. */
  readonly examples: readonly [string, string, ...string[]]
  /** Whether the command changes the store. The path of the store is then printed, unless it is the default. */
  readonly changesStore?: boolean
  /** Whether the command needs the files of the store, or works on no store: it then has no `--url`. */
  readonly isLocal?: boolean
  /** Whether the command works on no store. */
  readonly hasNoStore?: boolean
  /** Returns the exit code. A thrown `UsageError` means exit code 2, any other error 1. */
  run(invocation: Invocation): Promise<number> | number
}

/** The options that this command shares with others. */
export function sharedOptions({ isLocal = false }: Pick<Command, 'isLocal'>): OptionSpecs {
  return isLocal ? commonOptions : { ...commonOptions, ...remoteOptions }
}

/** Every option of a command that a command line may have, by name without its dashes. */
export function optionsOf(command: Pick<Command, 'options' | 'isLocal'>): (readonly [string, OptionSpec])[] {
  const all = Object.entries<OptionSpec>({ ...command.options, ...sharedOptions(command) })
  return all.filter(([, spec]) => !spec.isVariableOnly)
}
