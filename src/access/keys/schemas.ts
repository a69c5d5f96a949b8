/** The JSON form of API keys. Only the response that issues a key contains the key itself. */

import { type Static, Type } from '@sinclair/typebox'
import {
  beta,
  idQuery,
  idSchema,
  label,
  nullable,
  openEnum,
  requestObject,
  smallCountSchema,
  stringEnum,
  timeOrNull,
  timeSchema,
  without,
} from '../../api/schemas.ts'
import { parseScopes, scopes } from '../../api/scopes.ts'
import { environments } from '../../lib/environment.ts'
import { allowanceCondition, Plan, perDay, perMinute } from '../accounts/schemas.ts'
import { keyPattern, keyStates } from './rules.ts'
import type { StoredKey } from './store.ts'

export const Scope = stringEnum(scopes, {
  title: 'Scope',
  description: 'A permission of a key; `admin` includes all.',
  examples: ['pets:read'],
})

/** The filters of a list of keys. */
export const keyFilters = {
  accountId: Type.Optional(beta(idQuery('Keys of this account.'))),
  state: Type.Optional(
    beta(
      stringEnum(keyStates, {
        title: 'KeyState',
        description: 'Keys in this state. A key has the first state that applies: revoked, expired, banned, active.',
        examples: ['active'],
      }),
    ),
  ),
}

const keyName = label('KeyName', 100, 'The name of the key, which helps people to distinguish keys.', 'Website')
const grantedScopes = Type.Array(Scope, {
  minItems: 1,
  maxItems: scopes.length,
  uniqueItems: true,
  description: 'The scopes of the key.',
  examples: [['pets:read', 'orders:read']],
})
const keyScopes = Type.Array(
  openEnum(scopes, { title: 'KeyScope', description: 'A permission of the key.', examples: ['pets:read'] }),
  {
    maxItems: 100,
    description: 'The scopes of the key.',
  },
)
const expiresAt = nullable(timeSchema('When the key stops working; null for never.'))

const identity = {
  id: idSchema('Identifier of the key.'),
  accountId: idSchema('The account the key belongs to.'),
  name: keyName.stored,
  plan: Plan,
  scopes: keyScopes,
  expiresAt,
}

const identityExample = {
  id: 3,
  accountId: 2,
  name: 'Website',
  plan: 'pro',
  scopes: ['pets:read', 'orders:read'],
  expiresAt: null,
}

export const Key = Type.Object(
  {
    ...identity,
    prefix: Type.String({
      minLength: 13,
      maxLength: 13,
      pattern: '^pet_(live|test)_[0-9A-Za-z]{4}$',
      description: 'The first characters of the key, by which people recognise it.',
      examples: ['pet_live_a1B2'],
    }),
    createdAt: timeSchema('When the key was issued.'),
    lastUsedAt: nullable(
      timeSchema(
        'When the key was last used; null for never. A crash of the service can lose uses of the last ten seconds.',
      ),
    ),
    revokedAt: nullable(timeSchema('When the key was revoked; null if it was not.')),
    bannedUntil: nullable(timeSchema('When the last ban ends or ended; null if there was none.')),
  },
  {
    title: 'Key',
    description: 'An API key, without the key itself.',
    examples: [
      {
        ...identityExample,
        prefix: 'pet_live_a1B2',
        createdAt: '2026-11-20T10:15:00.000Z',
        lastUsedAt: '2026-11-20T11:00:00.000Z',
        revokedAt: null,
        bannedUntil: null,
      },
    ],
  },
)
export type Key = Static<typeof Key>

export const Keys = Type.Array(Key, { title: 'Keys', description: 'A page of API keys.', maxItems: 100 })

export const IssuedKey = Type.Object(
  {
    ...identity,
    key: nullable(
      Type.String({
        minLength: 45,
        maxLength: 45,
        pattern: keyPattern,
        description:
          'The key. Only this response contains it; null in a repeated response to the same `Idempotency-Key`.',
        examples: ['pet_live_0123456789ABCDEFGHIJKLMNOPQRST3fTuUq'],
      }),
    ),
  },
  {
    title: 'IssuedKey',
    description: 'A new key. No later response contains the key itself.',
    examples: [{ ...identityExample, key: 'pet_live_0123456789ABCDEFGHIJKLMNOPQRST3fTuUq' }],
  },
)

export const CurrentKey = Type.Object(
  {
    ...identity,
    id: nullable(idSchema('Identifier of the key; null for a request of the dashboard, which has no key.')),
    environment: stringEnum(environments, { description: 'The environment of the key.', examples: ['production'] }),
    limits: Type.Object({ perMinute, perDay }, { description: "The limits of the key's account." }),
    used: Type.Object(
      {
        minute: smallCountSchema('Requests of the last 60 seconds.', 300),
        day: smallCountSchema('Requests of this UTC day.', 300),
      },
      { description: "The requests of the key's account, including this one." },
    ),
  },
  {
    title: 'CurrentKey',
    description: 'The key of this request.',
    examples: [
      {
        ...identityExample,
        environment: 'production',
        limits: { perMinute: 300, perDay: 10_000 },
        used: { minute: 7, day: 137 },
      },
    ],
  },
)
export type CurrentKey = Static<typeof CurrentKey>

export const NewKeyBody = requestObject(
  {
    name: keyName.given,
    accountId: Type.Optional(
      idSchema('The account that the key is for; without it, an account with the name of the key is opened.'),
    ),
    plan: Type.Optional(Plan),
    perMinute: Type.Optional(perMinute),
    perDay: Type.Optional(perDay),
    scopes: Type.Optional(grantedScopes),
    expiresAt: Type.Optional(expiresAt),
  },
  {
    title: 'NewKey',
    if: { required: ['accountId'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: without('plan', 'perMinute', 'perDay'),
    else: allowanceCondition,
    description:
      'A key to issue. Without `scopes` it gets all but `admin`, `orders:manage`, `webhooks:read` and `webhooks:write`. `plan`, `perMinute` and `perDay` apply to the account that is opened if `accountId` is not sent.',
    examples: [{ name: 'Website', accountId: 1, scopes: ['pets:read'] }],
  },
  Key,
)

export const KeyChangeBody = requestObject(
  {
    name: Type.Optional(keyName.given),
    scopes: Type.Optional(grantedScopes),
    expiresAt: Type.Optional(expiresAt),
  },
  {
    title: 'KeyChange',
    description: 'The members to change; the others are unchanged.',
    examples: [{ scopes: ['pets:read', 'pets:write'] }],
  },
  Key,
)

/** The longest overlap of a rolled key: a year. */
export const maximumOverlapSeconds = 31_536_000

export const RollBody = requestObject(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        format: 'int32',
        minimum: 0,
        maximum: maximumOverlapSeconds,
        description: 'The number of seconds for which the old key keeps working; 86400 if it is left out.',
        examples: [86_400],
      }),
    ),
  },
  { title: 'Roll', description: 'The settings for rolling a key.', examples: [{ overlapSeconds: 86_400 }] },
)

/** Returns the JSON form of a stored key. */
export function toKey(row: StoredKey): Key {
  const { id, accountId, name, plan, prefix } = row
  return {
    id,
    accountId,
    name,
    plan,
    scopes: [...parseScopes(row.scopes)],
    expiresAt: timeOrNull(row.expiresAt),
    prefix,
    createdAt: new Date(row.createdAt).toISOString(),
    lastUsedAt: timeOrNull(row.lastUsedAt),
    revokedAt: timeOrNull(row.revokedAt),
    bannedUntil: timeOrNull(row.bannedUntil),
  }
}
