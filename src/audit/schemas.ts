/** The audit log on the wire. */

import { type Static, Type } from '@sinclair/typebox'
import { idSchema, nullable, timeSchema } from '../endpoint/schemas.ts'
import type { AuditRow } from './store.ts'

export const AuditEntry = Type.Object(
  {
    id: idSchema('Identifier of the entry.'),
    at: timeSchema('When it was done.'),
    actor: Type.String({
      minLength: 1,
      maxLength: 40,
      pattern: '^(key:[0-9]+|owner|command|service)$',
      description:
        'Who did it: `key:<id>` for an API key, `owner`, `command` for a command on the machine, `service` for the service by itself.',
      examples: ['key:1'],
    }),
    action: Type.String({
      minLength: 1,
      maxLength: 40,
      pattern: '^[a-z]+\\.[a-z]+$',
      description: 'What was done.',
      examples: ['key.created'],
    }),
    accountId: idSchema('The account it concerns.'),
    keyId: nullable(idSchema('The key it concerns; null if it concerns the account as a whole.')),
    details: Type.Object(
      {},
      {
        description: 'What it set.',
        additionalProperties: true,
        examples: [{ name: 'Website', scopes: ['pets:read'], expiresAt: null }],
      },
    ),
  },
  { title: 'AuditEntry', description: 'Who did what to keys and accounts.' },
)

export const AuditEntries = Type.Array(AuditEntry, {
  title: 'AuditEntries',
  description: 'A page of the audit log.',
  maxItems: 100,
})

/** An entry as the API shows it. */
export function toAuditEntry(row: AuditRow): Static<typeof AuditEntry> {
  const { id, at, actor, action, accountId, keyId, details } = row
  return { id, at: new Date(at).toISOString(), actor, action, accountId, keyId, details }
}
