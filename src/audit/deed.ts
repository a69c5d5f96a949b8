/** Who does something, and when: what every entry of the audit log begins with. */

import type { Clock } from '../lib/clock.ts'

export interface Deed {
  /** `key:<id>` for a caller of the API, `cli` for a command, `service` for the service itself. */
  readonly actor: string
  /** Unix milliseconds. */
  readonly nowMs: number
}

/** A deed of a caller of the API, now. */
export function deedOf(caller: { readonly keyId: number }, clock: Pick<Clock, 'now'>): Deed {
  return { actor: `key:${caller.keyId}`, nowMs: clock.now() }
}
