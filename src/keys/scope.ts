/** Asking for a scope (RFC 6750 section 3.1). */

import { AppError } from '../lib/error.ts'
import { allows, type Scope } from './rules.ts'

/** The refusal that names the scope a key lacks. */
export class InsufficientScope extends AppError {
  readonly scope: Scope

  constructor(scope: Scope) {
    super('insufficient_scope', `This API key lacks the scope ${scope}.`)
    this.scope = scope
  }
}

/** Throws `insufficient_scope` unless the caller may do what needs `scope`. */
export function assertScope(caller: { readonly scopes: ReadonlySet<Scope> }, scope: Scope): void {
  if (!allows(caller.scopes, scope)) throw new InsufficientScope(scope)
}
