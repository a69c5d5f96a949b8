/**
 * Limits requests without a valid key by the client's address. IPv6 addresses are counted by /64, the block that one
 * customer usually has. The table has a fixed size: the address with the oldest last request is evicted.
 */

import { LRUCache } from 'lru-cache'
import type { Clock } from '../../lib/clock.ts'
import { SteadyTime } from './steady-time.ts'
import { Window } from './window.ts'

export const addressLimit = 600

/** At about 400 bytes each, 6 MiB. */
const trackedAddresses = 16_384

export interface AddressLimitStatus {
  limit: number
  remaining: number
  reset: number
  /** Whole seconds until `reset`. */
  resetInSeconds: number
  retryAfterSeconds: number
}

export class AddressLimiter {
  /** The status after the last `admit`; the same object each time. */
  readonly status: AddressLimitStatus = {
    limit: addressLimit,
    remaining: 0,
    reset: 0,
    resetInSeconds: 0,
    retryAfterSeconds: 0,
  }

  /** The number of requests that this process has rejected. */
  rejections = 0

  readonly #time: SteadyTime
  /** Created by the first request without a valid key: allocating the table would delay every start. */
  #windows: LRUCache<string, Window> | undefined

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#time = new SteadyTime(clock)
  }

  /** Returns whether a request of `network` is within the limit, and counts it if so. */
  admit(network: string): boolean {
    const time = this.#time
    time.read()
    this.#windows ??= new LRUCache<string, Window>({ max: trackedAddresses })
    let window = this.#windows.get(network)
    if (window === undefined) {
      window = new Window(time.second)
      this.#windows.set(network, window)
    }
    const used = window.used(time.second)
    const admitted = used < addressLimit
    if (admitted) window.count(time.second)
    else this.rejections++
    this.status.remaining = admitted ? addressLimit - used - 1 : 0
    this.status.reset = time.wallSecondOf(window.resetSecond(addressLimit))
    this.status.resetInSeconds = Math.ceil(this.status.reset - time.wallMs / 1000)
    this.status.retryAfterSeconds = Math.max(1, this.status.resetInSeconds)
    return admitted
  }
}
