/** The JSON form of webhooks and their deliveries. */

import { Kind, type Static, Type, TypeRegistry } from '@sinclair/typebox'
import { typePatterns } from '../../access/events/rules.ts'
import {
  countSchema,
  faultOf,
  freeText,
  idSchema,
  maximumId,
  nullable,
  openEnum,
  requestObject,
  stringEnum,
  timeOrNull,
  timeSchema,
} from '../../api/schemas.ts'
import { nearest } from '../../lib/nearest.ts'
import { countedPending, countedReplayed, webhookStates } from './rules.ts'
import type { DeliveryRow, WebhookRow } from './store.ts'
import { deliveryStates, orderChoices } from './table.ts'

const description = freeText('WebhookDescription', 200, 'A note for people about its purpose.', 'Newsletter')

const maximumUrl = 2_000
const url = Type.String({
  minLength: 8,
  maxLength: maximumUrl,
  pattern: '^\\S+$',
  description: 'Where deliveries are sent, with `https://`. No user name, no password.',
  examples: ['https://partner.example/hook'],
})

TypeRegistry.Set('WebhookTypes', (_, value) => Array.isArray(value) && typesFault(value) === undefined)

const maximumTypes = 100

function typesFault(given: readonly unknown[]): string | undefined {
  if (given.length === 0) return 'must name at least one type of event, such as order.placed or pet.*'
  if (given.length > maximumTypes) return `must name at most ${maximumTypes} types of events`
  for (const one of given) {
    if (typeof one !== 'string') return 'must be a list of strings'
    if (typePatterns.includes(one)) continue
    const suggestion = nearest(one, typePatterns)
    const advice = suggestion === undefined ? `known are ${typePatterns.join(', ')}` : `did you mean \`${suggestion}\`?`
    return `names a type of event that does not exist, \`${one.slice(0, 60)}\`: ${advice}`
  }
  return undefined
}

const typesOptions = {
  type: 'array',
  items: { type: 'string', maxLength: 60, pattern: '^[a-z]+\\.([a-z_]+|\\*)$' },
  minItems: 1,
  maxItems: maximumTypes,
  description: 'The types of events that are delivered: their names, and `pet.*` for all that begin so.',
  examples: [['order.placed', 'pet.*']],
}
const givenTypes = Type.Unsafe<readonly string[]>({
  ...typesOptions,
  [Kind]: 'WebhookTypes',
  [faultOf]: (value: string) => typesFault(value === '' ? [] : value.split(',')) ?? 'must be a list of types of events',
})
const storedTypes = Type.Array(Type.String(typesOptions.items), {
  maxItems: maximumTypes,
  description: typesOptions.description,
  examples: typesOptions.examples,
})

const orders = stringEnum(orderChoices, {
  description:
    'Whose order events are delivered: those of its account (`own`, the default for a new webhook), or all (needs the scope `orders:manage`).',
  examples: ['own'],
})

const status = Type.Integer({
  format: 'int32',
  minimum: 100,
  maximum: 999,
  description: 'The status of the last response. Null if there was none.',
  examples: [500],
})

const errorText = Type.String({
  maxLength: 3_000,
  pattern: '^[\\s\\S]*$',
  description: 'Why the last attempt failed, for people. Null if it did not.',
  examples: ['The receiver responded with 500.'],
})

const responseText = Type.String({
  maxLength: 2_100,
  pattern: '^[\\s\\S]*$',
  description:
    'The beginning of the response to the last attempt, if that failed: at most 2 KiB of text from the receiver.',
  examples: ['Internal Server Error'],
})

const durationMs = countSchema('How long the last attempt took, in milliseconds.', 87)

const deliveryExample = {
  id: 9,
  webhookId: 1,
  eventId: 1763979300000000,
  type: 'order.placed',
  state: 'failed',
  attempts: 2,
  attemptedAt: '2026-11-24T10:15:05.000Z',
  nextAttemptAt: '2026-11-24T10:20:05.000Z',
  status: 500,
  durationMs: 87,
  error: 'The receiver responded with 500.',
  response: 'Internal Server Error',
} as const

export const Delivery = Type.Object(
  {
    id: idSchema('Identifier of the delivery.'),
    webhookId: idSchema('The webhook.'),
    eventId: Type.Integer({
      format: 'int64',
      minimum: 1,
      maximum: maximumId,
      description: 'The event. The header `webhook-id` of each attempt is `evt_` and this number.',
      examples: [deliveryExample.eventId],
    }),
    type: Type.String({
      maxLength: 60,
      pattern: '^[a-z]+\\.[a-z_]+$',
      description: 'The type of the event.',
      examples: ['order.placed'],
    }),
    state: openEnum(deliveryStates, {
      description:
        'The result of the last attempt: `delivered` or `failed`. A failed delivery is tried again until its event expires.',
    }),
    attempts: countSchema('The number of attempts.', 2),
    attemptedAt: timeSchema('The time of the last attempt.'),
    nextAttemptAt: nullable(timeSchema('The earliest time of the next attempt. Null if there is none.')),
    status: nullable(status),
    durationMs,
    error: nullable(errorText),
    response: nullable(responseText),
  },
  { title: 'Delivery', description: 'The attempts to deliver one event to a webhook.', examples: [deliveryExample] },
)
export type Delivery = Static<typeof Delivery>

export const Deliveries = Type.Array(Delivery, {
  title: 'Deliveries',
  description: 'A page of deliveries.',
  maxItems: 100,
})

const webhookExample = {
  id: 1,
  accountId: 2,
  url: 'https://partner.example/hook',
  types: ['order.placed', 'pet.*'],
  orders: 'own',
  description: 'Newsletter',
  enabled: true,
  state: 'working',
  pending: 0,
  createdAt: '2026-11-24T10:00:00.000Z',
  lastDelivery: {
    id: 9,
    type: 'order.placed',
    state: 'delivered',
    attemptedAt: '2026-11-24T10:15:00.000Z',
    status: 200,
    error: null,
  },
} as const

export const Webhook = Type.Object(
  {
    id: idSchema('Identifier of the webhook.'),
    accountId: idSchema('The account that it belongs to.'),
    url,
    types: storedTypes,
    orders: openEnum(orderChoices, { description: 'Whose order events are delivered.' }),
    description: nullable(description.stored),
    enabled: Type.Boolean({ description: 'Whether it delivers.', examples: [true] }),
    state: openEnum(webhookStates, {
      description:
        '`failing`: five attempts in a row have failed; the oldest delivery is tried at the times of the schedule, and new events while fewer than five wait. `resting`: no valid key of its account has the scope `webhooks:write`, or the webhook is on hold after a restore. `disabled`: `enabled` is false, which the service sets after five days of failing, or after a 410.',
    }),
    pending: countSchema(`The number of pending events; ${countedPending} means ${countedPending} or more.`, 0),
    createdAt: timeSchema('When it was created.'),
    lastDelivery: nullable(
      Type.Object(
        {
          id: idSchema('Id of the delivery.'),
          type: Type.String({ maxLength: 60, pattern: '^[a-z]+\\.[a-z_]+$', description: 'The type of its event.' }),
          state: openEnum(deliveryStates, { description: 'The result of its last attempt.' }),
          attemptedAt: timeSchema('The time of that attempt.'),
          status: nullable(status),
          error: nullable(errorText),
        },
        { description: 'The delivery that was attempted last. Null before the first one.' },
      ),
    ),
  },
  { title: 'Webhook', description: 'A URL to which events are delivered.', examples: [webhookExample] },
)
export type Webhook = Static<typeof Webhook>

export const Webhooks = Type.Array(Webhook, { title: 'Webhooks', description: 'A page of webhooks.', maxItems: 100 })

const secret = nullable(
  Type.String({
    minLength: 50,
    maxLength: 50,
    pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
    description:
      'The secret that signs the deliveries, shown in this response alone. Null in a response that is replayed for its `Idempotency-Key`.',
    examples: ['whsec_3BDZFv7gVNbZ1jNxl3yFlLEk0nDHdIuqDiOY3Xn3yXQ='],
  }),
)

export const WebhookWithSecret = Type.Object(
  { ...Webhook.properties, secret },
  {
    title: 'WebhookWithSecret',
    description: 'A webhook with its secret.',
    examples: [{ ...webhookExample, secret: 'whsec_3BDZFv7gVNbZ1jNxl3yFlLEk0nDHdIuqDiOY3Xn3yXQ=' }],
  },
)

const enabled = Type.Boolean({
  description: 'Whether it delivers. A new webhook does unless this is false.',
  examples: [true],
})

export const NewWebhook = requestObject(
  {
    url,
    types: givenTypes,
    orders: Type.Optional(orders),
    description: Type.Optional(nullable(description.given)),
    enabled: Type.Optional(enabled),
    accountId: Type.Optional(
      idSchema('The account that it belongs to. An account other than that of the key needs the scope `admin`.'),
    ),
  },
  {
    title: 'NewWebhook',
    description: 'A webhook to create. It gets the events that the key of this request may see.',
    examples: [{ url: webhookExample.url, types: webhookExample.types }],
  },
  Webhook,
)

export const WebhookChange = requestObject(
  {
    url: Type.Optional(url),
    types: Type.Optional(givenTypes),
    orders: Type.Optional(orders),
    description: Type.Optional(nullable(description.given)),
    enabled: Type.Optional(enabled),
    from: Type.Optional(
      stringEnum(['now'], {
        description: 'With `enabled: true`: skips the pending events instead of delivering them.',
        examples: ['now'],
      }),
    ),
  },
  {
    title: 'WebhookChange',
    description: 'The members to change; the others are unchanged.',
    if: { required: ['from'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { enabled: { const: true } }, required: ['enabled'] },
    examples: [{ enabled: true, from: 'now' }],
  },
  Webhook,
)

export const Replay = requestObject(
  {
    after: Type.Optional(
      Type.Integer({
        format: 'int64',
        minimum: 0,
        maximum: maximumId,
        description: 'The events after this one; 0 for all that are kept.',
        examples: [deliveryExample.eventId],
      }),
    ),
    since: Type.Optional(timeSchema('The events since this time.')),
  },
  {
    title: 'Replay',
    oneOf: [{ required: ['after'] }, { required: ['since'] }],
    description: 'Which events are delivered again: either `after` or `since`.',
    examples: [{ since: '2026-11-24T00:00:00.000Z' }],
  },
)

export const Replayed = Type.Object(
  {
    deliveries: countSchema(
      `The number of events that are delivered again; ${countedReplayed} means ${countedReplayed} or more.`,
      12,
    ),
  },
  { title: 'Replayed', description: 'The result of the replay.', examples: [{ deliveries: 12 }] },
)

export const TestResult = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Whether the receiver accepted the event.', examples: [true] }),
    status: nullable(status),
    durationMs,
    error: nullable(errorText),
    response: nullable(responseText),
  },
  {
    title: 'WebhookTest',
    description: 'The result of the test.',
    examples: [{ delivered: true, status: 200, durationMs: 87, error: null, response: null }],
  },
)
export type TestResult = Static<typeof TestResult>

export const Release = requestObject(
  {
    pending: stringEnum(['send', 'give_up'], {
      description:
        '`send` delivers the events that were pending when the backup was made, `give_up` skips them. Events since the restore are delivered in either case.',
      examples: ['send'],
    }),
  },
  {
    title: 'ReleaseWebhooks',
    description: 'The decision about the pending events.',
    examples: [{ pending: 'send' }],
  },
)

export const Released = Type.Object(
  { webhooks: countSchema('The number of webhooks that were on hold.', 2) },
  { title: 'ReleasedWebhooks', description: 'The result of the release.', examples: [{ webhooks: 2 }] },
)

/** Returns the JSON form of a webhook, without its secret. */
export function describeWebhook(
  row: WebhookRow,
  { state, pending }: Pick<Webhook, 'state' | 'pending'>,
  lastDelivery: DeliveryRow | undefined,
): Webhook {
  const { id, accountId, types, orders: ofOrders, isEnabled, createdAt } = row
  return {
    id,
    accountId,
    url: row.url,
    types: [...types],
    orders: ofOrders,
    description: row.description,
    enabled: isEnabled,
    state,
    pending,
    createdAt: new Date(createdAt).toISOString(),
    lastDelivery: lastDelivery
      ? {
          id: lastDelivery.id,
          type: lastDelivery.type,
          state: lastDelivery.state,
          attemptedAt: new Date(lastDelivery.attemptedAt).toISOString(),
          status: lastDelivery.status,
          error: lastDelivery.error,
        }
      : null,
  }
}

/**
 * Returns the JSON form of a delivery, of which no attempt is made before `earliestMs` (Unix milliseconds). A
 * delivery of a disabled webhook has no next attempt: it waits until the webhook is enabled.
 */
export function toDelivery(
  { attemptedAt, nextAt, ...row }: DeliveryRow,
  { isEnabled }: Pick<WebhookRow, 'isEnabled'>,
  earliestMs: number,
): Delivery {
  return {
    id: row.id,
    webhookId: row.webhookId,
    eventId: row.eventId,
    type: row.type,
    state: row.state,
    attempts: row.attempts,
    attemptedAt: new Date(attemptedAt).toISOString(),
    nextAttemptAt: timeOrNull(nextAt === null || !isEnabled ? null : Math.max(nextAt, earliestMs)),
    status: row.status,
    durationMs: row.durationMs,
    error: row.error,
    response: row.response,
  }
}
