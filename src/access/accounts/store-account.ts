/**
 * The account that the store itself uses: of its first key, and for what commands and the owner create. The
 * installation remembers its id, because it can be renamed.
 */

import { namedAccount, type Principal } from '../../api/principal.ts'
import type { AuditContext } from '../audit/store.ts'
import type { OwnerStore } from '../owner/store.ts'
import { type AccountStores, openAccount } from './open.ts'
import type { Allowance, Plan } from './rules.ts'
import type { AccountRow } from './store.ts'

export interface StoreAccountStores extends AccountStores {
  readonly owner: Pick<OwnerStore, 'installation' | 'updateInstallation'>
}

/** Its name until it is renamed. */
const name = 'Store'

/** The store's own account; before it is first used, the first account named "Store"; undefined if there is none. */
export function findStoreAccount({
  accounts,
  owner,
}: Pick<StoreAccountStores, 'accounts' | 'owner'>): AccountRow | undefined {
  const { accountId } = owner.installation()
  return accountId === null ? accounts.findByName(name) : accounts.find(accountId)
}

/** Returns the store's own account; opens it, with this plan, if there is none. To be called in a transaction. */
export function storeAccount(
  stores: StoreAccountStores,
  context: AuditContext,
  plan: Plan = 'business',
  custom: Partial<Allowance> = {},
): AccountRow {
  const account = findStoreAccount(stores) ?? openAccount(stores, { name, plan, custom }, context)
  if (stores.owner.installation().accountId === null) stores.owner.updateInstallation({ accountId: account.id })
  return account
}

/**
 * The id of the account that a record is created for, as `namedAccount` has it. A command's own account is that of the
 * store, which is opened if there is none. To be called in a transaction.
 */
export function accountFor(
  stores: StoreAccountStores,
  principal: Principal,
  context: AuditContext,
  named?: number,
): number {
  const id = namedAccount(principal, named)
  return id === 0 ? storeAccount(stores, context).id : id
}
