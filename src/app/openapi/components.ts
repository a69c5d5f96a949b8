/**
 * The parts of the OpenAPI document that do not follow from an endpoint: the error, the key, header parameters, tags.
 */

import { errorCodes } from '../../api/errors.ts'

/** The body of all errors. Its codes are an open list, not a closed enumeration. */
export const errorSchema = () => ({
  title: 'Error',
  type: 'object',
  description: 'Why a request was rejected.',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      type: 'string',
      description:
        'Machine-readable error code. Known codes are listed in `x-extensible-enum`; later versions may add others, so treat an unknown code by its status.',
      minLength: 1,
      maxLength: 60,
      pattern: '^[a-z_]+$',
      'x-extensible-enum': Object.keys(errorCodes),
      examples: ['not_found'],
    },
    message: {
      type: 'string',
      description: 'Human-readable description: names the field and the rule. Its wording may change.',
      minLength: 1,
      maxLength: 2_000,
      pattern: '\\S',
      examples: ['There is no animal 4711.'],
    },
    status: {
      type: 'integer',
      description: 'The HTTP status code.',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      examples: [404],
    },
  },
  examples: [{ code: 'not_found', message: 'There is no animal 4711.', status: 404 }],
})

export const securitySchemes = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'API key',
    description:
      'Your API key, as `Authorization: Bearer <API_KEY>` (RFC 6750). Keys begin with `pet_live_` or `pet_test_`.',
  },
}

/** The request headers that operations share. */
export const headerParameters = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'Tags of earlier responses, or `*` for any state. If one is current, a GET responds with 304 without a body, a change with 412.',
    required: false,
    // Any text is accepted: a value without the current tag does not match, but is not an error (RFC 9110 section
    // 13.1.2). There is no example, because the docs page would send it.
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of the record as it was read, or several, or `*`: if the record has changed since, the response is 412 and nothing is changed.',
    required: false,
    schema: { type: 'string' },
  },
  LastEventID: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The id of the last event that the client has received. Clients of server-sent events send it when they connect again; it takes precedence over `after`.',
    required: false,
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A text of your choice, new for each change. The same request with the same key within 24 hours changes nothing and gets the first response again, with `Idempotent-Replayed: true`.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~\\x80-\\xFF]+$' },
  },
}

/** The groups of operations, in the order in which they are shown. */
export const tags = [
  { name: 'animals', description: 'The animals of the store and their categories.' },
  { name: 'store', description: 'Orders for animals, and the inventory.' },
  { name: 'projects', description: 'Projects of the accounts: their deploys and domains.' },
  { name: 'keys', description: 'Accounts, their API keys and their usage. For administrators.' },
  { name: 'events', description: 'The changes of the store, for programs that follow it.' },
  { name: 'system', description: 'The overview, and the service itself. For administrators.' },
]
