/**
 * Requests per UTC day. Counted in memory and stored by a job; each day keeps its own number, so that a
 * system clock that is set back finds the day it goes back to as it left it.
 */

export const dayMs = 86_400_000

/** The UTC day of a time in Unix milliseconds, as whole days since the epoch. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

/** What an account has used of a day; one object an account, replaced at the day's edge. */
export interface DayCount {
  readonly accountId: number
  readonly day: number
  used: number
}

export interface StoredDays {
  find(accountId: number, day: number): number
}

export class Days {
  readonly #stored: StoredDays
  readonly #current = new Map<number, DayCount>()
  /** What a clock that is set back over the day's edge goes back to, saved or not. */
  readonly #previous = new Map<number, DayCount>()
  #unsaved = new Set<DayCount>()

  constructor(stored: StoredDays) {
    this.#stored = stored
  }

  /** The account's count for `day`, read from the database when it is not the one in memory, or the one before. */
  of(accountId: number, day: number): DayCount {
    const current = this.#current.get(accountId)
    if (current?.day === day) return current
    const previous = this.#previous.get(accountId)
    const count = previous?.day === day ? previous : { accountId, day, used: this.#stored.find(accountId, day) }
    if (current) this.#previous.set(accountId, current)
    this.#current.set(accountId, count)
    return count
  }

  count(count: DayCount): void {
    count.used++
    this.#unsaved.add(count)
  }

  /** Hands over what has changed since the last call; what can't be stored must be given back with `restore`. */
  takeUnsaved(): DayCount[] {
    const taken = [...this.#unsaved]
    this.#unsaved = new Set()
    return taken
  }

  restore(counts: readonly DayCount[]): void {
    for (const count of counts) this.#unsaved.add(count)
  }

  /** Forgets accounts that have asked nothing on `day`; a later request reads theirs again. */
  sweep(day: number): void {
    for (const counts of [this.#current, this.#previous]) {
      for (const [accountId, count] of counts) {
        if (count.day !== day && !this.#unsaved.has(count)) counts.delete(accountId)
      }
    }
  }
}
