/** The JSON form of the audit log. */

import { type Static, Type } from '@sinclair/typebox'
import { faultOf, idQuery, idSchema, nullable, timeSchema } from '../../api/schemas.ts'
import type { AuditRow } from './store.ts'

export const AuditEntry = Type.Object(
  {
    id: idSchema('Identifier of the entry.'),
    at: timeSchema('The time of the action.'),
    actor: Type.String({
      minLength: 1,
      maxLength: 40,
      pattern: '^[a-z]+(:[0-9]+)?$',
      description:
        'Who acted: `key:<id>` for an API key, `owner`, `command` for a `petstore` command, `system` for the service itself. Later versions may add others.',
      examples: ['key:1'],
    }),
    action: Type.String({
      minLength: 1,
      maxLength: 40,
      pattern: '^[a-z]+\\.[a-z]+$',
      description: 'The kind of action.',
      examples: ['key.created'],
    }),
    accountId: idSchema('The account that the action concerns.'),
    keyId: nullable(idSchema('The key that the action concerns; null if it concerns no key.')),
    details: Type.Object(
      {},
      {
        description: 'The values that the action set.',
        additionalProperties: true,
        examples: [{ name: 'Website', scopes: ['pets:read'], expiresAt: null }],
      },
    ),
  },
  { title: 'AuditEntry', description: 'An action on an account, one of its keys or projects, or on animals.' },
)

export const AuditEntries = Type.Array(AuditEntry, {
  title: 'AuditEntries',
  description: 'A page of the audit log.',
  maxItems: 100,
})

/** The filters of the audit log. */
export const auditFilters = {
  actor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      pattern: '^(key(:[0-9]+)?|owner|command|system)$',
      description: 'Actions of this actor; `key` for those of all API keys.',
      examples: ['owner'],
      [faultOf]: () => 'must be owner, command, system, key, or key: and the id of a key',
    }),
  ),
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      pattern: '^[a-z]+(\\.[a-z]+)?$',
      description: 'Actions of this kind, such as `key.created`; `key` for all actions on keys.',
      examples: ['key.created'],
      [faultOf]: () => 'must be an action such as key.created, or its first word',
    }),
  ),
  accountId: Type.Optional(idQuery('Actions that concern this account.')),
  keyId: Type.Optional(idQuery('Actions that concern this key.')),
  from: Type.Optional(timeSchema('Actions at this time or later.')),
  to: Type.Optional(timeSchema('Actions before this time.')),
}

/** Returns the JSON form of an entry. */
export function toAuditEntry(row: AuditRow): Static<typeof AuditEntry> {
  const { id, at, actor, action, accountId, keyId, details } = row
  return { id, at: new Date(at).toISOString(), actor, action, accountId, keyId, details }
}
