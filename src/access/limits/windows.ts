/**
 * Sliding windows of one-second resolution: the current second and the 60 before it count, so that no
 * 60 seconds ever hold more than the limit. A window is 64 words in a shared slab: no object, no timer
 * and no allocation per request.
 */

/** A request counted in second s stops counting in second s + 61. */
export const windowSeconds = 61

const wordsPerWindow = 64
const lastWord = 61
const totalWord = 62
const oldestWord = 63
const windowsPerChunk = 1024

/** A slab of windows, addressed by slot. Seconds are those of steady time, which never decrease. */
export class Windows {
  readonly #chunks: Uint32Array[] = []
  readonly #free: number[] = []
  #size = 0

  /** Returns the slot of an empty window. */
  allocate(second: number): number {
    const slot = this.#free.pop() ?? this.#grow()
    const words = this.#chunkOf(slot)
    const base = baseOf(slot)
    words.fill(0, base, base + wordsPerWindow)
    words[base + lastWord] = second
    return slot
  }

  /** Frees a window's slot for another. */
  release(slot: number): void {
    this.#free.push(slot)
  }

  /** The number of requests that count in `second`; removes older ones. */
  used(slot: number, second: number): number {
    const words = this.#chunkOf(slot)
    const base = baseOf(slot)
    const last = words[base + lastWord] as number
    if (second > last) expire(words, base, last, second)
    return words[base + totalWord] as number
  }

  /** Counts `requests` in `second`; `used` must have been called for that second before. */
  count(slot: number, second: number, requests = 1): void {
    const words = this.#chunkOf(slot)
    const base = baseOf(slot)
    const at = Math.max(second, words[base + lastWord] as number)
    const total = words[base + totalWord] as number
    if (total === 0) words[base + oldestWord] = at
    words[base + (at % windowSeconds)] = (words[base + (at % windowSeconds)] as number) + requests
    words[base + totalWord] = total + requests
  }

  /**
   * The second in which the number of remaining requests next grows or, while `limit` or more requests count,
   * the first second in which a request is admitted. The window must not be empty.
   */
  resetSecond(slot: number, limit: number): number {
    const words = this.#chunkOf(slot)
    const base = baseOf(slot)
    let second = words[base + oldestWord] as number
    let rest = (words[base + totalWord] as number) - (words[base + (second % windowSeconds)] as number)
    while (rest >= limit && second < (words[base + lastWord] as number)) {
      second++
      rest -= words[base + (second % windowSeconds)] as number
    }
    return second + windowSeconds
  }

  /** Calls `visit` with each second from `since` on that holds requests, and their number. */
  forEachSecond(slot: number, since: number, visit: (second: number, requests: number) => void): void {
    const words = this.#chunkOf(slot)
    const base = baseOf(slot)
    if (words[base + totalWord] === 0) return
    const first = Math.max(since, words[base + oldestWord] as number)
    for (let second = first; second <= (words[base + lastWord] as number); second++) {
      const requests = words[base + (second % windowSeconds)] as number
      if (requests > 0) visit(second, requests)
    }
  }

  #grow(): number {
    if (this.#size === this.#chunks.length * windowsPerChunk) {
      this.#chunks.push(new Uint32Array(windowsPerChunk * wordsPerWindow))
    }
    return this.#size++
  }

  #chunkOf(slot: number): Uint32Array {
    return this.#chunks[Math.floor(slot / windowsPerChunk)] as Uint32Array
  }
}

function baseOf(slot: number): number {
  return (slot % windowsPerChunk) * wordsPerWindow
}

function expire(words: Uint32Array, base: number, last: number, second: number): void {
  words[base + lastWord] = second
  let total = words[base + totalWord] as number
  if (total === 0) return
  const outdated = Math.min(second - last, windowSeconds)
  for (let i = 1; i <= outdated; i++) {
    const index = base + ((last + i) % windowSeconds)
    total -= words[index] as number
    words[index] = 0
  }
  words[base + totalWord] = total
  if (total === 0) return
  let oldest = Math.max(words[base + oldestWord] as number, second - windowSeconds + 1)
  while (words[base + (oldest % windowSeconds)] === 0) oldest++
  words[base + oldestWord] = oldest
}
