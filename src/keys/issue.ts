/** Issuing a key: the account it belongs to, the key itself and its entry in the audit log, as one. */

import { allowanceOfAccount } from '../accounts/rules.ts'
import type { AccountStore } from '../accounts/store.ts'
import type { AuditStore } from '../audit/store.ts'
import { AppError } from '../lib/error.ts'
import { type Allowance, allowanceOf, type Plan } from '../plans/rules.ts'
import { type Environment, generateKey, type Scope, sha256, visiblePart } from './rules.ts'
import type { KeyStore } from './store.ts'

export interface KeyOrder {
  readonly name: string
  /** The account the key is for, or the plan of a new one that gets the key's name. */
  readonly account: { readonly id: number } | { readonly plan: Plan; readonly custom: Partial<Allowance> }
  readonly scopes: readonly Scope[]
  /** Unix milliseconds. */
  readonly expiresAt: number | undefined
}

/** A key on the one occasion when it can be seen. */
export interface IssuedKey {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly plan: Plan
  readonly scopes: readonly Scope[]
  readonly expiresAt: string | null
  readonly key: string
}

export interface IssueStores {
  readonly keys: KeyStore
  readonly accounts: AccountStore
  readonly audit: AuditStore
  readonly environment: Environment
}

/**
 * Issues a key; to be called in a transaction. Throws `invalid_body` for an unknown account or numbers
 * that the plan doesn't take.
 */
export function issueKey(stores: IssueStores, order: KeyOrder, nowMs: number, actor: string): IssuedKey {
  const account = 'id' in order.account ? existing(stores, order.account.id) : open(stores, order, nowMs, actor)
  const key = generateKey(stores.environment)
  const id = stores.keys.add({
    accountId: account.id,
    name: order.name,
    prefix: visiblePart(key),
    sha256: sha256(key),
    scopes: order.scopes.join(' '),
    createdAt: nowMs,
    expiresAt: order.expiresAt ?? null,
  })
  const expiresAt = order.expiresAt === undefined ? null : new Date(order.expiresAt).toISOString()
  stores.audit.record({
    at: nowMs,
    actor,
    action: 'key.created',
    accountId: account.id,
    keyId: id,
    details: { name: order.name, scopes: order.scopes, expiresAt },
  })
  return { id, accountId: account.id, name: order.name, plan: account.plan, scopes: order.scopes, expiresAt, key }
}

function existing({ accounts }: IssueStores, id: number): { id: number; plan: Plan } {
  const account = accounts.find(id)
  if (!account) throw new AppError('invalid_body', `There is no account ${id}.`)
  return account
}

function open(stores: IssueStores, order: KeyOrder, nowMs: number, actor: string): { id: number; plan: Plan } {
  if ('id' in order.account) throw new TypeError('the account exists already')
  const { plan, custom } = order.account
  allowanceOf(plan, custom)
  const row = {
    name: order.name,
    plan,
    perMinute: custom.perMinute ?? null,
    perDay: custom.perDay ?? null,
    createdAt: nowMs,
  }
  const id = stores.accounts.add(row)
  const details = { name: row.name, plan, ...allowanceOfAccount(row) }
  stores.audit.record({ at: nowMs, actor, action: 'account.created', accountId: id, details })
  return { id, plan }
}
