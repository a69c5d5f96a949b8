/** Opens and changes accounts, each time with an entry in the audit log. To be called in a transaction. */

import { AppError } from '../../lib/error.ts'
import type { AuditContext, AuditStore } from '../audit/store.ts'
import { type Allowance, allowanceOf, allowanceOfAccount, type Plan } from './rules.ts'
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
  stores.audit.add(context, {
    action: 'account.created',
    accountId: account.id,
    details: { name, plan, ...allowance },
  })
  return account
}

/** Throws `not_found` for an unknown account. */
export function getAccount({ accounts }: Pick<AccountStores, 'accounts'>, id: number): AccountRow {
  const account = accounts.find(id)
  if (!account) throw new AppError('not_found', `There is no account ${id}.`)
  return account
}

/**
 * Changes the members of `changes`. Throws `not_found` for an unknown account, `invalid_body` for numbers that the plan
 * does not accept, unless the account has them already, and the errors of `assertPreconditions`. An Enterprise account
 * keeps a number that is not given. A change that changes nothing is not recorded.
 */
export function changeAccount(
  stores: AccountStores,
  id: number,
  changes: Partial<NewAccount>,
  context: AuditContext,
  assertPreconditions: () => void,
): AccountRow {
  const account = getAccount(stores, id)
  const plan = changes.plan ?? account.plan
  const allowance = allowanceOf(plan, customNumbers(account, plan, changes.custom))
  assertPreconditions()
  const name = changes.name ?? account.name
  const numbers = storedNumbers(plan, allowance)
  const { perMinute, perDay } = account
  if (Bun.deepEquals({ name, plan, ...numbers }, { name: account.name, plan: account.plan, perMinute, perDay })) {
    return account
  }
  stores.accounts.update(id, { name, plan, ...numbers })
  stores.audit.add(context, { action: 'account.changed', accountId: id, details: { name, plan, ...allowance } })
  return getAccount(stores, id)
}

/** The numbers for an account that changes to `plan`: without those that were sent back as they were read. */
function customNumbers(account: AccountRow, plan: Plan, custom: Partial<Allowance> = {}): Partial<Allowance> {
  const own = allowanceOfAccount(account)
  if (plan === 'enterprise') return account.plan === 'enterprise' ? { ...own, ...custom } : custom
  return Object.fromEntries(Object.entries(custom).filter(([name, value]) => value !== own[name as keyof Allowance]))
}

function storedNumbers(plan: Plan, { perMinute, perDay }: Allowance) {
  return plan === 'enterprise' ? { perMinute, perDay } : { perMinute: null, perDay: null }
}
