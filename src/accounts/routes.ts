/** Accounts: who the customers are, what they may use and what they have used. For `admin` keys. */

import { Type } from '@sinclair/typebox'
import type { App } from '../app.ts'
import { deedOf } from '../audit/deed.ts'
import { feature } from '../http/feature.ts'
import { json, needs } from '../http/input.ts'
import { pageOf, pageParameters, sendPage, writePage } from '../http/page.ts'
import { assertMatch, sendChanged, sendRecord } from '../http/representation.ts'
import { idParameter, integerParameter, openObject } from '../http/validation.ts'
import { AppError } from '../lib/error.ts'
import { storedLabel } from '../lib/text.ts'
import { dayMs, dayOf } from '../limits/days.ts'
import { bodyRefusals, operation } from '../openapi/operation.ts'
import type { Allowance } from '../plans/rules.ts'
import { changeAccount, openAccount } from './open.ts'
import { Account, AccountChange, Accounts, NewAccountBody, toAccount, Usage } from './schemas.ts'
import type { AccountRow } from './store.ts'

const list = 'accounts'
const path = '/v1/accounts'
const accountId = Type.Object({ accountId: idParameter('Id of the account.') })

export const accountRoutes = (
  app: Pick<App, 'accounts' | 'audit' | 'writer' | 'clock' | 'limits' | 'limiter' | 'posting'>,
) => {
  const { accounts, writer, clock, limits, limiter, posting } = app

  function get(id: number) {
    const account = accounts.find(id)
    if (!account) throw new AppError('not_found', `There is no account ${id}.`)
    return account
  }

  /** The last `days` days in order, those without a request too; the last one is today. */
  function usageOf(id: number, days: number): Usage {
    const today = dayOf(clock.now())
    const first = today - days + 1
    const requests = new Map(limits.since(id, first).map((row) => [row.day, row.requests]))
    // What was counted within the last second is in memory alone.
    requests.set(today, limiter.used(id).day)
    return Array.from({ length: days }, (_, i) => ({
      date: new Date((first + i) * dayMs).toISOString().slice(0, 10),
      requests: requests.get(first + i) ?? 0,
    }))
  }

  return feature({ prefix: '/accounts', tags: ['keys'] })
    .get(
      '',
      ({ query, request, set }) => {
        const { limit, after = 0 } = pageOf(query, list)
        const read = (most: number) => accounts.page(after, most).map(toAccount)
        return sendPage(request, set, writePage({ path, list, query: {}, limit, read }))
      },
      {
        transform: needs('admin', 'limit', 'cursor'),
        query: openObject(pageParameters),
        detail: operation({
          id: 'listAccounts',
          summary: 'List accounts',
          description: 'Returns a page of accounts, by id ascending.',
          scope: 'admin',
          status: 200,
          answer: 'A page of accounts.',
          schema: Accounts,
          conditional: true,
          headers: ['Link'],
          refusals: ['invalid_parameter', 'invalid_cursor'],
          stability: 'beta',
        }),
      },
    )
    .post(
      '',
      ({ body, request, set, caller, bodyDigest }) =>
        posting.post({ request, set, caller, bodyDigest }, () => {
          const { name, plan = 'free' } = body
          const order = { name: storedLabel(name), plan, custom: numbersOf(body) }
          const account = openAccount(app, order, deedOf(caller, clock))
          return { body: toAccount(account), location: `${path}/${account.id}` }
        }),
      {
        parse: json('admin', 'application/json'),
        body: NewAccountBody,
        detail: operation({
          id: 'createAccount',
          summary: 'Open an account',
          description: 'Opens an account, on Free unless `plan` says otherwise.',
          scope: 'admin',
          status: 201,
          answer: 'The account.',
          schema: Account,
          headers: ['ETag', 'Location'],
          refusals: bodyRefusals,
          isRepeatable: true,
          stability: 'beta',
        }),
      },
    )
    .get(
      '/:accountId',
      ({ params, request, set }) => sendRecord(request, set, toAccount(get(Number(params.accountId)))),
      {
        transform: needs('admin'),
        params: accountId,
        detail: operation({
          id: 'getAccount',
          summary: 'Fetch an account',
          description: 'Returns one account.',
          scope: 'admin',
          status: 200,
          answer: 'The account.',
          schema: Account,
          conditional: true,
          refusals: ['not_found'],
          stability: 'beta',
        }),
      },
    )
    .patch(
      '/:accountId',
      async ({ params, body, request, set, caller }) => {
        const { name, plan } = body
        const changes = {
          ...(name === undefined ? {} : { name: storedLabel(name) }),
          ...(plan === undefined ? {} : { plan }),
          custom: numbersOf(body),
        }
        const id = Number(params.accountId)
        const unchanged = (account: AccountRow) => assertMatch(request, toAccount(account))
        const account = await writer.write(() => changeAccount(app, id, changes, deedOf(caller, clock), unchanged))
        return sendChanged(set, toAccount(account))
      },
      {
        parse: json('admin', 'application/json', 'application/merge-patch+json'),
        params: accountId,
        body: AccountChange,
        detail: operation({
          id: 'updateAccount',
          summary: 'Change an account',
          description: 'Changes what is given and leaves the rest. A change of plan holds from the next request.',
          scope: 'admin',
          status: 200,
          answer: 'The account as it is now.',
          schema: Account,
          headers: ['ETag'],
          refusals: [...bodyRefusals, 'not_found'],
          isGuarded: true,
          stability: 'beta',
        }),
      },
    )
    .get(
      '/:accountId/usage',
      ({ params, query, request, set }) => {
        const { id } = get(Number(params.accountId))
        return sendRecord(request, set, usageOf(id, Number(query.days ?? 30)))
      },
      {
        transform: needs('admin', 'days'),
        params: accountId,
        query: openObject({
          days: Type.Optional(
            integerParameter({
              format: 'int32',
              minimum: 1,
              maximum: 366,
              default: 30,
              description: 'How many days, today included.',
              examples: [30],
            }),
          ),
        }),
        detail: operation({
          id: 'getUsage',
          summary: 'Requests of an account by day',
          description: 'Returns the requests of each of the last days (UTC), the oldest first and today last.',
          scope: 'admin',
          status: 200,
          answer: 'One entry a day.',
          schema: Usage,
          conditional: true,
          refusals: ['invalid_parameter', 'not_found'],
          stability: 'beta',
        }),
      },
    )
}

function numbersOf({ perMinute, perDay }: { perMinute?: number; perDay?: number }): Partial<Allowance> {
  return { ...(perMinute === undefined ? {} : { perMinute }), ...(perDay === undefined ? {} : { perDay }) }
}
