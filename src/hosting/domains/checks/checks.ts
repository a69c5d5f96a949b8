/** The checks of a server: those that somebody requests, and those that are due. */

import type { Announcements } from '../../../database/announcements.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Job } from '../../../lib/scheduler.ts'
import type { DomainSummary, DueCheck } from '../store.ts'
import { type CheckParts, checkClaim, type JoinableCheck, yieldingHolder } from './check-claim.ts'
import { createCheckQueue } from './queue.ts'
import { farthestMs } from './schedule.ts'
import type { Outcome } from './settle.ts'

interface Check extends JoinableCheck {
  isRequested: boolean
  readonly outcome: Promise<Outcome>
}

/**
 * The longest time for which a request waits for a check, in milliseconds; connections that are idle longer are closed.
 */
const requestWaitMs = 25_000
/** The pause between two looks at the domains whose check is due, in milliseconds. */
const lookEveryMs = 1_000
/** The longest time without a look at the domains, in milliseconds: the system's clock may be set. */
const longestIdleMs = 10_000
/**
 * The most domains that one run of the job looks at, which takes about half a millisecond. The next run continues
 * behind them, so that the many domains of one account, which are checked one at a time, do not hold up those of
 * others.
 */
const domainsPerRun = 100
const theBeginning = { dueAt: Number.MIN_SAFE_INTEGER, id: 0 }
/** The pause before a domain is checked again whose result could not be stored. */
const failurePauseMs = 60_000

export function createDomainChecks(
  parts: CheckParts & {
    readonly announcements: Pick<Announcements, 'subscribe'>
    readonly clock: Clock
    readonly log: Log
    /** The certificate of a proven name is tried again; `findings` has the codes of those of the check. */
    readonly retryCertificate?: ((hostname: string, findings: readonly string[]) => Promise<void>) | undefined
  },
) {
  const { domains, announcements, clock, log, retryCertificate } = parts
  const queue = createCheckQueue(clock)
  const controller = new AbortController()
  const { signal } = controller
  /** The checks that wait or run and whose result is not being stored yet, by the id of the domain. */
  const joinable = new Map<number, Check>()
  const inProgress = new Set<Promise<unknown>>()
  /** Domains whose result could not be stored, with the monotonic time at which they are tried again. */
  const failed = new Map<number, number>()
  const counts: Record<Outcome, number> = { proven: 0, failed: 0, unknown: 0, taken: 0, gone: 0 }

  /** Joins a check of the domain that is waiting or running, or begins one. Resolves when the result is stored. */
  function joinOrBegin(id: number, accountId: number): Promise<Outcome> {
    const known = joinable.get(id)
    if (!known) return begin(id, accountId, true).outcome
    known.isRequested = true
    return known.outcome
  }

  /** Throws `rate_limit_exceeded` if an account requests more than ten a minute. */
  function begin(id: number, accountId: number, isRequested: boolean): Check {
    const runInTurn = isRequested ? queue.requested : queue.due
    const stored = runInTurn(accountId, () => checkClaim(parts, id, signal, check))
    const check: Check = {
      isRequested,
      outcome: recorded(id, stored).finally(() => {
        check.close()
        inProgress.delete(check.outcome)
      }),
      close() {
        // A later check of the domain may have taken its place.
        if (joinable.get(id) === check) joinable.delete(id)
      },
    }
    joinable.set(id, check)
    inProgress.add(check.outcome)
    return check
  }

  /** Counts the outcome of a check; pauses the checks of the domain if it could not be stored. */
  async function recorded(id: number, stored: Promise<Outcome>): Promise<Outcome> {
    try {
      const outcome = await stored
      failed.delete(id)
      counts[outcome]++
      return outcome
    } catch (error) {
      failed.set(id, clock.monotonic() + failurePauseMs)
      throw error
    }
  }

  function isPaused(id: number): boolean {
    const untilMs = failed.get(id)
    if (untilMs !== undefined && untilMs <= clock.monotonic()) failed.delete(id)
    return failed.has(id)
  }

  /** Begins the check of a domain that is due if it may run now. */
  function beginDue({ id, accountId }: DueCheck): void {
    if (joinable.has(id) || isPaused(id) || !queue.mayBegin(accountId)) return
    begin(id, accountId, false).outcome.catch((error: unknown) => {
      log.warn('the check of a domain failed; it is made again in a minute', { domain: id, error })
    })
  }

  let last: Pick<DueCheck, 'dueAt' | 'id'> = theBeginning
  let idleMs: number | undefined

  /** How long no check is due; undefined if one is. */
  function untilNextMs(nowMs: number): number | undefined {
    const next = domains.due(Number.MAX_SAFE_INTEGER, theBeginning, 1)[0]?.dueAt ?? Number.POSITIVE_INFINITY
    return next <= nowMs ? undefined : Math.min(next - nowMs, longestIdleMs)
  }

  const job: Job = {
    name: 'check domains',
    everyMs: lookEveryMs,
    idleMs: () => idleMs,
    wokenBy: (wake) => void announcements.subscribe(['domains'], wake),
    run() {
      idleMs = undefined
      if (queue.isFull()) return
      const nowMs = clock.now()
      const due = domains.due(nowMs, last, domainsPerRun)
      last = due.length < domainsPerRun ? theBeginning : (due.at(-1) ?? theBeginning)
      for (const domain of due) beginDue(domain)
      for (const domain of domains.plannedBeyond(nowMs + farthestMs, domainsPerRun)) beginDue(domain)
      if (due.length === 0) idleMs = untilNextMs(nowMs)
    },
  }

  return {
    job,
    counts,
    /** How many checks are running or waiting. */
    inProgress: () => inProgress.size,
    /**
     * Checks a domain for an account that requests it; the result is in the row of the domain afterwards. `running`: 25
     * seconds have passed, and the check goes on. Throws `rate_limit_exceeded` beyond ten a minute.
     */
    async verify(
      { id, hostname }: Pick<DomainSummary, 'id' | 'hostname'>,
      accountId: number,
    ): Promise<Outcome | 'running'> {
      const check = joinOrBegin(id, accountId)
      const timeout = Promise.withResolvers<'running'>()
      const cancel = clock.after(requestWaitMs, () => timeout.resolve('running'))
      const outcome = await Promise.race([check, timeout.promise]).finally(cancel)
      // Before the response, which shows that the certificate is tried again.
      if (outcome === 'proven') {
        const { findings = [] } = domains.findById(id) ?? {}
        await retryCertificate?.(
          hostname,
          findings.map(({ code }) => code),
        )
      }
      return outcome
    },
    /** Checks whether the holder of a name yields it; counts as a check of the requesting account. */
    async yieldingHolder(hostname: string, accountId: number): Promise<number | undefined | 'taken'> {
      if (!domains.holderOf(hostname)) return undefined
      const check = queue.requested(accountId, () => yieldingHolder(parts, hostname, signal))
      inProgress.add(check)
      return await check.finally(() => inProgress.delete(check))
    },
    /** Aborts the checks in progress, which then store nothing, and waits for them. */
    async close(): Promise<void> {
      controller.abort()
      await Promise.allSettled(inProgress)
    },
  }
}
