/**
 * Checks names in a process of its own, so that requests do not wait for checks (decision 31). The process is started for the
 * first check and ends some seconds after the last one. If it crashes, hangs or is killed, the checks in progress have the
 * verdict `unknown`, which takes nothing from a domain.
 */

import type { Clock } from '../../lib/clock.ts'
import type { Diagnosis } from '../report.ts'
import type { CheckOptions, CheckRequest } from '../request.ts'
import { type CheckerOptions, type CheckerProcess, startProcess } from './child.ts'

/** Checks a name. Never rejects because of the behaviour of a server. */
export type DomainCheck = (request: CheckRequest, options: CheckOptions) => Promise<Diagnosis>

export interface Checker {
  readonly check: DomainCheck
  /** Ends the process; checks in progress are `unknown`. */
  close(): Promise<void>
}

/** How long the process stays after its last check, in milliseconds. */
export const idleMs = 10_000

/** Checks a name in this process. */
export const checkHere: DomainCheck = async (request, options) => {
  const { checkDomain } = await import('../check.ts')
  return await checkDomain(request, options)
}

export function createChecker(options: CheckerOptions): Checker {
  const { clock, log } = options
  let current: CheckerProcess | undefined
  let isClosed = false
  let cancelIdle = () => {}
  let inProgress = 0

  function open(): CheckerProcess | undefined {
    if (current?.isOpen()) return current
    try {
      current = startProcess(options)
    } catch (error) {
      log.warn('the process that checks domains could not be started: the server checks them itself', { error })
      current = undefined
    }
    return current
  }

  async function end(): Promise<void> {
    const ended = current?.end()
    current = undefined
    await ended
  }

  async function send(request: CheckRequest, checkOptions: CheckOptions): Promise<Diagnosis> {
    const opened = open()
    const isReady =
      opened !== undefined && (opened.isReady() || (await unlessAborted(opened.ready, checkOptions.signal)))
    if (isClosed || checkOptions.signal?.aborted) return interrupted(request, clock)
    if (!opened || !isReady) return await checkHere(request, checkOptions)
    return (await opened.check(request, checkOptions)) ?? interrupted(request, clock)
  }

  return {
    async check(request, checkOptions) {
      if (isClosed || checkOptions.signal?.aborted) return interrupted(request, clock)
      cancelIdle()
      inProgress++
      try {
        return await send(request, checkOptions)
      } finally {
        inProgress--
        cancelIdle()
        if (inProgress === 0) cancelIdle = clock.after(idleMs, () => void end())
      }
    },
    async close() {
      isClosed = true
      cancelIdle()
      await end()
    },
  }
}

/** Resolves to the result of `promise`, or to undefined once `signal` is aborted. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  const aborted = Promise.withResolvers<undefined>()
  const abort = () => aborted.resolve(undefined)
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  return await Promise.race([promise, aborted.promise]).finally(() => signal?.removeEventListener('abort', abort))
}

/** The verdict of a check that had no end. */
function interrupted({ hostname }: CheckRequest, clock: Pick<Clock, 'now'>): Diagnosis {
  return {
    hostname,
    unicodeHostname: hostname,
    checkedAt: new Date(clock.now()).toISOString(),
    elapsedMs: 0,
    queries: 0,
    complete: false,
    zone: null,
    isApex: null,
    nameservers: [],
    routing: 'unknown',
    routedBy: null,
    ownership: 'unknown',
    caa: 'unknown',
    findings: [
      {
        code: 'dns_timeout',
        severity: 'warning',
        name: hostname,
        type: null,
        expected: [],
        observed: [],
        message: `The check of ${hostname} was interrupted before the servers had responded.`,
        fix: 'There is nothing to change: the service checks the name again by itself. Verify the domain to check it at once.',
        expiresAt: null,
      },
    ],
  }
}
