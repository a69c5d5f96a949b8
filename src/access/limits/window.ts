/**
 * A sliding window of one-second resolution: the current second and the 60 before it count, so that no period of 60
 * seconds ever has more requests than the limit. Seconds are those of steady time, which never decrease. A request
 * allocates nothing.
 */

/** A request counted in second s stops counting in second s + 61. */
export const windowSeconds = 61

export class Window {
  /** The requests of each second that counts, at the index `second % windowSeconds`. */
  readonly #requests = new Uint32Array(windowSeconds)
  #total = 0
  /** The oldest second with requests; meaningless while there are none. */
  #oldest = 0
  /** The second as of which older requests were removed. */
  #last: number

  constructor(second: number) {
    this.#last = second
  }

  /** The number of requests that count in `second`; removes older ones. */
  used(second: number): number {
    if (second > this.#last) this.#expire(second)
    return this.#total
  }

  /** Counts `requests` in `second`; `used` must have been called for that second before. */
  count(second: number, requests = 1): void {
    const at = Math.max(second, this.#last)
    if (this.#total === 0) this.#oldest = at
    this.#requests[at % windowSeconds] = this.#in(at) + requests
    this.#total += requests
  }

  /**
   * The second in which the number of remaining requests next grows or, while `limit` or more requests count,
   * the first second in which a request is admitted. The window must not be empty.
   */
  resetSecond(limit: number): number {
    let second = this.#oldest
    let rest = this.#total - this.#in(second)
    while (rest >= limit && second < this.#last) {
      second++
      rest -= this.#in(second)
    }
    return second + windowSeconds
  }

  /** Calls `visit` with each second from `since` on that has requests, and their number. */
  forEachSecond(since: number, visit: (second: number, requests: number) => void): void {
    if (this.#total === 0) return
    for (let second = Math.max(since, this.#oldest); second <= this.#last; second++) {
      const requests = this.#in(second)
      if (requests > 0) visit(second, requests)
    }
  }

  #in(second: number): number {
    return this.#requests[second % windowSeconds] ?? 0
  }

  #expire(second: number): void {
    const outdated = Math.min(second - this.#last, windowSeconds)
    for (let i = 1; i <= outdated && this.#total > 0; i++) {
      this.#total -= this.#in(this.#last + i)
      this.#requests[(this.#last + i) % windowSeconds] = 0
    }
    this.#last = second
    if (this.#total === 0) return
    this.#oldest = Math.max(this.#oldest, second - windowSeconds + 1)
    while (this.#in(this.#oldest) === 0) this.#oldest++
  }
}
