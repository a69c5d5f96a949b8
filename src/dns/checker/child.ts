/** The process that checks names: its start, the messages to and from it, and its end. */

import { setPriority } from 'node:os'
import type { EnvironmentVariables } from '../../config/read.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Diagnosis } from '../report.ts'
import type { CheckOptions, CheckRequest } from '../request.ts'
import { defaultLimits } from '../wire/budget.ts'
import {
  type CheckerReply,
  type CheckerRequest,
  checkerCommand,
  lineOf,
  messagesOf,
  messageVersion,
} from './messages.ts'
import { compilation, niceness } from './scheduling.ts'

export interface CheckerOptions {
  /** The command line that runs petstore. */
  readonly self: readonly string[]
  /** The environment variables of this process. */
  readonly variables: EnvironmentVariables
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

/** How long a start may take, in milliseconds. */
const startMs = 10_000
/** How much longer than its own limit a check may take before the process is ended, in milliseconds. */
const graceMs = 5_000
const longestMessage = 1_000

export type CheckerProcess = ReturnType<typeof startProcess>

/** Throws if the system can't start a process. */
export function startProcess({ self, variables, clock, log }: CheckerOptions) {
  const child = Bun.spawn([...self, ...checkerCommand.split(' '), messageVersion], {
    // The directory in which the server was started may be gone.
    cwd: '/',
    env: { ...variables, ...compilation },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const errors = new Response(child.stderr).text()
  const pending = new Map<number, (diagnosis: Diagnosis | undefined) => void>()
  const ready = Promise.withResolvers<boolean>()
  let lastId = 0
  let isEnding = false
  let isReady = false
  lowerPriority(child.pid)
  const cancelStart = clock.after(startMs, () => kill('did not start in time'))
  const over = follow()

  function kill(reason: string): void {
    log.warn(`the process that checks domains ${reason}: it is ended, and started again for the next check`)
    isEnding = true
    child.kill('SIGKILL')
  }

  async function follow(): Promise<void> {
    try {
      for await (const message of messagesOf<CheckerReply>(child.stdout)) receive(message)
    } catch (error) {
      if (!isEnding) kill(`wrote something unexpected (${String(error).slice(0, longestMessage)})`)
    }
    await child.exited
    await reportEnd()
    isEnding = true
    cancelStart()
    ready.resolve(false)
    for (const settle of [...pending.values()]) settle(undefined)
  }

  async function reportEnd(): Promise<void> {
    if (isEnding) return
    const { exitCode: code, signalCode: signal } = child
    const output = (await errors).trim().slice(-longestMessage)
    if (isReady) log.warn('the process that checks domains ended: its checks are made again', { code, signal, output })
    else log.warn('the process that checks domains did not start: the server checks them itself', { code, output })
  }

  function receive(message: CheckerReply): void {
    if ('ready' in message) {
      cancelStart()
      isReady = true
      ready.resolve(true)
    } else if ('diagnosis' in message) pending.get(message.id)?.(message.diagnosis)
    else {
      log.warn('the check of a domain failed unexpectedly', { error: message.error })
      pending.get(message.id)?.(undefined)
    }
  }

  function write(message: CheckerRequest): void {
    try {
      child.stdin.write(lineOf(message))
      // A process that has just ended can't read it; `follow` notices that.
      void Promise.resolve(child.stdin.flush()).catch(() => {})
    } catch {}
  }

  return {
    /** Resolves to false if the process ends without having begun. */
    ready: ready.promise,
    /** Whether it has begun: `ready` is resolved. */
    isReady: () => isReady,
    isOpen: () => !isEnding && child.exitCode === null && child.signalCode === null,
    /** Undefined if there is no result: the process has ended, or the check was aborted. */
    check(request: CheckRequest, options: CheckOptions): Promise<Diagnosis | undefined> {
      const { resolvers, allowPrivateAddresses = false, limits = {}, signal } = options
      const { promise, resolve } = Promise.withResolvers<Diagnosis | undefined>()
      if (isEnding || signal?.aborted) return Promise.resolve(undefined)
      const id = ++lastId
      const longestMs = (limits.totalMs ?? defaultLimits.totalMs) + graceMs
      const cancelTimeout = clock.after(longestMs, () => kill('does not respond'))
      const abort = () => {
        write({ id, cancel: true })
        settle(undefined)
      }
      const settle = (diagnosis: Diagnosis | undefined) => {
        pending.delete(id)
        cancelTimeout()
        signal?.removeEventListener('abort', abort)
        resolve(diagnosis)
      }
      pending.set(id, settle)
      signal?.addEventListener('abort', abort)
      write({ id, check: request, options: { resolvers, allowPrivateAddresses, limits } })
      return promise
    },
    async end(): Promise<void> {
      isEnding = true
      void Promise.resolve(child.stdin.end()).catch(() => {})
      const cancel = clock.after(graceMs, () => child.kill('SIGKILL'))
      await over
      cancel()
    },
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // It has ended already.
  }
}
