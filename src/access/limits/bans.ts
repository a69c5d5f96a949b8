/**
 * Temporary bans of keys that keep sending requests after a 429. Rejections within two seconds of the first
 * one since the account was last admitted do not count, because the requests were in flight; 20 later ones
 * within ten minutes ban the key. All times are steady time in milliseconds.
 */

export interface Ban {
  readonly keyId: number
  readonly startedMs: number
  readonly endsMs: number
}

/** A ban that has begun in this process or is not stored yet. */
export interface NewBan extends Ban {
  readonly accountId: number
}

/** A request that a limit rejected. */
export interface RejectedRequest {
  readonly keyId: number
  readonly accountId: number
  /** The number of the account's last admission, in the order of all accounts' admissions; 0 for none. */
  readonly lastAdmission: number
  /** The number of requests of all accounts that have been admitted so far. */
  readonly admissions: number
}

export const uncountedMs = 2_000
export const rejectionsToBan = 20
export const rejectionSpanMs = 600_000
export const firstBanMs = 600_000
export const longestBanMs = 86_400_000
/** A ban that starts within this time of the last one's end is twice as long. */
export const repeatSpanMs = 86_400_000

/** The duration of a ban that starts at `startMs`, given the last ban of the key. */
export function banDurationMs(last: Ban | undefined, startMs: number): number {
  if (!last || startMs - last.endsMs > repeatSpanMs) return firstBanMs
  return Math.min((last.endsMs - last.startedMs) * 2, longestBanMs)
}

/** The rejections of a key since its account was last admitted, and earlier ones that still count. */
interface Streak {
  readonly accountId: number
  /** `admissions` at the first rejection: a later admission of the account ends the streak. -1 after its end. */
  begunAfter: number
  firstMs: number
  /** Times of the last rejections that count, as a ring. */
  countedMs: Float64Array | undefined
  counted: number
}

export class Bans {
  /** The number of bans that have begun in this process. */
  begun = 0
  readonly #bans = new Map<number, Ban>()
  readonly #streaks = new Map<number, Streak>()
  readonly #unsaved = new Map<number, NewBan>()

  /** The end of the key's last ban, or 0. */
  endOf(keyId: number): number {
    return this.#bans.get(keyId)?.endsMs ?? 0
  }

  /** Replaces all bans by the stored ones, except those that are not stored yet. */
  load(stored: readonly Ban[]): void {
    this.#bans.clear()
    for (const ban of stored) this.#bans.set(ban.keyId, ban)
    for (const ban of this.#unsaved.values()) this.#bans.set(ban.keyId, ban)
  }

  /** Adds a ban that is not stored yet; it takes effect at once. */
  add(ban: NewBan): void {
    this.#bans.set(ban.keyId, ban)
    this.#unsaved.set(ban.keyId, ban)
  }

  /** The bans that are not stored yet. */
  unsaved(): NewBan[] {
    return [...this.#unsaved.values()]
  }

  /** To be called when `ban` is on disk. */
  markSaved(ban: NewBan): void {
    if (this.#unsaved.get(ban.keyId) === ban) this.#unsaved.delete(ban.keyId)
  }

  /**
   * Counts a rejection at `nowMs` of a key that is not banned. Returns the ban that it causes, which takes effect at
   * once.
   */
  reject(request: RejectedRequest, nowMs: number): NewBan | undefined {
    const streak = this.#streakOf(request, nowMs)
    if (nowMs - streak.firstMs <= uncountedMs) return undefined
    streak.countedMs ??= new Float64Array(rejectionsToBan)
    const oldestMs = streak.countedMs[(streak.counted + 1) % rejectionsToBan] as number
    streak.countedMs[streak.counted % rejectionsToBan] = nowMs
    streak.counted++
    if (streak.counted < rejectionsToBan || nowMs - oldestMs > rejectionSpanMs) return undefined
    const { keyId, accountId } = request
    const endsMs = nowMs + banDurationMs(this.#bans.get(keyId), nowMs)
    const ban = { keyId, accountId, startedMs: nowMs, endsMs }
    this.#streaks.delete(keyId)
    this.add(ban)
    this.begun++
    return ban
  }

  /**
   * Frees rejections that can no longer lead to a ban, and bans that no longer lengthen the next one.
   * `lastAdmissionOf` returns the number of an account's last admission.
   */
  sweep(nowMs: number, lastAdmissionOf: (accountId: number) => number): void {
    for (const [keyId, streak] of this.#streaks) {
      if (lastAdmissionOf(streak.accountId) > streak.begunAfter) streak.begunAfter = -1
      if (streak.countedMs && nowMs - Math.max(...streak.countedMs) > rejectionSpanMs) {
        streak.countedMs = undefined
        streak.counted = 0
      }
      if (streak.begunAfter === -1 && !streak.countedMs) this.#streaks.delete(keyId)
    }
    for (const [keyId, ban] of this.#bans) {
      if (nowMs - ban.endsMs > repeatSpanMs && !this.#unsaved.has(keyId)) this.#bans.delete(keyId)
    }
  }

  #streakOf({ keyId, accountId, lastAdmission, admissions }: RejectedRequest, nowMs: number): Streak {
    const known = this.#streaks.get(keyId)
    if (known && lastAdmission <= known.begunAfter) return known
    const streak = known ?? { accountId, begunAfter: 0, firstMs: 0, countedMs: undefined, counted: 0 }
    streak.begunAfter = admissions
    streak.firstMs = nowMs
    this.#streaks.set(keyId, streak)
    return streak
  }
}
