/** The limits on checks: one at a time and ten a minute for an account, and a number of them for all accounts together. */

import type { Clock } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/error.ts'

/** The most checks that an account may request in any 60 seconds. */
export const checksPerMinute = 10

const windowMs = 60_000

/** The most checks that run at the same time: each may have a dozen open sockets. */
const maximumRunning = 100

interface Account {
  /** When checks began in the last minute; `manual` are those that somebody requested. */
  starts: { readonly atMs: number; readonly isManual: boolean }[]
  /** The end of the queue. */
  last: Promise<unknown>
  waiting: number
}

export function createCheckSlots(clock: Pick<Clock, 'monotonic'>) {
  const accounts = new Map<number, Account>()
  const waiting: (() => void)[] = []
  let running = 0

  /** Runs `work` as soon as fewer than the most are running, in the order of the calls. */
  async function whenFree<T>(work: () => Promise<T>): Promise<T> {
    if (running >= maximumRunning) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      await promise
    } else running++
    try {
      return await work()
    } finally {
      // The next one takes over the place.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  let prunedMs = Number.NEGATIVE_INFINITY

  function accountOf(id: number): Account {
    prune()
    const account = accounts.get(id) ?? { starts: [], last: Promise.resolve(), waiting: 0 }
    account.starts = recent(account)
    accounts.set(id, account)
    return account
  }

  function recent({ starts }: Account): Account['starts'] {
    const nowMs = clock.monotonic()
    return starts.filter(({ atMs }) => nowMs - atMs < windowMs)
  }

  /** Accounts without a check in the last minute need no memory. */
  function prune(): void {
    const nowMs = clock.monotonic()
    if (nowMs - prunedMs < windowMs) return
    prunedMs = nowMs
    for (const [id, account] of accounts) {
      if (account.waiting === 0 && recent(account).length === 0) accounts.delete(id)
    }
  }

  /** Runs `work` after the checks of the account that are before it. */
  async function queue<T>(account: Account, isManual: boolean, work: () => Promise<T>): Promise<T> {
    account.starts.push({ atMs: clock.monotonic(), isManual })
    account.waiting++
    const result = account.last.then(() => whenFree(work))
    account.last = result.catch(() => {})
    try {
      return await result
    } finally {
      account.waiting--
    }
  }

  return {
    /** Runs a check that somebody has requested. Throws `rate_limit_exceeded` beyond ten in a minute. */
    manual<T>(accountId: number, work: () => Promise<T>): Promise<T> {
      const account = accountOf(accountId)
      const manual = account.starts.filter(({ isManual }) => isManual)
      const oldest = manual.at(-checksPerMinute)
      if (oldest) throw tooMany(Math.ceil((oldest.atMs + windowMs - clock.monotonic()) / 1_000))
      return queue(account, true, work)
    },
    /** Whether the service may check a domain of the account by itself now. */
    mayStart(accountId: number): boolean {
      const account = accounts.get(accountId)
      return account === undefined || (account.waiting === 0 && recent(account).length < checksPerMinute)
    },
    /** Runs a check that the service makes by itself. */
    automatic: <T>(accountId: number, work: () => Promise<T>): Promise<T> => queue(accountOf(accountId), false, work),
  }
}
export type CheckSlots = ReturnType<typeof createCheckSlots>

function tooMany(seconds: number): AppError {
  const retryAfterSeconds = Math.max(1, seconds)
  return new AppError(
    'rate_limit_exceeded',
    `More than ${checksPerMinute} checks of domains in a minute. Try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}.`,
    { retryAfterSeconds },
  )
}
