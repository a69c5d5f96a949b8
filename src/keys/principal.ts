/** Who acts: the one notion of it that the audit log, limits and scopes share; and the check of scopes (RFC 6750 section 3.1). */

import { AppError } from '../lib/error.ts'
import type { Allowance, Plan } from '../plans/rules.ts'
import { allows, type Scope } from './rules.ts'

/** Who did something, as the audit log names it: an API key, the owner, a command, or the service by itself. */
export type Actor = `key:${number}` | 'owner' | 'command' | 'service'

/** Who sends a request: an account, and what it may do. One object serves all requests of a key. */
export interface Principal {
  readonly actor: Actor
  readonly accountId: number
  readonly plan: Plan
  readonly allowance: Allowance
  /** The `RateLimit-Policy` header of its responses. */
  readonly policy: string
  readonly scopes: ReadonlySet<Scope>
  /** The key that was sent; bans and the time of last use belong to it. */
  readonly keyId: number
  readonly keyName: string
  /** Unix milliseconds; `Infinity` for a key that does not expire. */
  readonly expiresAtMs: number
}

/** The error that names the scope a key lacks. */
export class InsufficientScope extends AppError {
  readonly scope: Scope

  constructor(scope: Scope) {
    super('insufficient_scope', `This API key lacks the scope ${scope}.`)
    this.scope = scope
  }
}

/** Throws `insufficient_scope` unless one of `alternatives`, of which there is at least one, is granted. */
export function assertScope({ scopes }: Pick<Principal, 'scopes'>, alternatives: readonly Scope[]): void {
  if (alternatives.some((scope) => allows(scopes, scope))) return
  throw new InsufficientScope(alternatives[0] as Scope)
}
