/** The `webhooks` of the OpenAPI document (3.1): the requests that the store sends, one for each type of event. */

import { Type } from '@sinclair/typebox'
import { type EventDeclaration, eventSchema } from '../../access/events/declare.ts'
import type { EventType } from '../../access/events/rules.ts'
import { timeSchema } from '../../api/schemas.ts'
import { eventDeclarations } from '../events.ts'
import type { NamedSchemas, SharedParts } from './shared-parts.ts'

const idSchema = Type.String({
  title: 'EventMessageId',
  minLength: 5,
  maxLength: 60,
  pattern: '^evt_[0-9a-z_-]+$',
  description: '`evt_` and the id of the event, as in the header `webhook-id`: the same for each attempt.',
  examples: ['evt_1795169700000000'],
})

const members = { id: idSchema, timestamp: { ...timeSchema('When it happened.'), title: 'EventTime' } }

const header = (name: string, description: string, maxLength: number, pattern: string, example: string) => ({
  name,
  in: 'header',
  description,
  required: true,
  schema: { type: 'string', maxLength, pattern },
  example,
})

const headers = {
  MessageId: header(
    'webhook-id',
    'The id of the event, the same for each attempt.',
    60,
    '^evt_',
    members.id['examples'][0],
  ),
  MessageTimestamp: header(
    'webhook-timestamp',
    'The time of the attempt, in Unix seconds. Reject requests that are older than five minutes.',
    16,
    '^[0-9]+$',
    '1795169700',
  ),
  MessageSignature: header(
    'webhook-signature',
    'Signatures (Standard Webhooks 1.0.0), two separated by a space while two secrets are valid: `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64.',
    200,
    '^v1,',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
}

/** The requests by type of event. */
export function describeWebhooks(shared: SharedParts, { refer }: Pick<NamedSchemas, 'refer'>): object {
  const parameters = Object.entries(headers).map(([name, one]) => shared.refer('parameters', name, one))
  const delivered = shared.refer('responses', 'WebhookDelivered', {
    description:
      'Any status from 200 to 299 within 15 seconds: the event is delivered. After any other response or none it is tried again, except for 410, which disables the webhook.',
  })
  const describe = (type: EventType, declaration: EventDeclaration) => ({
    post: {
      'x-stability': 'beta',
      tags: ['events'],
      operationId: type.replaceAll(/[._]([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      // A summary is plain text.
      summary: declaration.description.replaceAll('`', ''),
      parameters,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: refer(eventSchema(type, declaration, members)) } },
      },
      responses: { '2XX': delivered },
      security: [],
    },
  })
  return Object.fromEntries(
    Object.entries(eventDeclarations).map(([type, declaration]) => [type, describe(type as EventType, declaration)]),
  )
}
