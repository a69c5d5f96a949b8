/**
 * Changes of an issued key: editing, rolling, revoking, lifting a ban. Each adds an entry to the audit log and an event
 * if it changes something, and must be called in the transaction in which the key was read.
 */

import { timeOrNull } from '../../api/schemas.ts'
import { parseScopes, type Scope } from '../../api/scopes.ts'
import { latestTimeMs } from '../../lib/duration.ts'
import { AppError } from '../../lib/error.ts'
import type { AuditContext } from '../audit/store.ts'
import { getKey, type IssuedKey, issueKey, type KeyStores } from './issue.ts'
import { toKey } from './schemas.ts'
import type { StoredKey } from './store.ts'

export interface KeyChange {
  readonly name?: string
  readonly scopes?: readonly Scope[]
  /** Unix milliseconds, or null for never. */
  readonly expiresAt?: number | null
}

export function changeKey(stores: KeyStores, key: StoredKey, change: KeyChange, context: AuditContext): StoredKey {
  const { name = key.name, expiresAt = key.expiresAt } = change
  const scopes = change.scopes?.join(' ') ?? key.scopes
  if (name === key.name && scopes === key.scopes && expiresAt === key.expiresAt) return key
  stores.keys.update(key.id, { name, scopes, expiresAt })
  addToAudit(stores, 'key.changed', key, context, { name, scopes: scopes.split(' '), expiresAt: timeOrNull(expiresAt) })
  const changed = getKey(stores, key.id)
  stores.events.write('key.updated', key.accountId, toKey(changed), toKey(key))
  return changed
}

/** Revokes a key permanently; has no effect on a revoked key. */
export function revokeKey(stores: KeyStores, key: StoredKey, context: AuditContext): void {
  if (key.revokedAt !== null) return
  stores.keys.update(key.id, { revokedAt: context.nowMs })
  addToAudit(stores, 'key.revoked', key, context)
  stores.events.write('key.revoked', key.accountId, toKey(getKey(stores, key.id)))
}

/**
 * Issues a successor with the name, scopes, account and lifetime of a key. The old key works for another `overlapMs`
 * unless it expires sooner. Throws `conflict` for a key that is revoked, expired or
 * already rolled into one that still exists.
 */
export function rollKey(stores: KeyStores, key: StoredKey, overlapMs: number, context: AuditContext): IssuedKey {
  const { id } = key
  const isOver = key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= context.nowMs)
  if (isOver) throw new AppError('conflict', `Key ${id} is revoked or expired: create a new one instead.`)
  const earlier = key.successorId === null ? undefined : stores.keys.find(key.successorId)
  if (earlier?.revokedAt === null) {
    throw new AppError('conflict', `Key ${id} has already been rolled into key ${key.successorId}: roll that one.`)
  }
  // A key that was created while the clock was fast has lived for no time yet.
  const createdAt = Math.min(key.createdAt, context.nowMs)
  const newKey = {
    name: key.name,
    account: { id: key.accountId },
    scopes: [...parseScopes(key.scopes)],
    expiresAt: key.expiresAt === null ? undefined : bounded(context.nowMs + (key.expiresAt - createdAt)),
  }
  const successor = issueKey(stores, newKey, context)
  const expiresAt = bounded(Math.min(context.nowMs + overlapMs, key.expiresAt ?? latestTimeMs))
  stores.keys.update(id, { expiresAt, successorId: successor.id })
  addToAudit(stores, 'key.rolled', key, context, { successorId: successor.id, expiresAt: timeOrNull(expiresAt) })
  stores.events.write('key.rolled', key.accountId, toKey(getKey(stores, id)))
  return successor
}

/** The time, or the latest time whose year has four digits. */
function bounded(ms: number): number {
  return Math.min(ms, latestTimeMs)
}

/** Lifts a key's ban and deletes its record, so that a later ban is not longer because of it. */
export function liftBan(stores: KeyStores, key: StoredKey, context: AuditContext): void {
  if (key.bannedUntil === null) return
  stores.keys.liftBan(key.id)
  addToAudit(stores, 'key.unbanned', key, context)
  stores.events.write('key.updated', key.accountId, toKey(getKey(stores, key.id)), toKey(key))
}

function addToAudit(
  { audit }: KeyStores,
  action: string,
  key: StoredKey,
  context: AuditContext,
  details: object = {},
): void {
  audit.add(context, { action, accountId: key.accountId, keyId: key.id, details: { ...details } })
}
