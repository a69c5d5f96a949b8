/** Starts, finds and ends sessions of the owner. Functions that change something are to be called in a transaction. */

import type { AccountStores } from '../accounts/open.ts'
import { storeAccount } from '../accounts/store-account.ts'
import type { AuditContext } from '../audit/store.ts'
import { sha256 } from '../keys/rules.ts'
import { isSecret, newSecret } from './credentials/secret.ts'
import { isLive } from './rules.ts'
import type { OwnerStore, SessionRow } from './store.ts'

export interface OwnerStores extends AccountStores {
  readonly owner: OwnerStore
}

/** The browser that sends a request. */
export interface Browser {
  /** The value of its `User-Agent`. */
  readonly userAgent: string
  /** Its address: an IPv4 address, or the /64 of an IPv6 address. */
  readonly network: string
  /** The values of its cookie for sessions; browsers may hold several of one name. */
  readonly sessionSecrets: readonly string[]
  /** The values of the cookie that a browser keeps after the owner has signed in. */
  readonly browserSecrets: readonly string[]
}

/** A session that has just begun, with the values of the cookies, which are not stored. */
export interface StartedSession {
  readonly session: SessionRow
  readonly sessionSecret: string
  /** Undefined if the browser has such a cookie already. */
  readonly browserSecret: string | undefined
}

const longestUserAgent = 300

/** Starts a session and ends the one that the browser had. */
export function startSession(stores: OwnerStores, browser: Browser, context: AuditContext): StartedSession {
  const { owner, audit } = stores
  const { nowMs } = context
  for (const before of findSessions(owner, browser)) owner.deleteSession(before.id)
  const sessionSecret = newSecret()
  const session = owner.addSession({
    sha256: sha256(sessionSecret),
    createdAt: nowMs,
    lastActiveAt: nowMs,
    userAgent: browser.userAgent.slice(0, longestUserAgent).toWellFormed(),
    network: browser.network,
  })
  const browserSecret = knownBrowser(owner, browser) === undefined ? newSecret() : undefined
  if (browserSecret !== undefined) owner.addBrowser(sha256(browserSecret), nowMs)
  const details = { sessionId: session.id, network: session.network }
  audit.add(context, { action: 'session.created', accountId: storeAccount(stores, context).id, details })
  return { session, sessionSecret, browserSecret }
}

/** Ends a session; returns whether there was one with this id. */
export function endSession(stores: OwnerStores, sessionId: number, context: AuditContext): boolean {
  const hasEnded = stores.owner.deleteSession(sessionId)
  if (hasEnded) {
    const accountId = storeAccount(stores, context).id
    stores.audit.add(context, { action: 'session.ended', accountId, details: { sessionId } })
  }
  return hasEnded
}

/** The session that a browser has, unless it has ended. */
export function findSession(owner: OwnerStore, browser: Browser, nowMs: number): SessionRow | undefined {
  return findSessions(owner, browser).find((session) => isLive(session, nowMs))
}

/** The sessions that have not ended, the newest first. */
export function liveSessions(owner: OwnerStore, nowMs: number): SessionRow[] {
  return owner.sessions().filter((session) => isLive(session, nowMs))
}

/** The ids of the sessions that have not ended. */
export function liveSessionIds(owner: OwnerStore, nowMs: number): ReadonlySet<number> {
  return new Set(liveSessions(owner, nowMs).map(({ id }) => id))
}

function findSessions(owner: OwnerStore, { sessionSecrets }: Browser): SessionRow[] {
  return sessionSecrets.filter(isSecret).flatMap((secret) => owner.findSession(sha256(secret)) ?? [])
}

/** The id of a browser in which the owner has signed in before; undefined for any other. */
export function knownBrowser(owner: OwnerStore, { browserSecrets }: Browser): number | undefined {
  return browserSecrets.filter(isSecret).flatMap((secret) => owner.findBrowser(sha256(secret))?.id ?? [])[0]
}
