/**
 * The order of checks. At most three run at a time and one of an account, because each may have a dozen open sockets
 * and its work is done in the event loop that serves requests. Checks that somebody requests come first: those that are
 * due begin only while none of them could.
 */

import type { Clock } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/error.ts'
import { createSlots } from '../../../lib/slots.ts'

/** The most checks that run at the same time. */
export const maximumRunning = 3

/** The most checks that an account may request in any 60 seconds. */
export const checksPerMinute = 10

const windowMs = 60_000

export function createCheckQueue(clock: Pick<Clock, 'monotonic'>) {
  /** The checks of the last minute, from the moment of the request on. */
  let recent: { readonly accountId: number; readonly atMs: number; readonly isRequested: boolean }[] = []
  /** By account. */
  const slots = createSlots<number>(maximumRunning, 1)

  function recentOf(accountId: number) {
    const nowMs = clock.monotonic()
    recent = recent.filter(({ atMs }) => nowMs - atMs < windowMs)
    return recent.filter((check) => check.accountId === accountId)
  }

  function add(accountId: number, isRequested: boolean): void {
    recent.push({ accountId, atMs: clock.monotonic(), isRequested })
  }

  return {
    /** Runs a check that somebody has requested when it may. Throws `rate_limit_exceeded` beyond ten in a minute. */
    requested<T>(accountId: number, work: () => Promise<T>): Promise<T> {
      const oldest = recentOf(accountId)
        .filter(({ isRequested }) => isRequested)
        .at(-checksPerMinute)
      if (oldest) throw tooMany(Math.ceil((oldest.atMs + windowMs - clock.monotonic()) / 1_000))
      add(accountId, true)
      return slots.run(accountId, work)
    },
    isFull: slots.isFull,
    /** Whether a check of the account that is due may begin now. */
    mayBegin: (accountId: number): boolean => slots.isFree(accountId) && recentOf(accountId).length < checksPerMinute,
    /** Runs a check that is due, now; only where `mayBegin`. */
    due<T>(accountId: number, work: () => Promise<T>): Promise<T> {
      add(accountId, false)
      return slots.run(accountId, work)
    },
  }
}

function tooMany(seconds: number): AppError {
  const retryAfterSeconds = Math.max(1, seconds)
  return new AppError(
    'rate_limit_exceeded',
    `More than ${checksPerMinute} checks of domains in a minute. Try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}.`,
    { retryAfterSeconds },
  )
}
