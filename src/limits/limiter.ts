/**
 * Says of each request of a valid key whether it is admitted, and what its headers say: the ban first,
 * then the day, then the minute. Refused requests count towards neither window.
 */

import type { Clock } from '../lib/clock.ts'
import type { Allowance } from '../plans/rules.ts'
import { type Ban, Bans } from './bans.ts'
import { type DayCount, Days, dayMs, dayOf, type StoredDays } from './days.ts'
import { SteadyTime } from './steady-time.ts'
import { Windows } from './windows.ts'

export type LimitErrorCode = 'key_banned' | 'daily_quota_exceeded' | 'rate_limit_exceeded'

/** Whose request it is. */
export interface Client {
  readonly keyId: number
  readonly accountId: number
  readonly allowance: Allowance
}

/** What is left of both windows after a request; times in Unix seconds. */
export interface LimitStatus {
  /** The window with less left; on a tie the one that resets later. */
  limit: number
  remaining: number
  reset: number
  minuteRemaining: number
  minuteReset: number
  dayRemaining: number
  dayReset: number
  /** Whole seconds until either window's reset. */
  minuteResetInSeconds: number
  dayResetInSeconds: number
  /** On a refusal: whole seconds until `reset`, at least 1. */
  retryAfterSeconds: number
}

interface AccountState {
  readonly slot: number
  day: DayCount
  admissions: number
  /** Earlier seconds of the window are on disk. */
  savedSecond: number
}

export interface LimiterOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly days: StoredDays
  /** Told of a ban that has begun. */
  readonly onBan: (ban: Ban, client: Client) => void
}

export class Limiter {
  /** What the last `admit` or `describe` found; the same object each time, so that a request allocates nothing. */
  readonly status: LimitStatus = {
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
  readonly bans = new Bans()
  readonly days: Days

  readonly #windows = new Windows()
  readonly #accounts = new Map<number, AccountState>()
  readonly #time: SteadyTime
  readonly #onBan: LimiterOptions['onBan']

  constructor({ clock, days, onBan }: LimiterOptions) {
    this.days = new Days(days)
    this.#time = new SteadyTime(clock)
    this.#onBan = onBan
  }

  /** Counts a request if it is admitted, else says why not; `status` describes the windows afterwards. */
  admit(client: Client): LimitErrorCode | undefined {
    const time = this.#time
    time.read()
    const account = this.#accountOf(client.accountId)
    const minuteUsed = this.#windows.used(account.slot, time.second)
    const refusal = this.#refusalOf(client, account, minuteUsed)
    if (refusal) {
      this.#describe(client, account, minuteUsed)
      this.#explainRefusal(client, refusal)
      if (refusal !== 'key_banned') this.#noteRefusal(client, account)
      return refusal
    }
    this.#windows.count(account.slot, time.second)
    this.days.count(account.day)
    account.admissions++
    this.#describe(client, account, minuteUsed + 1)
    return undefined
  }

  /** What an account has used in the current minute and day. */
  used(accountId: number): { minute: number; day: number } {
    this.#time.read()
    const account = this.#accountOf(accountId)
    return { minute: this.#windows.used(account.slot, this.#time.second), day: account.day.used }
  }

  /** Counts requests of an earlier run; to be called before any other, by second ascending. */
  restore(accountId: number, second: number, requests: number): void {
    const { slot } = this.#accountOf(accountId, second)
    this.#windows.used(slot, second)
    this.#windows.count(slot, second, requests)
  }

  /** Calls `visit` with the seconds (Unix) of an account's window that may have changed since its last visit. */
  forEachUnsavedSecond(accountId: number, visit: (second: number, requests: number) => void): void {
    const account = this.#accounts.get(accountId)
    if (!account) return
    const { correctionSeconds } = this.#time
    this.#windows.forEachSecond(account.slot, account.savedSecond, (second, requests) =>
      visit(second - correctionSeconds, requests),
    )
    account.savedSecond = this.#time.second
  }

  /** Frees the memory of accounts and keys that have been idle; changes nothing that anyone can see. */
  sweep(): void {
    this.#time.read()
    const { second, wallMs } = this.#time
    for (const [accountId, account] of this.#accounts) {
      if (this.#windows.used(account.slot, second) > 0) continue
      this.#windows.release(account.slot)
      this.#accounts.delete(accountId)
    }
    this.days.sweep(dayOf(wallMs))
    this.bans.sweep(wallMs)
  }

  #accountOf(accountId: number, second = this.#time.second): AccountState {
    const day = dayOf(this.#time.wallMs)
    const known = this.#accounts.get(accountId)
    if (known) {
      if (known.day.day !== day) known.day = this.days.of(accountId, day)
      return known
    }
    const account = {
      slot: this.#windows.allocate(second),
      day: this.days.of(accountId, day),
      admissions: 0,
      savedSecond: 0,
    }
    this.#accounts.set(accountId, account)
    return account
  }

  #refusalOf(client: Client, account: AccountState, minuteUsed: number): LimitErrorCode | undefined {
    if (this.bans.endOf(client.keyId) > this.#time.wallMs) return 'key_banned'
    if (account.day.used >= client.allowance.perDay) return 'daily_quota_exceeded'
    if (minuteUsed >= client.allowance.perMinute) return 'rate_limit_exceeded'
    return undefined
  }

  #noteRefusal(client: Client, account: AccountState): void {
    const ban = this.bans.refuse(client.keyId, account.admissions, this.#time.wallMs)
    if (ban) this.#onBan(ban, client)
  }

  #describe({ allowance }: Client, account: AccountState, minuteUsed: number): void {
    const { status } = this
    const time = this.#time
    const wallSecond = time.second - time.correctionSeconds
    status.minuteRemaining = Math.max(0, allowance.perMinute - minuteUsed)
    status.minuteReset =
      minuteUsed === 0
        ? wallSecond
        : this.#windows.resetSecond(account.slot, allowance.perMinute) - time.correctionSeconds
    status.dayRemaining = Math.max(0, allowance.perDay - account.day.used)
    status.dayReset = ((account.day.day + 1) * dayMs) / 1000
    const nowSeconds = time.wallMs / 1000
    status.minuteResetInSeconds = Math.ceil(status.minuteReset - nowSeconds)
    status.dayResetInSeconds = Math.ceil(status.dayReset - nowSeconds)
    const dayBinds =
      status.dayRemaining < status.minuteRemaining ||
      (status.dayRemaining === status.minuteRemaining && status.dayReset >= status.minuteReset)
    status.limit = dayBinds ? allowance.perDay : allowance.perMinute
    status.remaining = dayBinds ? status.dayRemaining : status.minuteRemaining
    status.reset = dayBinds ? status.dayReset : status.minuteReset
  }

  #explainRefusal({ keyId }: Client, refusal: LimitErrorCode): void {
    const { status } = this
    if (refusal === 'key_banned') this.#describeBan(Math.ceil(this.bans.endOf(keyId) / 1000))
    status.retryAfterSeconds = Math.max(1, Math.ceil(status.reset - this.#time.wallMs / 1000))
  }

  /** Nothing is left of either window until the ban ends, or later if an exhausted window does. */
  #describeBan(endSecond: number): void {
    const { status } = this
    status.reset = status.remaining > 0 ? endSecond : Math.max(endSecond, status.reset)
    const resetInSeconds = Math.ceil(status.reset - this.#time.wallMs / 1000)
    Object.assign(status, { remaining: 0, minuteRemaining: 0, dayRemaining: 0 })
    Object.assign(status, { minuteResetInSeconds: resetInSeconds, dayResetInSeconds: resetInSeconds })
  }
}
