/**
 * What happens to a key after its issue: changes, rolling, revocation, the lifting of a ban; each with
 * its entry in the audit log. To be called in a transaction; each throws `not_found` for an unknown key,
 * and what `assertPreconditions` throws.
 */

import type { AuditContext } from '../audit/context.ts'
import { latestTimeMs } from '../lib/duration.ts'
import { AppError } from '../lib/error.ts'
import { type IssuedKey, issueKey, type KeyStores } from './issue.ts'
import { parseScopes, type Scope } from './rules.ts'
import type { StoredKey } from './store.ts'

/** Throws unless the preconditions of the request allow a change of the key as it is. */
type AssertPreconditions = (key: StoredKey) => void

export interface KeyChange {
  readonly name?: string
  readonly scopes?: readonly Scope[]
  /** Unix milliseconds, or null for never. */
  readonly expiresAt?: number | null
}

export function changeKey(
  stores: KeyStores,
  id: number,
  change: KeyChange,
  context: AuditContext,
  assertPreconditions: AssertPreconditions = () => {},
): StoredKey {
  const key = get(stores, id)
  assertPreconditions(key)
  const { name = key.name, expiresAt = key.expiresAt } = change
  const scopes = change.scopes?.join(' ') ?? key.scopes
  stores.keys.update(id, { name, scopes, expiresAt })
  record(stores, 'key.changed', key, context, { name, scopes: scopes.split(' '), expiresAt: timeOrNull(expiresAt) })
  return get(stores, id)
}

/** Revokes a key for good; a revoked one stays as it is. */
export function revokeKey(
  stores: KeyStores,
  id: number,
  context: AuditContext,
  assertPreconditions: AssertPreconditions = () => {},
): void {
  const key = get(stores, id)
  assertPreconditions(key)
  if (stores.keys.revoke(id, context.nowMs)) record(stores, 'key.revoked', key, context)
}

/**
 * Issues a successor with the name, scopes, account and lifetime of a key, which goes on working for
 * `overlapMs` unless it expires sooner. Throws `conflict` for a key that is revoked, expired or rolled already.
 */
export function rollKey(
  stores: KeyStores,
  id: number,
  overlapMs: number,
  context: AuditContext,
  assertPreconditions: AssertPreconditions = () => {},
): IssuedKey {
  const key = get(stores, id)
  assertPreconditions(key)
  const isOver = key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= context.nowMs)
  if (isOver) throw new AppError('conflict', `Key ${id} is revoked or expired: create a new one instead.`)
  if (key.successorId !== null) {
    throw new AppError('conflict', `Key ${id} has been rolled into key ${key.successorId} already: roll that one.`)
  }
  const order = {
    name: key.name,
    account: { id: key.accountId },
    scopes: [...parseScopes(key.scopes)],
    expiresAt: key.expiresAt === null ? undefined : bounded(context.nowMs + (key.expiresAt - key.createdAt)),
  }
  const successor = issueKey(stores, order, context)
  const expiresAt = bounded(Math.min(context.nowMs + overlapMs, key.expiresAt ?? latestTimeMs))
  stores.keys.update(id, { expiresAt, successorId: successor.id })
  record(stores, 'key.rolled', key, context, { successorId: successor.id, expiresAt: timeOrNull(expiresAt) })
  return successor
}

/** A time that can be written with a year of four digits. */
function bounded(ms: number): number {
  return Math.min(ms, latestTimeMs)
}

/** Lifts a key's ban and deletes its record. */
export function liftBan(
  stores: KeyStores,
  id: number,
  context: AuditContext,
  assertPreconditions: AssertPreconditions = () => {},
): void {
  const key = get(stores, id)
  assertPreconditions(key)
  if (key.bannedUntil === null) return
  stores.keys.liftBan(id)
  record(stores, 'key.unbanned', key, context)
}

function get({ keys }: KeyStores, id: number): StoredKey {
  const key = keys.find(id)
  if (!key) throw new AppError('not_found', `There is no key ${id}.`)
  return key
}

function record(
  { audit }: KeyStores,
  action: string,
  key: StoredKey,
  context: AuditContext,
  details: object = {},
): void {
  audit.record(context, { action, accountId: key.accountId, keyId: key.id, details: { ...details } })
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
