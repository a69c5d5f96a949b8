/** Issues keys, each with an entry in the audit log, and opens their account if it is new. */

import { type Scope, scopes } from '../../api/scopes.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { latestTimeMs } from '../../lib/duration.ts'
import type { Environment } from '../../lib/environment.ts'
import { AppError } from '../../lib/error.ts'
import { type AccountStores, getAccount, type NewAccount, openAccount } from '../accounts/open.ts'
import type { Allowance, Plan } from '../accounts/rules.ts'
import { type StoreAccountStores, storeAccount } from '../accounts/store-account.ts'
import type { AuditContext } from '../audit/store.ts'
import type { EventWriter } from '../events/log.ts'
import { generateKey, sha256, visiblePart } from './rules.ts'
import { toKey } from './schemas.ts'
import type { KeyStore, StoredKey } from './store.ts'

export interface NewKey {
  readonly name: string
  /** The account of the key: an existing one, or one to open. */
  readonly account: { readonly id: number } | NewAccount
  readonly scopes: readonly Scope[]
  /** Unix milliseconds; undefined for a key that doesn't expire. */
  readonly expiresAt: number | undefined
  /** The key itself; undefined to generate one. */
  readonly key?: string | undefined
}

/** A new key, including the key itself, which is not stored and cannot be read again. */
export interface IssuedKey {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly plan: Plan
  readonly scopes: readonly Scope[]
  readonly expiresAt: string | null
  readonly key: string
}

export interface KeyStores extends AccountStores {
  readonly keys: KeyStore
  readonly events: EventWriter
  readonly environment: Environment
}

/**
 * Issues a key; to be called in a transaction. Throws `not_found` for an unknown account, and `invalid_body` for
 * numbers that the plan does not accept or for an expiry in the past.
 */
export function issueKey(stores: KeyStores, newKey: NewKey, context: AuditContext): IssuedKey {
  if (newKey.expiresAt !== undefined && newKey.expiresAt <= context.nowMs) {
    throw new AppError('invalid_body', 'expiresAt must not be in the past.')
  }
  if (newKey.expiresAt !== undefined && newKey.expiresAt > latestTimeMs) {
    throw new AppError('invalid_body', 'expiresAt must be before the year 10000.')
  }
  const account =
    'id' in newKey.account ? getAccount(stores, newKey.account.id) : openAccount(stores, newKey.account, context)
  const { key = generateKey(stores.environment) } = newKey
  const id = stores.keys.add({
    accountId: account.id,
    name: newKey.name,
    prefix: visiblePart(key),
    sha256: sha256(key),
    scopes: newKey.scopes.join(' '),
    createdAt: context.nowMs,
    expiresAt: newKey.expiresAt ?? null,
  })
  const expiresAt = newKey.expiresAt === undefined ? null : new Date(newKey.expiresAt).toISOString()
  const details = { name: newKey.name, scopes: newKey.scopes, expiresAt }
  stores.audit.add(context, { action: 'key.created', accountId: account.id, keyId: id, details })
  stores.events.write('key.created', account.id, toKey(getKey(stores, id)))
  return { id, accountId: account.id, name: newKey.name, plan: account.plan, scopes: newKey.scopes, expiresAt, key }
}

/** Throws `not_found` for an unknown key. */
export function getKey({ keys }: Pick<KeyStores, 'keys'>, id: number): StoredKey {
  const key = keys.find(id)
  if (!key) throw new AppError('not_found', `There is no key ${id}.`)
  return key
}

/** Settings of the first key. */
export interface FirstKey {
  readonly plan?: Plan
  /** The numbers of the enterprise plan. */
  readonly custom?: Partial<Allowance>
  readonly key?: string | undefined
}

/** Issues a key with every scope if there is no key yet; resolves to the key, or undefined if there was one. */
export function issueFirstKey(
  parts: KeyStores & StoreAccountStores & { readonly writer: Writer; readonly clock: Pick<Clock, 'now'> },
  { plan, custom, key }: FirstKey = {},
): Promise<string | undefined> {
  // If there is a key already, starting needs no write, so it also succeeds on a full disk.
  if (!parts.keys.isEmpty()) return Promise.resolve(undefined)
  return parts.writer.write(() => {
    if (!parts.keys.isEmpty()) return undefined
    const context = { actor: 'system', nowMs: parts.clock.now() } as const
    const { id, name } = storeAccount(parts, context, plan, custom)
    return issueKey(parts, { name, account: { id }, scopes, expiresAt: undefined, key }, context).key
  })
}
