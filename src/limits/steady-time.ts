/**
 * Wall time without its steps. A window counted by the system's clock would open or jam when someone
 * sets it; this one follows the monotonic clock instead and corrects by whole seconds, so that its
 * seconds still begin when the wall clock's do.
 */

import type { Clock } from '../lib/clock.ts'

export class SteadyTime {
  /** As of the last `read`: wall time, Unix milliseconds. */
  wallMs: number
  /** As of the last `read`: the current second of this steady time; never decreases. */
  second: number
  /** Steady seconds minus wall seconds: zero until the system's clock is set. */
  correctionSeconds = 0

  readonly #clock: Pick<Clock, 'now' | 'monotonic'>
  readonly #originMs: number

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock
    this.wallMs = clock.now()
    this.#originMs = this.wallMs - clock.monotonic()
    this.second = Math.floor(this.wallMs / 1000)
  }

  /** Brings the three fields up to date, without allocating. */
  read(): void {
    const wallMs = this.#clock.now()
    const strayMs = wallMs + this.correctionSeconds * 1000 - (this.#clock.monotonic() + this.#originMs)
    if (strayMs >= 1000 || strayMs <= -1000) this.correctionSeconds -= Math.floor(strayMs / 1000)
    const second = Math.floor(wallMs / 1000) + this.correctionSeconds
    this.wallMs = wallMs
    if (second > this.second) this.second = second
  }
}
