/**
 * Runs work that would block the event loop in a separate process, which is the same executable. The process reads its
 * input from standard input and prints its outcome, each as one JSON document. It prints line breaks before the outcome
 * to show progress, and is killed if it shows none for too long.
 */

import { readFileSync } from 'node:fs'
import { byteSize } from './byte-size.ts'
import type { Cancel, Clock } from './clock.ts'
import { AppError, type AppErrorOptions } from './error.ts'
import { systemReason } from './system-error.ts'

/** The first argument of the command line of such a process, before the name of its task. */
export const taskArgument = 'task'

/**
 * Functions by name that subprocesses run, with an input and a result that JSON can hold. They call `progress` while
 * they work.
 */
export type Tasks = Readonly<Record<string, (input: never, progress: () => void) => unknown>>

/**
 * Lets a process work only while no other one wants the processor, which on a busy machine takes minutes: with a lower
 * priority it still delays requests by milliseconds while it starts and ends. To be called just after the start.
 * https://man7.org/linux/man-pages/man7/sched.7.html
 */
export function giveWay(pid: number): void {
  try {
    const idle = ['chrt', '--all-tasks', '--idle', '--pid', '0', String(pid)]
    Bun.spawn(idle, { stdio: ['ignore', 'ignore', 'ignore'] }).unref()
  } catch {
    // Without this program the process runs with the usual priority.
  }
}

export interface RunOptions {
  /** By default 30 minutes. */
  readonly silentMs?: number | undefined
  /** The most memory that the process may use, in bytes, checked about every 0.2 s; by default as much as there is. */
  readonly memoryBytes?: number | undefined
  /** Whether nobody waits for the result, so that the process gives way to others. Not by default. */
  readonly inBackground?: boolean | undefined
}

export interface Subprocesses {
  /**
   * Runs a task and returns its result. Throws the `AppError` of the task, or `SubprocessEnded` if the process has
   * ended otherwise, could not be started, has made no progress for `silentMs`, or has used more than `memoryBytes`.
   */
  run<T>(task: string, input: object, options?: RunOptions): Promise<T>
  /** Ends the processes that are running. */
  stop(): Promise<void>
}

/**
 * A process that has ended without an outcome, or could not be started. The message is the reason, as text that follows
 * a colon.
 */
export class SubprocessEnded extends Error {
  override readonly name = 'SubprocessEnded'

  /** Whether it has ended by itself. Otherwise the machine is at fault, and its input may be right. */
  readonly hasFailed: boolean

  constructor(reason: string, hasFailed = false) {
    super(reason)
    this.hasFailed = hasFailed
  }
}

type Outcome<T> =
  | { readonly result: T; readonly error?: undefined }
  | { readonly error: Pick<AppErrorOptions, 'retryAfterSeconds'> & Pick<AppError, 'code' | 'message'> }

/** How long a process may work without progress, in milliseconds. */
const longestSilenceMs = 1_800_000

/** The time between two checks of the memory of a process, in milliseconds. */
const memoryStepMs = 200

/** The shortest time between two signs of progress, in milliseconds. */
const signStepMs = 1_000

/** `self` is the command line that runs petstore; undefined if the process is another program, such as a test. */
export function createSubprocesses(
  self: readonly string[] | undefined,
  clock: Pick<Clock, 'after'>,
  givesWay = true,
): Subprocesses {
  const running = new Set<Bun.Subprocess>()

  function start(task: string, input: object) {
    if (self === undefined) throw new SubprocessEnded('this program is not petstore')
    try {
      const child = Bun.spawn([...self, taskArgument, task], {
        // The directory in which this process was started may be gone.
        cwd: '/',
        stdin: new Blob([JSON.stringify(input)]),
        stdout: 'pipe',
        stderr: 'pipe',
      })
      return child
    } catch (error) {
      throw new SubprocessEnded(`${self[0]} can't be started: ${systemReason(error)}`)
    }
  }

  return {
    async run<T>(task: string, input: object, options: RunOptions = {}): Promise<T> {
      const { silentMs = longestSilenceMs, memoryBytes, inBackground = false } = options
      const child = start(task, input)
      if (inBackground && givesWay) giveWay(child.pid)
      running.add(child)
      let cancel: Cancel = () => {}
      let cancelCheck: Cancel = () => {}
      let reason: string | undefined
      const end = (because: string) => {
        reason = because
        child.kill('SIGKILL')
      }
      const expectSign = () => {
        cancel()
        cancel = clock.after(silentMs, () => end(`it made no progress for ${durationText(silentMs)}`))
      }
      const checkMemory = (most: number) => {
        if (memoryOf(child.pid) > most) end(`it needed more than ${byteSize(most)} of memory`)
        else cancelCheck = clock.after(memoryStepMs, () => checkMemory(most))
      }
      if (memoryBytes !== undefined) checkMemory(memoryBytes)
      expectSign()
      try {
        const [out, err, code] = await Promise.all([
          readOutcome(child.stdout, expectSign),
          new Response(child.stderr).text(),
          child.exited,
        ])
        if (reason !== undefined) throw new SubprocessEnded(reason)
        // The system kills a process if there is too little memory.
        const isKilled = child.signalCode === 'SIGKILL'
        if (code !== 0 || out === '') throw new SubprocessEnded(reasonOf(err, child.signalCode), !isKilled)
        const outcome = JSON.parse(out) as Outcome<T>
        if (outcome.error) throw new AppError(outcome.error.code, outcome.error.message, outcome.error)
        return outcome.result
      } finally {
        cancel()
        cancelCheck()
        running.delete(child)
      }
    },
    async stop() {
      for (const child of running) child.kill()
      await Promise.allSettled([...running].map((child) => child.exited))
    },
  }
}

/** The outcome without the signs of progress before it, for each of which `onSign` is called. */
async function readOutcome(output: ReadableStream<Uint8Array>, onSign: () => void): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of output) {
    onSign()
    text = (text + decoder.decode(chunk, { stream: true })).trimStart()
  }
  return text
}

/** The memory of a process in bytes; 0 if the system does not say, or the process has ended. */
function memoryOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}

const durationText = (ms: number) => (ms < 60_000 ? `${ms / 1_000} seconds` : `${ms / 60_000} minutes`)

function reasonOf(err: string, signal: Bun.Subprocess['signalCode']): string {
  const line = /^petstore: (?:It failed: )?(.*)$/m.exec(err)?.[1] ?? err.trimEnd().split('\n').at(-1)
  if (line) return line.replace(/\.$/, '')
  return signal === null ? 'the process printed nothing' : `the process was ended by ${signal}`
}

/** The input, output and clock of a process that performs a task. */
export interface TaskSurroundings {
  readonly input: ReadableStream<Uint8Array>
  /** Ends the process if its parent is gone. */
  readonly out: (text: string) => Promise<void>
  readonly clock: Pick<Clock, 'monotonic'>
}

/** Runs a task in this process and prints its outcome. Throws what the task throws, except an `AppError`. */
export async function performTask(tasks: Tasks, name: string, { input, out, clock }: TaskSurroundings): Promise<void> {
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined
  if (task === undefined) throw new Error(`There is no task ${name}.`)
  let signMs = Number.NEGATIVE_INFINITY
  const progress = () => {
    if (clock.monotonic() - signMs < signStepMs) return
    signMs = clock.monotonic()
    void out('\n')
  }
  try {
    const result = await task((await new Response(input).json()) as never, progress)
    await out(JSON.stringify({ result }))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, retryAfterSeconds } = error
    await out(JSON.stringify({ error: { code, message, retryAfterSeconds } }))
  }
}
