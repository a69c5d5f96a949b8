/** API keys: `current` for any key, the rest for `admin` keys. Answers about keys are never cached. */

import { type Static, Type } from '@sinclair/typebox'
import type { App } from '../app.ts'
import { deedOf } from '../audit/deed.ts'
import { feature } from '../http/feature.ts'
import { json, needs } from '../http/input.ts'
import { pageOf, pageParameters, sendPage, writePage } from '../http/page.ts'
import { assertMatch, sendChanged, sendRecord } from '../http/representation.ts'
import { idParameter, openObject, parseTime } from '../http/validation.ts'
import type { Made } from '../idempotency/post.ts'
import { AppError } from '../lib/error.ts'
import { storedLabel } from '../lib/text.ts'
import type { Caller } from './authenticate.ts'
import { changeKey, liftBan, revokeKey, rollKey } from './change.ts'
import { type IssuedKey, issueKey, type KeyOrder } from './issue.ts'
import { operations } from './operations.ts'
import { defaultScopes } from './rules.ts'
import { type CurrentKey, KeyChangeBody, NewKeyBody, RollBody, toKey } from './schemas.ts'
import type { StoredKey } from './store.ts'

const list = 'keys'
const path = '/v1/keys'
const caching = 'no-store'
const keyId = Type.Object({ keyId: idParameter('Id of the key.') })

export const keyRoutes = (
  app: Pick<App, 'keys' | 'accounts' | 'audit' | 'writer' | 'clock' | 'limiter' | 'environment' | 'posting'>,
) => {
  const { keys, writer, clock, limiter, environment, posting } = app

  function get(id: number) {
    const key = keys.find(id)
    if (!key) throw new AppError('not_found', `There is no key ${id}.`)
    return key
  }

  const unchanged = (request: Request) => (key: StoredKey) => assertMatch(request, toKey(key))

  function made(issued: IssuedKey): Made {
    const representation = toKey(get(issued.id))
    return { body: issued, representation, repeatable: { ...issued, key: null }, location: `${path}/${issued.id}` }
  }

  function currentKey(caller: Caller): CurrentKey {
    const { keyId: id, keyName: name, accountId, plan, scopes, expiresAtMs, allowance } = caller
    return {
      id,
      accountId,
      name,
      plan,
      scopes: [...scopes],
      expiresAt: Number.isFinite(expiresAtMs) ? new Date(expiresAtMs).toISOString() : null,
      environment,
      limits: { ...allowance },
      used: limiter.used(accountId),
    }
  }

  return feature({ prefix: '/keys', tags: ['keys'] })
    .get(
      '',
      ({ query, request, set }) => {
        const { limit, after = 0 } = pageOf(query, list)
        const read = (most: number) => keys.page(after, most).map(toKey)
        return sendPage(request, set, writePage({ path, list, query: {}, limit, read }), caching)
      },
      {
        transform: needs('admin', 'limit', 'cursor'),
        query: openObject(pageParameters),
        detail: operations.listKeys,
      },
    )
    .post(
      '',
      ({ body, request, set, caller, bodyDigest }) =>
        posting.post({ request, set, caller, bodyDigest }, () =>
          made(issueKey(app, keyOrder(body), deedOf(caller, clock))),
        ),
      {
        parse: json('admin', 'application/json'),
        body: NewKeyBody,
        detail: operations.createKey,
      },
    )
    .get('/current', ({ caller, request, set }) => sendRecord(request, set, currentKey(caller), caching), {
      detail: operations.getCurrentKey,
    })
    .get('/:keyId', ({ params, request, set }) => sendRecord(request, set, toKey(get(Number(params.keyId))), caching), {
      transform: needs('admin'),
      params: keyId,
      detail: operations.getKey,
    })
    .patch(
      '/:keyId',
      async ({ params, body, request, set, caller }) => {
        const change = {
          ...(body.name === undefined ? {} : { name: storedLabel(body.name) }),
          ...(body.scopes === undefined ? {} : { scopes: body.scopes }),
          ...(body.expiresAt === undefined ? {} : { expiresAt: timeOf(body.expiresAt) }),
        }
        const key = await writer.write(() =>
          changeKey(app, Number(params.keyId), change, deedOf(caller, clock), unchanged(request)),
        )
        return sendChanged(set, toKey(key))
      },
      {
        parse: json('admin', 'application/json', 'application/merge-patch+json'),
        params: keyId,
        body: KeyChangeBody,
        detail: operations.updateKey,
      },
    )
    .delete(
      '/:keyId',
      async ({ params, request, set, caller }) => {
        await writer.write(() => revokeKey(app, Number(params.keyId), deedOf(caller, clock), unchanged(request)))
        set.status = 204
        return ''
      },
      {
        transform: needs('admin'),
        params: keyId,
        detail: operations.revokeKey,
      },
    )
    .post(
      '/:keyId/roll',
      async ({ params, body, request, set, caller, bodyDigest }) => {
        const id = Number(params.keyId)
        const overlapMs = (body.overlapSeconds ?? 86_400) * 1000
        return posting.post({ request, set, caller, bodyDigest }, () =>
          made(rollKey(app, id, overlapMs, deedOf(caller, clock), unchanged(request))),
        )
      },
      {
        parse: json('admin', 'application/json'),
        params: keyId,
        body: RollBody,
        detail: operations.rollKey,
      },
    )
    .delete(
      '/:keyId/ban',
      async ({ params, request, set, caller }) => {
        const id = Number(params.keyId)
        await writer.write(() => liftBan(app, id, deedOf(caller, clock), unchanged(request)))
        set.status = 204
        return ''
      },
      {
        transform: needs('admin'),
        params: keyId,
        detail: operations.liftBan,
      },
    )
}

/** Throws `invalid_body` for numbers or a plan that don't go with the rest. */
function keyOrder({
  name: given,
  accountId,
  plan,
  perMinute,
  perDay,
  scopes,
  expiresAt,
}: Static<typeof NewKeyBody>): KeyOrder {
  const name = storedLabel(given)
  const custom = { ...(perMinute === undefined ? {} : { perMinute }), ...(perDay === undefined ? {} : { perDay }) }
  if (accountId !== undefined && (plan !== undefined || perMinute !== undefined || perDay !== undefined)) {
    throw new AppError(
      'invalid_body',
      'plan, perMinute and perDay are for a new account: leave them out with accountId.',
    )
  }
  return {
    name,
    account: accountId === undefined ? { name, plan: plan ?? 'free', custom } : { id: accountId },
    scopes: scopes ?? defaultScopes,
    expiresAt: expiresAt === undefined ? undefined : (timeOf(expiresAt) ?? undefined),
  }
}

function timeOf(text: string | null): number | null {
  return text === null ? null : (parseTime(text) ?? null)
}
