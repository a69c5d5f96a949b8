/** Who does something, and when: the beginning of every entry of the audit log. */

import type { Actor, Principal } from '../keys/principal.ts'
import type { Clock } from '../lib/clock.ts'

export interface AuditContext {
  readonly actor: Actor
  /** Unix milliseconds. */
  readonly nowMs: number
}

/** The context of a request, now. */
export function auditContextOf({ actor }: Pick<Principal, 'actor'>, clock: Pick<Clock, 'now'>): AuditContext {
  return { actor, nowMs: clock.now() }
}
