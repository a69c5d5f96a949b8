/** The handlers of the endpoints of accounts. */

import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import type { Clock } from '../../lib/clock.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import { storedLabel } from '../../lib/text.ts'
import { auditContextOf } from '../audit/store.ts'
import type { EventWriter } from '../events/log.ts'
import type { KeyStore } from '../keys/store.ts'
import { dayMs, dayOf } from '../limits/days.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { LimitStore } from '../limits/store.ts'
import { accountEndpoints } from './endpoints.ts'
import { type AccountStores, changeAccount, getAccount, openAccount } from './open.ts'
import { numbersOf } from './rules.ts'
import { toAccount, type Usage } from './schemas.ts'
import type { AccountRow } from './store.ts'

export const accountRoutes = (
  parts: AccountStores & {
    readonly keys: KeyStore
    readonly events: EventWriter
    readonly clock: Clock
    readonly limits: LimitStore
    readonly limiter: Limiter
    readonly endpointParts: EndpointParts
  },
) => {
  const { accounts, keys, events, clock, limits, limiter } = parts

  const accountOf = (row: AccountRow) =>
    toAccount(row, { usedToday: limiter.used(row.id).day, keyCount: keys.countInUse(row.id, clock.now()) })

  /** The last `days` days in order, including days without a request; the last one is today. */
  function usageOf(id: number, days: number): Usage {
    const today = dayOf(clock.now())
    const first = today - days + 1
    const requests = new Map(limits.since(id, first).map((row) => [row.day, row.requests]))
    // The requests of the last second are only in memory.
    requests.set(today, limiter.used(id).day)
    return Array.from({ length: days }, (_, i) => ({
      date: new Date((first + i) * dayMs).toISOString().slice(0, 10),
      requests: requests.get(first + i) ?? 0,
    }))
  }

  return mount(
    accountEndpoints,
    {
      listAccounts({ query: { q }, cursorId, fetchLimit }) {
        if (q === undefined) return accounts.page(cursorId ?? 0, fetchLimit).map(accountOf)
        const { records, searchedTo } = accounts.search(q, pageRange('asc', cursorId), fetchLimit)
        return { records: records.map(accountOf), searchedTo }
      },
      createAccount({ body, principal }) {
        const { name, plan = 'free' } = body
        const newAccount = { name: storedLabel(name), plan, custom: numbersOf(body) }
        const account = openAccount(parts, newAccount, auditContextOf(principal, clock))
        return { body: accountOf(account), location: `/v1/accounts/${account.id}` }
      },
      getAccount: ({ params }) => accountOf(getAccount(parts, params.accountId)),
      updateAccount({ params, body, principal, assertPreconditions }) {
        const { name, plan } = body
        const changes = {
          ...(name === undefined ? {} : { name: storedLabel(name) }),
          ...(plan === undefined ? {} : { plan }),
          custom: numbersOf(body),
        }
        const before = accountOf(getAccount(parts, params.accountId))
        const changed = changeAccount(parts, params.accountId, changes, auditContextOf(principal, clock), () =>
          assertPreconditions(before),
        )
        const account = accountOf(changed)
        events.write('account.updated', account.id, account, before)
        return account
      },
      getUsage: ({ params, query }) => usageOf(getAccount(parts, params.accountId).id, query.days ?? 30),
    },
    parts.endpointParts,
  )
}
