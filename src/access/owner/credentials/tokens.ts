/**
 * Bearer tokens of the dashboard: a session is exchanged for one, with which its page sends requests to the API like
 * any other client. A token lives for ten minutes in memory, by its SHA-256, and ends with its session at once.
 */

import type { Principal } from '../../../api/principal.ts'
import { type Scope, scopes } from '../../../api/scopes.ts'
import type { Clock } from '../../../lib/clock.ts'
import { sha256 } from '../../keys/rules.ts'
import { newSecret } from './secret.ts'

export const tokenLifetimeMs = 600_000

/** The built-in account "Dashboard", whose limits the dashboard has. It is in no list and cannot be changed. */
export const dashboardAccountId = 0
const allowance = { perMinute: 6_000, perDay: 1_000_000 }
const policy = `"minute";q=${allowance.perMinute};w=60, "day";q=${allowance.perDay};w=86400`

/** How every token begins, so that people and scanners recognise it. */
const prefix = 'pet_session_'
const tokensOfSession = 50

const allScopes: ReadonlySet<Scope> = new Set(scopes)

/** The session for which a token is issued. */
export interface Trade {
  readonly sessionId: number
  /** The last moment of the session, Unix milliseconds. */
  readonly sessionEndsAt: number
  /** The account of records that are created with the token without naming another account. */
  readonly ownAccountId: number
}

export interface IssuedToken {
  readonly token: string
  /** RFC 3339. */
  readonly expiresAt: string
}

interface Entry {
  readonly sessionId: number
  /** On the monotonic clock. */
  readonly endsMs: number
  readonly principal: Principal
}

export function createDashboardTokens(clock: Pick<Clock, 'now' | 'monotonic'>) {
  /** By the SHA-256 in base64, in the order in which they were issued. */
  const entries = new Map<string, Entry>()

  function sweep(sessionId: number): void {
    const nowMs = clock.monotonic()
    const ofSession: string[] = []
    for (const [name, entry] of entries) {
      if (entry.endsMs <= nowMs) entries.delete(name)
      else if (entry.sessionId === sessionId) ofSession.push(name)
    }
    for (const name of ofSession.slice(0, Math.max(0, ofSession.length + 1 - tokensOfSession))) entries.delete(name)
  }

  return {
    /** Whether a text has the form of a token. */
    isToken: (text: string): boolean => text.startsWith(prefix),
    issue({ sessionId, sessionEndsAt, ownAccountId }: Trade): IssuedToken {
      sweep(sessionId)
      const nowMs = clock.now()
      const lifetimeMs = Math.min(tokenLifetimeMs, sessionEndsAt - nowMs)
      const token = prefix + newSecret()
      const expiresAtMs = nowMs + lifetimeMs
      entries.set(nameOf(token), {
        sessionId,
        endsMs: clock.monotonic() + lifetimeMs,
        principal: {
          actor: 'owner',
          accountId: dashboardAccountId,
          ownAccountId,
          plan: 'enterprise',
          allowance,
          policy,
          scopes: allScopes,
          keyId: undefined,
          keyName: 'Dashboard',
          expiresAtMs,
        },
      })
      return { token, expiresAt: new Date(expiresAtMs).toISOString() }
    },
    /** The principal of a token; undefined if it has ended or never existed. */
    find(token: string): Principal | undefined {
      const entry = entries.get(nameOf(token))
      return entry && clock.monotonic() < entry.endsMs ? entry.principal : undefined
    },
    /** Whether the token of a principal is still valid. */
    isValid(principal: Principal): boolean {
      for (const entry of entries.values()) if (entry.principal === principal) return clock.monotonic() < entry.endsMs
      return false
    },
    /** Ends one token. */
    end(token: string): void {
      entries.delete(nameOf(token))
    },
    /** Ends the tokens of every session that is not in `live`. */
    keepSessions(live: ReadonlySet<number>): void {
      for (const [name, { sessionId }] of entries) if (!live.has(sessionId)) entries.delete(name)
    },
  }
}
export type DashboardTokens = ReturnType<typeof createDashboardTokens>

function nameOf(token: string): string {
  return sha256(token).toString('base64')
}
