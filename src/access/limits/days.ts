/**
 * Requests per UTC day. They are counted in memory and stored by a job. Each day has its own number, so that the count
 * of an earlier day is still right after the system clock was set back.
 */

export const dayMs = 86_400_000

/** The UTC day of a time in Unix milliseconds, as whole days since the epoch. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

/** The requests of an account on a day; one object for each account and day. */
export interface DayCount {
  readonly accountId: number
  readonly day: number
  used: number
  /** The number that is in the database. */
  savedUsed: number
}

export interface StoredDays {
  find(accountId: number, day: number): number
}

export class Days {
  readonly #stored: StoredDays
  readonly #current = new Map<number, DayCount>()
  /** By account and day. */
  readonly #unsaved = new Map<number, DayCount>()

  constructor(stored: StoredDays) {
    this.#stored = stored
  }

  /** The account's count for `day`, from memory or else from the database. */
  of(accountId: number, day: number): DayCount {
    const current = this.#current.get(accountId)
    if (current?.day === day) return current
    const count = this.#unsaved.get(nameOf(accountId, day)) ?? this.#read(accountId, day)
    this.#current.set(accountId, count)
    return count
  }

  count(count: DayCount): void {
    if (count.used === count.savedUsed) this.#unsaved.set(nameOf(count.accountId, count.day), count)
    count.used++
  }

  /** The counts that differ from the database's. */
  unsaved(): Iterable<DayCount> {
    return this.#unsaved.values()
  }

  /** The requests on a day that are not in the database yet, of all accounts except `except`. */
  unsavedOn(day: number, except: number): number {
    let requests = 0
    for (const count of this.#unsaved.values()) {
      if (count.day === day && count.accountId !== except) requests += count.used - count.savedUsed
    }
    return requests
  }

  get unsavedSize(): number {
    return this.#unsaved.size
  }

  /** To be called when `used` requests of `count` are on disk. */
  markSaved(count: DayCount, used: number): void {
    count.savedUsed = used
    if (count.used === used) this.#unsaved.delete(nameOf(count.accountId, count.day))
  }

  /**
   * Frees the stored counts of days other than `day`, of accounts for which `isIdle`; a later request reads them again.
   */
  sweep(day: number, isIdle: (accountId: number) => boolean): void {
    for (const [accountId, count] of this.#current) {
      if (count.day !== day && count.used === count.savedUsed && isIdle(accountId)) this.#current.delete(accountId)
    }
  }

  #read(accountId: number, day: number): DayCount {
    const used = this.#stored.find(accountId, day)
    return { accountId, day, used, savedUsed: used }
  }
}

function nameOf(accountId: number, day: number): number {
  return accountId * 100_000 + day
}
