/**
 * Temporary bans of keys that go on asking after a 429. Refusals within two seconds of the first one
 * since the account was last admitted were in flight and are forgiven; 20 later ones within ten minutes
 * ban the key.
 */

export interface Ban {
  readonly keyId: number
  /** Unix milliseconds, both. */
  readonly startedAt: number
  readonly endsAt: number
}

export const forgivenMs = 2_000
export const refusalsToBan = 20
export const refusalSpanMs = 600_000
export const firstBanMs = 600_000
export const longestBanMs = 86_400_000
/** A ban that starts within this time of the last one's end is twice as long. */
export const repeatSpanMs = 86_400_000

/** How long a ban that starts at `startMs` lasts, given the last one. */
export function banDurationMs(last: Ban | undefined, startMs: number): number {
  if (!last || startMs - last.endsAt > repeatSpanMs) return firstBanMs
  return Math.min((last.endsAt - last.startedAt) * 2, longestBanMs)
}

interface Refusals {
  /** The account's number of admissions when the first refusal came: another number starts anew. */
  admissions: number
  firstMs: number
  /** Times of the last refusals that counted, a ring. */
  readonly countedMs: Float64Array
  counted: number
}

export class Bans {
  readonly #bans = new Map<number, Ban>()
  readonly #refusals = new Map<number, Refusals>()

  /** The end of the key's ban in Unix milliseconds, or 0. */
  endOf(keyId: number): number {
    return this.#bans.get(keyId)?.endsAt ?? 0
  }

  set(ban: Ban): void {
    this.#bans.set(ban.keyId, ban)
  }

  lift(keyId: number): void {
    this.#bans.delete(keyId)
    this.#refusals.delete(keyId)
  }

  /** Replaces all bans by the stored ones. */
  load(stored: readonly Ban[]): void {
    this.#bans.clear()
    for (const ban of stored) this.#bans.set(ban.keyId, ban)
  }

  /**
   * Notes a refusal at `nowMs` of a key that is not banned, after `admissions` admissions of its
   * account. Gives the ban that it brought about, already in force.
   */
  refuse(keyId: number, admissions: number, nowMs: number): Ban | undefined {
    const refusals = this.#refusalsOf(keyId, admissions, nowMs)
    if (nowMs - refusals.firstMs <= forgivenMs) return undefined
    const oldestMs = refusals.countedMs[(refusals.counted + 1) % refusalsToBan] as number
    refusals.countedMs[refusals.counted % refusalsToBan] = nowMs
    refusals.counted++
    if (refusals.counted < refusalsToBan || nowMs - oldestMs > refusalSpanMs) return undefined
    const ban = { keyId, startedAt: nowMs, endsAt: nowMs + banDurationMs(this.#bans.get(keyId), nowMs) }
    this.#bans.set(keyId, ban)
    this.#refusals.delete(keyId)
    return ban
  }

  /** Forgets refusals that can't lead to a ban any more, and bans that no longer lengthen the next. */
  sweep(nowMs: number): void {
    for (const [keyId, refusals] of this.#refusals) {
      const lastMs = Math.max(refusals.firstMs, ...refusals.countedMs)
      if (nowMs - lastMs > refusalSpanMs) this.#refusals.delete(keyId)
    }
    for (const [keyId, ban] of this.#bans) if (nowMs - ban.endsAt > repeatSpanMs) this.#bans.delete(keyId)
  }

  #refusalsOf(keyId: number, admissions: number, nowMs: number): Refusals {
    const known = this.#refusals.get(keyId)
    if (known && known.admissions === admissions) return known
    const refusals = known ?? { admissions, firstMs: nowMs, countedMs: new Float64Array(refusalsToBan), counted: 0 }
    refusals.admissions = admissions
    refusals.firstMs = nowMs
    this.#refusals.set(keyId, refusals)
    return refusals
  }
}
