/** The actor and the time of an action, for its entry in the audit log. */

import type { Actor, Principal } from '../../api/principal.ts'
import type { Clock } from '../../lib/clock.ts'

export interface AuditContext {
  readonly actor: Actor
  /** Unix milliseconds. */
  readonly nowMs: number
}

/** The audit context of a request at the current time. */
export function auditContextOf({ actor }: Pick<Principal, 'actor'>, clock: Pick<Clock, 'now'>): AuditContext {
  return { actor, nowMs: clock.now() }
}
