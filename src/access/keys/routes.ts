/** The handlers of the endpoints of API keys. */

import type { Static } from '@sinclair/typebox'
import type { Created } from '../../api/endpoint.ts'
import { mount } from '../../api/mount.ts'
import type { Principal } from '../../api/principal.ts'
import type { EndpointParts } from '../../api/route.ts'
import { defaultScopes } from '../../api/scopes.ts'
import type { Clock } from '../../lib/clock.ts'
import { parseTime } from '../../lib/duration.ts'
import { storedLabel } from '../../lib/text.ts'
import { numbersOf } from '../accounts/rules.ts'
import { auditContextOf } from '../audit/store.ts'
import type { Limiter } from '../limits/limiter.ts'
import { changeKey, liftBan, revokeKey, rollKey } from './change.ts'
import { keyEndpoints } from './endpoints.ts'
import { getKey, type IssuedKey, issueKey, type KeyStores, type NewKey } from './issue.ts'
import { type CurrentKey, type NewKeyBody, toKey } from './schemas.ts'
import type { StoredKey } from './store.ts'

export const keyRoutes = (
  parts: KeyStores & {
    readonly clock: Clock
    readonly limiter: Limiter
    readonly endpointParts: EndpointParts
  },
) => {
  const { keys, clock, limiter, environment } = parts

  function createdKey(issued: IssuedKey): Created {
    const replay = { ...issued, key: null }
    return { body: issued, representation: toKey(getKey(parts, issued.id)), replay, location: `/v1/keys/${issued.id}` }
  }

  function currentKey(principal: Principal): CurrentKey {
    const { keyId: id = null, keyName: name, accountId, ownAccountId, plan, scopes, expiresAtMs, allowance } = principal
    return {
      id,
      accountId: ownAccountId,
      name,
      plan,
      scopes: [...scopes],
      expiresAt: Number.isFinite(expiresAtMs) ? new Date(expiresAtMs).toISOString() : null,
      environment,
      limits: { ...allowance },
      used: limiter.used(accountId),
    }
  }

  const contextOf = (principal: Principal) => auditContextOf(principal, clock)

  /** The key that a request changes, if its conditional headers allow that. */
  function checkedKey(id: number, assertPreconditions: (record: object) => void): StoredKey {
    const key = getKey(parts, id)
    assertPreconditions(toKey(key))
    return key
  }

  return mount(
    keyEndpoints,
    {
      listKeys({ query, cursorId = 0, fetchLimit }) {
        const { records, searchedTo } = keys.filteredPage(query, clock.now(), cursorId, fetchLimit)
        return { records: records.map(toKey), searchedTo }
      },
      createKey: ({ body, principal }) => createdKey(issueKey(parts, newKeyOf(body), contextOf(principal))),
      getCurrentKey: ({ principal }) => currentKey(principal),
      getKey: ({ params }) => toKey(getKey(parts, params.keyId)),
      updateKey({ params, body, principal, assertPreconditions }) {
        const change = {
          ...(body.name === undefined ? {} : { name: storedLabel(body.name) }),
          ...(body.scopes === undefined ? {} : { scopes: body.scopes }),
          ...(body.expiresAt === undefined ? {} : { expiresAt: timeOf(body.expiresAt) }),
        }
        return toKey(changeKey(parts, checkedKey(params.keyId, assertPreconditions), change, contextOf(principal)))
      },
      revokeKey: ({ params, principal, assertPreconditions }) =>
        revokeKey(parts, checkedKey(params.keyId, assertPreconditions), contextOf(principal)),
      rollKey({ params, body: { overlapSeconds = 86_400 }, principal, assertPreconditions }) {
        const key = checkedKey(params.keyId, assertPreconditions)
        return createdKey(rollKey(parts, key, overlapSeconds * 1_000, contextOf(principal)))
      },
      liftBan: ({ params, principal, assertPreconditions }) =>
        liftBan(parts, checkedKey(params.keyId, assertPreconditions), contextOf(principal)),
    },
    parts.endpointParts,
  )
}

function newKeyOf(body: Static<typeof NewKeyBody>): NewKey {
  const { accountId, plan = 'free', scopes = defaultScopes, expiresAt } = body
  const name = storedLabel(body.name)
  return {
    name,
    account: accountId === undefined ? { name, plan, custom: numbersOf(body) } : { id: accountId },
    scopes,
    expiresAt: expiresAt === undefined ? undefined : (timeOf(expiresAt) ?? undefined),
  }
}

function timeOf(text: string | null): number | null {
  return text === null ? null : (parseTime(text) ?? null)
}
