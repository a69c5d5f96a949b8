/**
 * Authentication: returns the principal of an `Authorization` header from an LRU cache, or else from one prepared
 * select. Only valid keys are cached, so a flood of wrong ones evicts nothing, and a new key works as soon as it is
 * stored.
 */

import { LRUCache } from 'lru-cache'
import type { Principal } from '../../api/principal.ts'
import { parseScopes } from '../../api/scopes.ts'
import { noLookUps } from '../../lib/cache-counts.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { allowanceOfAccount } from '../accounts/rules.ts'
import type { DashboardTokens } from '../owner/credentials/tokens.ts'
import { environmentOf, sha256 } from './rules.ts'
import type { KeyStore } from './store.ts'

export interface Rejection {
  readonly code: 'missing_api_key' | 'invalid_api_key' | 'expired_api_key' | 'revoked_api_key'
  readonly message: string
}

const missing: Rejection = {
  code: 'missing_api_key',
  message: 'Send your API key in the Authorization header: "Authorization: Bearer <API_KEY>".',
}
const malformed: Rejection = {
  code: 'invalid_api_key',
  message: 'This is not an API key of this service: check that you have copied all of it.',
}
const repeatedScheme: Rejection = {
  code: 'invalid_api_key',
  message: 'The Authorization header has "Bearer" twice: send "Authorization: Bearer <API_KEY>".',
}
const quoted: Rejection = {
  code: 'invalid_api_key',
  message: 'The API key is in quotation marks: send it without them, "Authorization: Bearer <API_KEY>".',
}
const unknown: Rejection = {
  code: 'invalid_api_key',
  message: 'This API key is not known here. It may belong to another installation.',
}
const expired: Rejection = { code: 'expired_api_key', message: 'This API key has expired. Ask for a new one.' }
const ended: Rejection = {
  code: 'expired_api_key',
  message: 'This token of the dashboard has expired: reload the page or sign in again.',
}
const revoked: Rejection = { code: 'revoked_api_key', message: 'This API key has been revoked. Ask for a new one.' }

const cachedPrincipals = 10_000

interface AuthenticatorOptions {
  readonly keys: KeyStore
  readonly dashboardTokens: DashboardTokens
  readonly environment: Environment
  readonly clock: Pick<Clock, 'now'>
}

export function createAuthenticator({ keys, dashboardTokens, environment, clock }: AuthenticatorOptions) {
  /** By `Bearer <key>`. Other spellings of the header are converted to this form, so that a key has one entry. */
  // A cache with `max` allocates room for all entries when it is created, which takes two milliseconds of a start.
  const principals = new LRUCache<string, Principal>({ maxSize: cachedPrincipals, sizeCalculation: () => 1 })
  const cacheCounts = noLookUps()
  const otherEnvironment: Rejection = {
    code: 'invalid_api_key',
    message:
      environment === 'production'
        ? 'This is a staging key (pet_test_…) and this is the production service: use a key that begins with pet_live_.'
        : 'This is a production key (pet_live_…) and this is the staging service: use a key that begins with pet_test_.',
  }

  function cached(header: string): Principal | undefined {
    const principal = principals.get(header)
    if (principal) cacheCounts.hits++
    return principal
  }

  function find(authorization: string): Principal | Rejection {
    const key = /^Bearer +([^ ]+) *$/i.exec(authorization)?.[1]
    if (key === undefined) return /^(Bearer +){2}/i.test(authorization) ? repeatedScheme : missing
    if (/^["']|["']$/.test(key)) return quoted
    const header = `Bearer ${key}`
    return cached(header) ?? read(key, header)
  }

  function read(key: string, header: string): Principal | Rejection {
    if (dashboardTokens.isToken(key)) return dashboardTokens.find(key) ?? ended
    const keyEnvironment = environmentOf(key)
    if (keyEnvironment === undefined) return malformed
    if (keyEnvironment !== environment) return otherEnvironment
    cacheCounts.misses++
    const found = keys.findBySha256(sha256(key))
    if (!found) return unknown
    if (found.revokedAt !== null) return revoked
    const allowance = allowanceOfAccount(found)
    const principal: Principal = {
      actor: `key:${found.id}`,
      keyId: found.id,
      keyName: found.name,
      accountId: found.accountId,
      ownAccountId: found.accountId,
      plan: found.plan,
      allowance,
      policy: `"minute";q=${allowance.perMinute};w=60, "day";q=${allowance.perDay};w=86400`,
      scopes: parseScopes(found.scopes),
      expiresAtMs: found.expiresAt ?? Number.POSITIVE_INFINITY,
    }
    principals.set(header, principal)
    return principal
  }

  return {
    cacheCounts,
    /** The principal of an `Authorization` header, or the reason for a 401. */
    authenticate(authorization: string | null): Principal | Rejection {
      if (!authorization) return missing
      const principal = cached(authorization) ?? find(authorization)
      if ('code' in principal) return principal
      const nowMs = clock.now()
      if (principal.expiresAtMs <= nowMs) return expired
      if (principal.keyId !== undefined) keys.noteUse(principal.keyId, nowMs)
      return principal
    },
    /**
     * Whether the key or token of a principal is still valid, with the scopes and the expiry of the principal.
     */
    isCurrent(principal: Principal): boolean {
      const { actor, keyId, expiresAtMs, scopes } = principal
      if (expiresAtMs <= clock.now()) return false
      if (actor === 'owner') return dashboardTokens.isValid(principal)
      if (keyId === undefined) return true
      const key = keys.find(keyId)
      const isSame =
        (key?.expiresAt ?? Number.POSITIVE_INFINITY) === expiresAtMs &&
        Bun.deepEquals(parseScopes(key?.scopes ?? ''), scopes)
      return key?.revokedAt === null && isSame
    },
    /** Clears the cache. To be called when keys or accounts have changed. */
    invalidate(): void {
      principals.clear()
    },
  }
}
export type Authenticator = ReturnType<typeof createAuthenticator>
