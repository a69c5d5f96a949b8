/** The endpoints of accounts: customers, their plans and their usage. */

import { Type } from '@sinclair/typebox'
import { created, endpoint, json, mergePatch, page, resource, updated } from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import { daysQuery } from '../../api/schemas.ts'
import { assertPlanSettings } from './rules.ts'
import { Account, AccountChange, Accounts, accountListParameters, NewAccountBody, Usage } from './schemas.ts'

const params = { accountId: idParameter('Id of the account.') }
/** Members that change by the use of an account. The ETag does not cover them. */
const untagged = ['usedToday', 'keyCount']
const common = { tag: 'keys', scope: 'admin' } as const

export const accountEndpoints = {
  listAccounts: endpoint({
    ...common,
    method: 'GET',
    path: '/accounts',
    summary: 'List accounts',
    description:
      'Returns a page of accounts, by id ascending. While there are more, `Link` holds the address of the next page; a search with `q` can end a page early.',
    query: accountListParameters,
    success: page(Accounts, { description: 'A page of accounts.', cursorName: 'accounts' }),
  }),
  createAccount: endpoint({
    ...common,
    method: 'POST',
    path: '/accounts',
    summary: 'Open an account',
    description: 'Opens an account, on the Free plan by default.',
    body: json(NewAccountBody, assertPlanSettings),
    success: created(Account, { description: 'The account.', untagged }),
  }),
  getAccount: endpoint({
    ...common,
    method: 'GET',
    path: '/accounts/{accountId}',
    params,
    summary: 'Fetch an account',
    description: 'Returns one account. Its ETag does not cover `usedToday` and `keyCount`.',
    success: resource(Account, { description: 'The account.', untagged }),
  }),
  updateAccount: endpoint({
    ...common,
    method: 'PATCH',
    path: '/accounts/{accountId}',
    params,
    summary: 'Change an account',
    description:
      'Changes the members that are sent and leaves the others unchanged. A change of plan takes effect with the next request.',
    body: mergePatch(AccountChange),
    success: updated(Account, { description: 'The account as it is now.', untagged }),
  }),
  getUsage: endpoint({
    ...common,
    method: 'GET',
    path: '/accounts/{accountId}/usage',
    params,
    summary: 'Count the requests of an account by day',
    description: 'Returns the requests of each of the last days (UTC), the oldest first and today last.',
    query: { days: Type.Optional(daysQuery()) },
    success: resource(Usage, { description: 'One entry for each day.' }),
  }),
}
