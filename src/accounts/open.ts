/** Opens and changes accounts, each time with an entry in the audit log. To be called in a transaction. */

import type { AuditContext } from '../audit/context.ts'
import type { AuditStore } from '../audit/store.ts'
import { AppError } from '../lib/error.ts'
import { type Allowance, allowanceOf, type Plan } from '../plans/rules.ts'
import { allowanceOfAccount } from './rules.ts'
import type { AccountRow, AccountStore } from './store.ts'

export interface AccountStores {
  readonly accounts: AccountStore
  readonly audit: AuditStore
}

export interface NewAccount {
  readonly name: string
  readonly plan: Plan
  /** The enterprise plan needs both numbers, other plans reject them. */
  readonly custom: Partial<Allowance>
}

/** Throws `invalid_body` for numbers that the plan does not accept. */
export function openAccount(
  stores: AccountStores,
  { name, plan, custom }: NewAccount,
  context: AuditContext,
): AccountRow {
  const allowance = allowanceOf(plan, custom)
  const account = stores.accounts.add({ name, plan, ...storedNumbers(plan, allowance), createdAt: context.nowMs })
  stores.audit.record(context, {
    action: 'account.created',
    accountId: account.id,
    details: { name, plan, ...allowance },
  })
  return account
}

/**
 * Changes the members of `changes`. Throws `not_found` for an unknown account, the errors of `assertPreconditions`, and
 * `invalid_body` for numbers that the plan does not accept. An Enterprise account keeps a number that is not given.
 */
export function changeAccount(
  stores: AccountStores,
  id: number,
  changes: Partial<NewAccount>,
  context: AuditContext,
  assertPreconditions: (account: AccountRow) => void = () => {},
): AccountRow {
  const account = stores.accounts.find(id)
  if (!account) throw new AppError('not_found', `There is no account ${id}.`)
  assertPreconditions(account)
  const plan = changes.plan ?? account.plan
  const kept = plan === 'enterprise' && account.plan === 'enterprise' ? allowanceOfAccount(account) : {}
  const allowance = allowanceOf(plan, { ...kept, ...changes.custom })
  const name = changes.name ?? account.name
  stores.accounts.update(id, { name, plan, ...storedNumbers(plan, allowance) })
  stores.audit.record(context, { action: 'account.changed', accountId: id, details: { name, plan, ...allowance } })
  return stores.accounts.find(id) as AccountRow
}

function storedNumbers(plan: Plan, { perMinute, perDay }: Allowance) {
  return plan === 'enterprise' ? { perMinute, perDay } : { perMinute: null, perDay: null }
}
