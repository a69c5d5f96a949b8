/**
 * Steady time: a clock that does not change when the system's clock is set. Windows and bans are counted in it, so that
 * their real duration is right; `Reset` is converted to wall time.
 */

import type { Clock } from '../../lib/clock.ts'

/**
 * Steady and wall time are compared with two readings; a pause of the process between them is not a step of the clock.
 */
const toleratedPauseMs = 20

/**
 * Truncated readings of the wall clock are up to 1 ms late. Steady time starts that much ahead, so that its
 * seconds never begin after the wall clock's: a client that sleeps until `Reset` is admitted.
 */
const truncationMs = 0.999

export class SteadyTime {
  /** As of the last `read`: wall time, Unix milliseconds. */
  wallMs: number
  /** As of the last `read`: steady time in whole milliseconds; never decreases. */
  nowMs = 0
  /** As of the last `read`: the current second of steady time. */
  second = 0
  /** Steady minus wall time: 0 until the system's clock is set. */
  offsetMs = 0

  readonly #clock: Pick<Clock, 'now' | 'monotonic'>
  #originMs = 0

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock
    this.wallMs = clock.now()
    this.startAt(0)
  }

  /** Begins at wall time plus `offsetMs`; to be called before anything is counted. */
  startAt(offsetMs: number): void {
    this.wallMs = this.#clock.now()
    this.offsetMs = offsetMs
    this.#originMs = this.wallMs + offsetMs - this.#clock.monotonic() + truncationMs
    this.read()
  }

  /** Updates the fields, without allocating. */
  read(): void {
    this.wallMs = this.#clock.now()
    this.nowMs = Math.floor(this.#clock.monotonic() + this.#originMs)
    this.second = Math.floor(this.nowMs / 1000)
    const strayMs = this.nowMs - this.wallMs - this.offsetMs
    if (strayMs < 0 || strayMs > toleratedPauseMs) this.offsetMs += strayMs
  }

  /** The wall time, Unix milliseconds, of a moment in steady time, as long as the system's clock is not set. */
  wallAt(steadyMs: number): number {
    return steadyMs - this.offsetMs
  }
  /** Converts a second of steady time to the first Unix second that begins with it or after it. */
  wallSecondOf(second: number): number {
    return Math.ceil(this.wallAt(second * 1000) / 1000)
  }
}
