/**
 * The principal of a request, which admission finds and the audit log and limits share, and the check of its scopes
 * (RFC 6750 section 3.1).
 */

import { AppError } from '../lib/error.ts'
import { allows, type Scope } from './scopes.ts'

/** Who acted, as the audit log records it: an API key, the owner, a command, or the service itself. */
export type Actor = `key:${number}` | 'owner' | 'command' | 'system'

/**
 * The key or dashboard session that sends a request, with its account, scopes and limits. All requests of a key share
 * one object.
 */
export interface Principal {
  readonly actor: Actor
  /** The account whose limits count the request; not an account of the API for the dashboard. */
  readonly accountId: number
  /** The account for which it creates records by default, and to which entries in the audit log belong. */
  readonly ownAccountId: number
  readonly plan: 'free' | 'pro' | 'business' | 'enterprise'
  /** How many requests the account may send in 60 seconds and in a UTC day. */
  readonly allowance: { readonly perMinute: number; readonly perDay: number }
  /** The `RateLimit-Policy` header of the responses. */
  readonly policy: string
  readonly scopes: ReadonlySet<Scope>
  /** The key of the request; bans and the time of last use belong to it. Undefined for the dashboard. */
  readonly keyId: number | undefined
  readonly keyName: string
  /** Unix milliseconds; `Infinity` for a key that does not expire. */
  readonly expiresAtMs: number
}

/** Stands for the principal until a request is admitted; it has no scope and no requests. */
export const nobody: Principal = {
  actor: 'system',
  accountId: 0,
  ownAccountId: 0,
  plan: 'free',
  allowance: { perMinute: 0, perDay: 0 },
  policy: '',
  scopes: new Set(),
  keyId: undefined,
  keyName: '',
  expiresAtMs: 0,
}

/** What admission gives to a request before Elysia routes it. */
export class Admitted {
  /** Who sends the request; `nobody` until it is authenticated. */
  principal: Principal = nobody
  /**
   * The request id and, as soon as they are known, the CORS and limit headers. A response adds its own and is made of
   * all.
   */
  readonly headers: Record<string, string> = {}
}

/**
 * Admits a request: completes `admitted`, or returns the response to a request that is rejected. `authorization` is the
 * `Authorization` header, or a substitute for it.
 */
export type Admit = (request: Request, admitted: Admitted, authorization?: string | null) => Response | undefined

/** The error for a key without a required scope. `missing` are those that it needs: one of them, or `all`. */
export class InsufficientScope extends AppError {
  readonly missing: readonly Scope[]

  constructor(missing: readonly Scope[], needs: 'one' | 'all' = 'one') {
    const names = missing.join(', ')
    const several = needs === 'one' ? `needs one of the scopes ${names}` : `lacks the scopes ${names}`
    super('insufficient_scope', `This API key ${missing.length === 1 ? `lacks the scope ${names}` : several}.`)
    this.missing = missing
  }
}

/** Throws `insufficient_scope` unless one of `alternatives` is granted; the list must not be empty. */
export function assertScope({ scopes }: Pick<Principal, 'scopes'>, alternatives: readonly Scope[]): void {
  if (alternatives.some((scope) => allows(scopes, scope))) return
  throw new InsufficientScope(alternatives)
}

/**
 * The account that a record is created for: the principal's own, or another that a principal with `admin` names. Throws
 * `insufficient_scope` for any other.
 */
export function namedAccount(principal: Principal, named: number | undefined): number {
  if (named === undefined || named === principal.ownAccountId) return principal.ownAccountId
  assertScope(principal, ['admin'])
  return named
}
