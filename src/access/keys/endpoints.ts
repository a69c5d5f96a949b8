/** The endpoints of API keys. */

import { created, endpoint, json, mergePatch, page, removed, resource, updated } from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import { AppError } from '../../lib/error.ts'
import { assertPlanSettings, numbersOf, type PlanSettings } from '../accounts/rules.ts'
import { CurrentKey, IssuedKey, Key, KeyChangeBody, Keys, keyFilters, NewKeyBody, RollBody } from './schemas.ts'

const params = { keyId: idParameter('Id of the key.') }
const common = { tag: 'keys', scope: 'admin' } as const

/** Responses about keys are never cached, and using a key does not change its ETag. */
const sent = { cacheControl: 'no-store', untagged: ['lastUsedAt'] } as const

/** Throws `invalid_body` for settings of a new account that contradict each other or stand beside `accountId`. */
function assertAccountOrPlan(body: PlanSettings & { readonly accountId?: number }): void {
  if (body.accountId === undefined) assertPlanSettings(body)
  else if (body.plan !== undefined || Object.keys(numbersOf(body)).length > 0) {
    throw new AppError(
      'invalid_body',
      'plan, perMinute and perDay are for a new account: leave them out with accountId.',
    )
  }
}

export const keyEndpoints = {
  listKeys: endpoint({
    ...common,
    method: 'GET',
    path: '/keys',
    summary: 'List API keys',
    description:
      'Returns a page of keys, by id ascending, including revoked and expired ones. The filters combine; with `state` a page can end early and still have a `Link`.',
    query: keyFilters,
    success: page(Keys, { description: 'A page of keys.', cursorName: 'keys', cacheControl: 'no-store' }),
  }),
  createKey: endpoint({
    ...common,
    method: 'POST',
    path: '/keys',
    summary: 'Issue an API key',
    description:
      'Issues a key and shows it once, in this response. Without `accountId` it opens an account with the name of the key.',
    body: json(NewKeyBody, assertAccountOrPlan),
    success: created(IssuedKey, { description: 'The key.', ...sent }),
    errors: ['not_found'],
  }),
  getCurrentKey: endpoint({
    ...common,
    method: 'GET',
    path: '/keys/current',
    summary: 'Fetch the key of this request',
    description:
      'Returns the scopes of the key, its limits, and how much of them is used, including this request. Its ETag does not cover `used`.',
    scope: 'any',
    success: resource(CurrentKey, { description: 'The key.', cacheControl: 'no-store', untagged: ['used'] }),
  }),
  getKey: endpoint({
    ...common,
    method: 'GET',
    path: '/keys/{keyId}',
    params,
    summary: 'Fetch an API key',
    description: 'Returns one key, without the key itself. Its ETag does not cover `lastUsedAt`.',
    success: resource(Key, { description: 'The key.', ...sent }),
  }),
  updateKey: endpoint({
    ...common,
    method: 'PATCH',
    path: '/keys/{keyId}',
    params,
    summary: 'Change an API key',
    description:
      'Changes the members that are sent and leaves the others unchanged. The change takes effect with the next request.',
    body: mergePatch(KeyChangeBody),
    success: updated(Key, { description: 'The key as it is now.', ...sent }),
  }),
  revokeKey: endpoint({
    ...common,
    method: 'DELETE',
    path: '/keys/{keyId}',
    params,
    summary: 'Revoke an API key',
    description: 'Revokes a key permanently, from the next request on. Revoking it again changes nothing.',
    success: removed({ description: 'The key is revoked.', ...sent }),
  }),
  rollKey: endpoint({
    ...common,
    method: 'POST',
    path: '/keys/{keyId}/roll',
    params,
    summary: 'Roll an API key',
    description:
      'Issues a successor with the same name, account, scopes and lifetime. The old key keeps working for `overlapSeconds`.',
    body: json(RollBody),
    success: created(IssuedKey, { description: 'The successor.', ...sent }),
    errors: ['conflict', 'precondition_failed'],
  }),
  liftBan: endpoint({
    ...common,
    method: 'DELETE',
    path: '/keys/{keyId}/ban',
    params,
    summary: "Lift a key's ban",
    description:
      'Lifts the ban and deletes its record, so that a later ban is not longer because of it. Without a ban nothing changes.',
    success: removed({ description: 'The key is not banned.', ...sent }),
  }),
}
