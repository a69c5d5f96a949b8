/** The limit status: the values of the rate limit headers of a response. */

import type { Allowance } from '../plans/rules.ts'
import { type DayCount, dayMs } from './days.ts'
import type { SteadyTime } from './steady-time.ts'

/** The state of both windows after a request; times in Unix seconds. */
export interface LimitStatus {
  /** Of the window with fewer requests remaining; if they are equal, of the window that resets later. */
  limit: number
  remaining: number
  reset: number
  minuteRemaining: number
  minuteReset: number
  dayRemaining: number
  dayReset: number
  /** Whole seconds until each window's reset. */
  minuteResetInSeconds: number
  dayResetInSeconds: number
  /** On a rejection: whole seconds until `reset`, at least 1. */
  retryAfterSeconds: number
}

export function emptyStatus(): LimitStatus {
  return {
    limit: 0,
    remaining: 0,
    reset: 0,
    minuteRemaining: 0,
    minuteReset: 0,
    dayRemaining: 0,
    dayReset: 0,
    minuteResetInSeconds: 0,
    dayResetInSeconds: 0,
    retryAfterSeconds: 0,
  }
}

/** Converts a second of steady time to the first Unix second that begins with it or after it. */
export function wallSecondOf(time: SteadyTime, second: number): number {
  return Math.ceil(time.wallAt(second * 1000) / 1000)
}

/** Fills `status` with the state of both windows; `minuteReset` in Unix seconds. */
export function describeWindows(
  status: LimitStatus,
  { perMinute, perDay }: Allowance,
  time: SteadyTime,
  minuteUsed: number,
  minuteReset: number,
  day: DayCount,
): void {
  const nowSeconds = time.wallMs / 1000
  status.minuteRemaining = Math.max(0, perMinute - minuteUsed)
  status.minuteReset = minuteReset
  status.dayRemaining = Math.max(0, perDay - day.used)
  status.dayReset = ((day.day + 1) * dayMs) / 1000
  status.minuteResetInSeconds = Math.ceil(status.minuteReset - nowSeconds)
  status.dayResetInSeconds = Math.ceil(status.dayReset - nowSeconds)
  const isDayShown =
    status.dayRemaining < status.minuteRemaining ||
    (status.dayRemaining === status.minuteRemaining && status.dayReset >= status.minuteReset)
  status.limit = isDayShown ? perDay : perMinute
  status.remaining = isDayShown ? status.dayRemaining : status.minuteRemaining
  status.reset = isDayShown ? status.dayReset : status.minuteReset
}

/** Changes the status to that of a banned key: no requests remain until the ban and any used-up window have ended. */
export function describeBan(status: LimitStatus, time: SteadyTime, banEndsMs: number): void {
  const endSecond = Math.ceil(time.wallAt(banEndsMs) / 1000)
  status.reset = status.remaining > 0 ? endSecond : Math.max(endSecond, status.reset)
  const resetInSeconds = Math.ceil(status.reset - time.wallMs / 1000)
  status.remaining = 0
  status.minuteRemaining = 0
  status.dayRemaining = 0
  status.minuteResetInSeconds = resetInSeconds
  status.dayResetInSeconds = resetInSeconds
}

/** Sets the seconds until `reset` for a rejected request. */
export function describeRetry(status: LimitStatus, time: SteadyTime): void {
  status.retryAfterSeconds = Math.max(1, Math.ceil(status.reset - time.wallMs / 1000))
}
