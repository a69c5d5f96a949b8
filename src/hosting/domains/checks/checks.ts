/** Runs the checks of a server: those that somebody requests, and those that are due. */

import type { Announcements } from '../../../database/announcements.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Job } from '../../../lib/scheduler.ts'
import type { DueCheck } from '../store.ts'
import type { CheckSlots } from './queue.ts'
import { farthestMs } from './schedule.ts'
import type { Outcome } from './settle.ts'
import { type Check, type CheckParts, type CheckRun, startCheck, yieldingHolder } from './verify.ts'

export interface RunnerParts extends CheckParts {
  readonly announcements: Pick<Announcements, 'subscribe'>
  readonly clock: Clock
  readonly slots: CheckSlots
  readonly log: Log
}

/** The most checks that the service makes by itself at the same time. */
const maximumParallel = 50
/**
 * The most domains that one run of the job looks at, which takes about half a millisecond. The next run continues behind
 * them, so that the many domains of one account, which are checked one at a time, do not hold up those of others.
 */
const domainsPerRun = 100
const theBeginning = { dueAt: Number.MIN_SAFE_INTEGER, id: 0 }
/** The pause before a domain is checked again whose result could not be stored. */
const failurePauseMs = 60_000
/**
 * The pause between two checks that the service makes by itself, in milliseconds. Nobody waits for them, and with one a
 * second they delay fewer than a hundredth of the requests.
 */
const duePauseMs = 1_000
/** The longest time without a look at the domains, in milliseconds: the system's clock may be set. */
const longestIdleMs = 10_000

export function createCheckRunner(parts: RunnerParts) {
  const { domains, announcements, slots, clock, log } = parts
  const controller = new AbortController()
  const running = new Map<number, Check>()
  const all = new Set<Promise<unknown>>()
  /** Domains whose result could not be stored, with the monotonic time at which they are tried again. */
  const failed = new Map<number, number>()
  const counts: Record<Outcome, number> = { proven: 0, failed: 0, unknown: 0, taken: 0, gone: 0 }

  function track(id: number, isRequested: boolean, query: CheckRun['query']): Check {
    const follow = (stored: Promise<Outcome>) => stored.then(succeeded, fail)
    const check = startCheck(parts, id, controller.signal, isRequested, { query, follow })
    running.set(id, check)
    all.add(check.stored)
    return check

    function succeeded(outcome: Outcome): Outcome {
      end()
      failed.delete(id)
      counts[outcome]++
      return outcome
    }

    function fail(error: unknown): never {
      end()
      failed.set(id, clock.monotonic() + failurePauseMs)
      throw error
    }

    function end(): void {
      all.delete(check.stored)
      if (running.get(id) === check) running.delete(id)
    }
  }

  function isPaused(id: number): boolean {
    const untilMs = failed.get(id)
    if (untilMs !== undefined && untilMs <= clock.monotonic()) failed.delete(id)
    return failed.has(id)
  }

  let last: Pick<DueCheck, 'dueAt' | 'id'> = theBeginning

  /** Starts the check if it may run now; returns whether it did. */
  function start({ id, accountId }: DueCheck): boolean {
    if (running.has(id) || isPaused(id) || !slots.mayStart(accountId)) return false
    track(id, false, (work) => slots.automatic(accountId, work)).stored.catch((error: unknown) => {
      log.warn('the check of a domain could not be stored; it is made again in a minute', { domain: id, error })
    })
    return true
  }

  /** How long no check is due; undefined if one is. */
  function untilNextMs(nowMs: number): number | undefined {
    const next = domains.due(Number.MAX_SAFE_INTEGER, theBeginning, 1)[0]?.dueAt ?? Number.POSITIVE_INFINITY
    return next <= nowMs ? undefined : Math.min(next - nowMs, longestIdleMs)
  }

  let idleMs: number | undefined

  const job: Job = {
    name: 'check domains',
    everyMs: duePauseMs,
    idleMs: () => idleMs,
    wokenBy: (wake) => void announcements.subscribe(['domains'], wake),
    run() {
      idleMs = undefined
      if (running.size >= maximumParallel) return
      const nowMs = clock.now()
      const due = domains.due(nowMs, last, domainsPerRun)
      last = due.length < domainsPerRun ? theBeginning : (due.at(-1) ?? theBeginning)
      if (due.some(start) || domains.plannedBeyond(nowMs + farthestMs, domainsPerRun).some(start)) return
      if (due.length === 0) idleMs = untilNextMs(nowMs)
    },
  }

  return {
    job,
    counts,
    /** How many checks are running or waiting. */
    inProgress: () => running.size,
    /**
     * Checks a domain now, for an account that requests it; joins a check of it that is running. Throws
     * `rate_limit_exceeded` beyond ten a minute.
     */
    check(id: number, accountId: number): Check {
      const known = running.get(id)
      if (!known || known.isSettling()) return track(id, true, (work) => slots.manual(accountId, work))
      known.isRequested = true
      return known
    },
    /** Checks at once whether the holder of a name yields it; counts as a check of the requesting account. */
    async yieldingHolder(hostname: string, accountId: number): Promise<number | undefined | 'taken'> {
      if (!domains.holderOf(hostname)) return undefined
      const check = slots.manual(accountId, () => yieldingHolder(parts, hostname, controller.signal))
      all.add(check)
      return await check.finally(() => all.delete(check))
    },
    /** Aborts the checks in progress, which then store nothing, and waits for them. */
    async close(): Promise<void> {
      controller.abort()
      await Promise.allSettled(all)
    },
  }
}
export type CheckRunner = ReturnType<typeof createCheckRunner>
