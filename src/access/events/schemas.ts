/** The JSON form of events. */

import { Kind, type Static, Type, TypeRegistry } from '@sinclair/typebox'
import {
  faultOf,
  idSchema,
  integerParameter,
  maximumId,
  nullable,
  openEnum,
  orderQuery,
  timeSchema,
} from '../../api/schemas.ts'
import { nearest } from '../../lib/nearest.ts'
import type { StoredEvent } from './log.ts'
import { eventTypes, typePatterns } from './rules.ts'

export const exampleEvent = {
  id: 1_795_169_700_000_000,
  type: 'pet.updated',
  createdAt: '2026-11-20T10:15:00.000Z',
  accountId: null,
  requestId: 'req_3f9c1a77b0d24e5c2k',
  data: { id: 42, name: 'Honeysuckle', categoryId: 2, status: 'sold' },
  previous: { status: 'available' },
}

/** The members that the events of all types have. */
export const eventMembers = {
  id: idSchema('Identifier. Ids increase in the order of the changes and are never reused.'),
  type: openEnum(eventTypes, {
    description: 'What has happened.',
    pattern: '^[a-z]+\\.[a-z]+$',
    examples: [exampleEvent.type],
  }),
  createdAt: timeSchema('When it happened.'),
  accountId: nullable(idSchema('The account of the record; null if it belongs to the store, as animals do.')),
  requestId: nullable(
    Type.String({
      minLength: 1,
      maxLength: 60,
      pattern: '^req_[0-9a-z]+$',
      description: 'The `X-Request-Id` of the request that made the change; null if the service made it.',
      examples: [exampleEvent.requestId],
    }),
  ),
}

export const Event = Type.Object(
  {
    ...eventMembers,
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'The record as the API returns it, after the change or, if it was removed, before.',
        examples: [exampleEvent.data],
      },
    ),
    previous: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'In an event whose type ends in `updated`: the changed members with their previous values.',
          examples: [exampleEvent.previous],
        },
      ),
    ),
  },
  { title: 'Event', description: 'A change of a record.', examples: [exampleEvent] },
)
export type Event = Static<typeof Event>

export const Events = Type.Array(Event, { title: 'Events', description: 'A page of events.', maxItems: 100 })

const maximumTypes = 100

/** The rule that a list of types breaks; undefined if it is valid. */
function typesFault(text: string): string | undefined {
  const types = text.split(',')
  const unknown = types.find((type) => !typePatterns.includes(type))
  if (unknown === undefined) return types.length > maximumTypes ? `must have at most ${maximumTypes} types` : undefined
  const near = nearest(unknown, typePatterns)
  if (near !== undefined) return `has the unknown type \`${unknown}\`: did you mean \`${near}\`?`
  return `must be types of events separated by commas: ${typePatterns.join(', ')}`
}

TypeRegistry.Set('EventTypes', (_, value) => typeof value === 'string' && typesFault(value) === undefined)

/** Types of events in a query, separated by commas; handlers receive the text. */
export function eventTypesQuery(description: string) {
  return Type.Unsafe<string>({
    [Kind]: 'EventTypes',
    [faultOf]: typesFault,
    type: 'array',
    items: { type: 'string', enum: typePatterns },
    minItems: 1,
    maxItems: maximumTypes,
    description,
    examples: [['pet.*', 'order.placed']],
  })
}

/** The query parameters of the list of events. */
export const eventListParameters = {
  after: Type.Optional(
    integerParameter({
      format: 'int64',
      minimum: 0,
      maximum: maximumId,
      description:
        'The id of the last event that the client has: the list begins after it. 0 begins with the oldest event that is kept.',
      examples: [0],
    }),
  ),
  types: Type.Optional(eventTypesQuery('Only events of these types; `pet.*` stands for all that begin with `pet.`.')),
  order: Type.Optional(orderQuery()),
}

/** The query parameters of the stream of events. */
export const eventStreamParameters = { after: eventListParameters.after, types: eventListParameters.types }

/** Returns the JSON form of an event. */
export function toEvent({ id, type, createdAt, accountId, requestId, data, previous }: StoredEvent): Event {
  return {
    id,
    type,
    createdAt: new Date(createdAt).toISOString(),
    accountId,
    requestId,
    data: JSON.parse(data),
    ...(previous === null ? {} : { previous: JSON.parse(previous) }),
  }
}
