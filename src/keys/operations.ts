/** What the description says of the operations on API keys. */

import { bodyRefusals, type OperationOptions, operation } from '../openapi/operation.ts'
import { CurrentKey, IssuedKey, Key, Keys } from './schemas.ts'

/** What the operations for `admin` keys share. */
function adminOperation(options: Omit<OperationOptions, 'scope' | 'stability'>) {
  return operation({ ...options, scope: 'admin', stability: 'beta' })
}

export const operations = {
  listKeys: adminOperation({
    id: 'listKeys',
    summary: 'List API keys',
    description: 'Returns a page of keys, by id ascending, revoked and expired ones too.',
    status: 200,
    answer: 'A page of keys.',
    schema: Keys,
    conditional: true,
    headers: ['Link'],
    refusals: ['invalid_parameter', 'invalid_cursor'],
  }),
  createKey: adminOperation({
    id: 'createKey',
    summary: 'Issue an API key',
    description: 'Issues a key and shows it, this once. Without `accountId` it opens an account of that name.',
    status: 201,
    answer: 'The key.',
    schema: IssuedKey,
    headers: ['ETag', 'Location'],
    refusals: [...bodyRefusals, 'not_found'],
    isRepeatable: true,
  }),
  getCurrentKey: operation({
    id: 'getCurrentKey',
    summary: 'Fetch the key that asks',
    description: 'Returns what the key may do and how much of it has been used, this request included.',
    scope: undefined,
    status: 200,
    answer: 'The key.',
    schema: CurrentKey,
    conditional: true,
    stability: 'beta',
  }),
  getKey: adminOperation({
    id: 'getKey',
    summary: 'Fetch an API key',
    description: 'Returns one key, without the key itself.',
    status: 200,
    answer: 'The key.',
    schema: Key,
    conditional: true,
    refusals: ['not_found'],
  }),
  updateKey: adminOperation({
    id: 'updateKey',
    summary: 'Change an API key',
    description: 'Changes what is given and leaves the rest. It holds from the next request.',
    status: 200,
    answer: 'The key as it is now.',
    schema: Key,
    headers: ['ETag'],
    refusals: [...bodyRefusals, 'not_found'],
    isGuarded: true,
  }),
  revokeKey: adminOperation({
    id: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'Revokes a key for good, from the next request on. Revoking it again changes nothing.',
    status: 204,
    answer: 'The key is revoked.',
    refusals: ['not_found'],
    isGuarded: true,
  }),
  rollKey: adminOperation({
    id: 'rollKey',
    summary: 'Roll an API key',
    description:
      'Issues a successor with the same name, account, scopes and lifetime, and lets the old key live for the overlap.',
    status: 201,
    answer: 'The successor.',
    schema: IssuedKey,
    headers: ['ETag', 'Location'],
    refusals: [...bodyRefusals, 'not_found', 'conflict'],
    isRepeatable: true,
    isGuarded: true,
  }),
  liftBan: adminOperation({
    id: 'liftBan',
    summary: "Lift a key's ban",
    description: 'Lifts the ban and forgets that there was one. Without a ban nothing changes.',
    status: 204,
    answer: 'The key is not banned.',
    refusals: ['not_found'],
    isGuarded: true,
  }),
}
