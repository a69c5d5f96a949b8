/**
 * Admits or rejects each request with a valid key and computes its limit status. The ban is checked first, then the
 * day, then the minute. Rejected requests count towards neither window.
 */

import { LRUCache } from 'lru-cache'
import type { Clock } from '../../lib/clock.ts'
import type { Allowance } from '../accounts/rules.ts'
import { Bans, type NewBan } from './bans.ts'
import { type DayCount, Days, dayMs, dayOf, type StoredDays } from './days.ts'
import { SteadyTime } from './steady-time.ts'
import { Window, windowSeconds } from './window.ts'

export type LimitErrorCode = 'key_banned' | 'daily_quota_exceeded' | 'rate_limit_exceeded'

/** The values of the rate limit headers: the state of both windows after a request; times in Unix seconds. */
interface LimitStatus {
  /** Of the window with fewer requests remaining; if they are equal, of the window that resets later. */
  limit: number
  remaining: number
  reset: number
  minuteRemaining: number
  dayRemaining: number
  /** Whole seconds until each window's reset. */
  minuteResetInSeconds: number
  dayResetInSeconds: number
  /** On a rejection: whole seconds until `reset`, at least 1. */
  retryAfterSeconds: number
}

/** The key, if there is one, and the account that send a request. */
export interface Client {
  readonly keyId: number | undefined
  readonly accountId: number
  readonly allowance: Allowance
}

interface AccountState {
  readonly window: Window
  day: DayCount
  /** The number of its last admission among those of all accounts; 0 for none. */
  lastAdmission: number
  /** Seconds of the window before this one are on disk. */
  savedSecond: number
}

/** A snapshot of the counts that are not in the database yet. */
export interface UnsavedCounts {
  readonly days: readonly { readonly count: DayCount; readonly used: number }[]
  /** Seconds of steady time. */
  readonly seconds: readonly { readonly accountId: number; readonly second: number; readonly requests: number }[]
  /** The second of the snapshot. */
  readonly second: number
  /** The rejected requests of all accounts, by day. */
  readonly rejections: readonly (readonly [day: number, requests: number])[]
}

/** If more accounts than this send requests within a minute, the least recently used one loses its count. */
const mostAccounts = 100_000

export interface LimiterOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly days: StoredDays
  /** Called when a ban has begun. */
  readonly onBan: (ban: NewBan) => void
  /** Counts the requests that are admitted. */
  readonly admissions?: { count: number } | undefined
}

export class Limiter {
  /** The status after the last `admit`; the same object each time, so that a request allocates nothing. */
  readonly status: LimitStatus = emptyStatus()
  /** The number of requests that this process has rejected. */
  readonly rejections: Record<LimitErrorCode, number> = {
    key_banned: 0,
    daily_quota_exceeded: 0,
    rate_limit_exceeded: 0,
  }
  /** The same by day (whole UTC days since the epoch), if they are not in the database yet. */
  readonly unsavedRejections = new Map<number, number>()
  readonly bans = new Bans()
  readonly days: Days
  readonly time: SteadyTime

  #cache: LRUCache<number, AccountState> | undefined
  /** The last admissions of accounts that have left the cache, until the next `sweep`: a streak may be older. */
  readonly #lastAdmissions = new Map<number, number>()
  readonly #onBan: LimiterOptions['onBan']
  readonly #admissions: { count: number }

  constructor({ clock, days, onBan, admissions = { count: 0 } }: LimiterOptions) {
    this.#admissions = admissions
    this.days = new Days(days)
    this.time = new SteadyTime(clock)
    this.#onBan = onBan
  }

  /** Counts a request, or returns the error code if it is rejected; `status` describes the windows afterwards. */
  admit(client: Client): LimitErrorCode | undefined {
    const { time } = this
    time.read()
    const account = this.#accountOf(client.accountId)
    const minuteUsed = account.window.used(time.second)
    const code = this.#rejectionOf(client, account, minuteUsed)
    if (code) {
      this.#describe(client, account, minuteUsed)
      this.#reject(client, account, code)
      return code
    }
    account.window.count(time.second)
    this.days.count(account.day)
    account.lastAdmission = ++this.#admissions.count
    this.#describe(client, account, minuteUsed + 1)
    return undefined
  }

  /** Sets `status` for a request that is admitted and counts towards neither window. */
  describe(client: Client): undefined {
    this.time.read()
    const account = this.#accountOf(client.accountId)
    this.#describe(client, account, account.window.used(this.time.second))
  }

  /** Whether the key of a client is banned now. */
  isBanned({ keyId }: Pick<Client, 'keyId'>): boolean {
    this.time.read()
    return keyId !== undefined && this.bans.endOf(keyId) > this.time.nowMs
  }

  /** The requests of an account in the current minute and day. */
  used(accountId: number): { minute: number; day: number } {
    this.time.read()
    const account = this.#accountOf(accountId)
    return { minute: account.window.used(this.time.second), day: account.day.used }
  }

  /** Counts requests of an earlier run; to be called before any other, by second (of steady time) ascending. */
  restore(accountId: number, second: number, requests: number): void {
    const { window } = this.#accountOf(accountId, second)
    window.used(second)
    window.count(second, requests)
  }

  /** Returns the unsaved counts of at most `most` accounts and days. They remain unsaved until `markSaved`. */
  unsaved(most = Number.POSITIVE_INFINITY): UnsavedCounts {
    const { second } = this.time
    const days: { count: DayCount; used: number }[] = []
    const seconds: { accountId: number; second: number; requests: number }[] = []
    for (const count of this.days.unsaved()) {
      if (days.length === most) break
      const { accountId, used } = count
      days.push({ count, used })
      const account = this.#accounts.peek(accountId)
      if (!account) continue
      account.window.forEachSecond(account.savedSecond, (counted, requests) => {
        seconds.push({ accountId, second: counted, requests })
      })
    }
    return { days, seconds, second, rejections: [...this.unsavedRejections] }
  }

  /** To be called when `saved` is on disk; later counts remain unsaved. */
  markSaved({ days, second, rejections }: UnsavedCounts): void {
    for (const [day, requests] of rejections) this.#addRejections(day, -requests)
    for (const { count, used } of days) {
      this.days.markSaved(count, used)
      const account = this.#accounts.peek(count.accountId)
      if (account) account.savedSecond = second
    }
  }

  /** Frees the memory of old bans and day counts. It changes no result of any later call. */
  sweep(): void {
    this.time.read()
    const { nowMs, wallMs } = this.time
    this.bans.sweep(nowMs, (accountId) => {
      const account = this.#accounts.peek(accountId, { allowStale: true })
      return account?.lastAdmission ?? this.#lastAdmissions.get(accountId) ?? 0
    })
    this.#lastAdmissions.clear()
    this.days.sweep(dayOf(wallMs), (accountId) => !this.#accounts.has(accountId))
  }

  /**
   * The accounts whose windows are not empty, at most `mostAccounts`. The first request creates it, because it reserves
   * its memory.
   */
  get #accounts(): LRUCache<number, AccountState> {
    this.#cache ??= new LRUCache({
      max: mostAccounts,
      ttl: windowSeconds * 1_000,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now: () => this.time.nowMs },
      dispose: ({ lastAdmission }, accountId) => void this.#lastAdmissions.set(accountId, lastAdmission),
    })
    return this.#cache
  }

  #accountOf(accountId: number, second = this.time.second): AccountState {
    const day = dayOf(this.time.wallMs)
    const known = this.#accounts.get(accountId)
    if (known) {
      if (known.day.day !== day) known.day = this.days.of(accountId, day)
      return known
    }
    const account = {
      window: new Window(second),
      day: this.days.of(accountId, day),
      lastAdmission: this.#lastAdmissions.get(accountId) ?? 0,
      savedSecond: 0,
    }
    this.#accounts.set(accountId, account)
    return account
  }

  #rejectionOf(client: Client, account: AccountState, minuteUsed: number): LimitErrorCode | undefined {
    if (client.keyId !== undefined && this.bans.endOf(client.keyId) > this.time.nowMs) return 'key_banned'
    if (account.day.used >= client.allowance.perDay) return 'daily_quota_exceeded'
    if (minuteUsed >= client.allowance.perMinute) return 'rate_limit_exceeded'
    return undefined
  }

  #addRejections(day: number, requests: number): void {
    const unsaved = (this.unsavedRejections.get(day) ?? 0) + requests
    if (unsaved === 0) this.unsavedRejections.delete(day)
    else this.unsavedRejections.set(day, unsaved)
  }

  #describe({ allowance }: Client, account: AccountState, minuteUsed: number): void {
    const { status, time } = this
    const minuteReset =
      minuteUsed === 0
        ? Math.floor(time.wallMs / 1000)
        : time.wallSecondOf(account.window.resetSecond(allowance.perMinute))
    describeWindows(status, allowance, time, minuteUsed, minuteReset, account.day)
  }

  #reject({ keyId, accountId }: Client, { lastAdmission }: AccountState, code: LimitErrorCode): void {
    const { status, time } = this
    this.rejections[code]++
    const day = dayOf(time.wallMs)
    this.#addRejections(day, 1)
    const isBanned = code === 'key_banned' && keyId !== undefined
    if (isBanned) describeBan(status, time, this.bans.endOf(keyId))
    describeRetry(status, time)
    // Only a key can be banned.
    if (isBanned || keyId === undefined) return
    const request = { keyId, accountId, lastAdmission, admissions: this.#admissions.count }
    const ban = this.bans.reject(request, time.nowMs)
    if (ban) this.#onBan(ban)
  }
}

function emptyStatus(): LimitStatus {
  return {
    limit: 0,
    remaining: 0,
    reset: 0,
    minuteRemaining: 0,
    dayRemaining: 0,
    minuteResetInSeconds: 0,
    dayResetInSeconds: 0,
    retryAfterSeconds: 0,
  }
}

/** Fills `status` with the state of both windows; `minuteReset` in Unix seconds. */
function describeWindows(
  status: LimitStatus,
  { perMinute, perDay }: Allowance,
  time: SteadyTime,
  minuteUsed: number,
  minuteReset: number,
  day: DayCount,
): void {
  const nowSeconds = time.wallMs / 1000
  status.minuteRemaining = Math.max(0, perMinute - minuteUsed)
  status.dayRemaining = Math.max(0, perDay - day.used)
  const dayReset = ((day.day + 1) * dayMs) / 1000
  status.minuteResetInSeconds = Math.ceil(minuteReset - nowSeconds)
  status.dayResetInSeconds = Math.ceil(dayReset - nowSeconds)
  const isDayShown =
    status.dayRemaining < status.minuteRemaining ||
    (status.dayRemaining === status.minuteRemaining && dayReset >= minuteReset)
  status.limit = isDayShown ? perDay : perMinute
  status.remaining = isDayShown ? status.dayRemaining : status.minuteRemaining
  status.reset = isDayShown ? dayReset : minuteReset
}

/** Changes the status to that of a banned key: no requests remain until the ban and any used-up window have ended. */
function describeBan(status: LimitStatus, time: SteadyTime, banEndsMs: number): void {
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
function describeRetry(status: LimitStatus, time: SteadyTime): void {
  status.retryAfterSeconds = Math.max(1, Math.ceil(status.reset - time.wallMs / 1000))
}
