/** The headers of responses, as the OpenAPI document describes them. */

import { maximumAllowance } from '../../access/accounts/rules.ts'
import { addressLimit } from '../../access/limits/addresses.ts'
import type { SharedParts } from './shared-parts.ts'

export interface DescribedHeader {
  /** The name of the header, if it is not that of the component. */
  readonly name?: string
  readonly description: string
  /** Whether every response that lists the header has it. */
  readonly required?: boolean
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: string | number
}

/** The last second of the year 9999. */
const maximumUnixSecond = 253_402_300_799

const unixSecond = { type: 'integer', format: 'int64', minimum: 0, maximum: maximumUnixSecond }
/** The part of an absolute address before `/v1`; empty over the socket of commands and in tests without a listener. */
const base = '(https?://[^>]+)?'
const httpDate = '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$'

/** By their names in `components.headers`. */
export const describedHeaders = {
  XRequestId: {
    name: 'X-Request-Id',
    description: 'Identifies this response. Quote it when you report a problem.',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-z]+$', maxLength: 40 },
    example: 'req_5f3c9a7e1b2d4f608',
  },
  XRateLimitLimit: {
    name: 'X-RateLimit-Limit',
    description:
      'The limit with fewer requests remaining: that of 60 seconds or that of the UTC day. ' +
      `Without a valid key, the limit of your network address, ${addressLimit} a minute.`,
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maximumAllowance },
    example: 60,
  },
  XRateLimitRemaining: {
    name: 'X-RateLimit-Remaining',
    description: 'Requests remaining after this one.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: maximumAllowance },
    example: 59,
  },
  XRateLimitReset: {
    name: 'X-RateLimit-Reset',
    description:
      'Unix second at which `X-RateLimit-Remaining` next increases. If that is 0, the second from which a request is admitted again.',
    required: true,
    schema: unixSecond,
    example: 1_795_168_861,
  },
  RateLimitPolicy: {
    name: 'RateLimit-Policy',
    description:
      'Every limit that applies, with its quota `q` and its window `w` in seconds (draft-ietf-httpapi-ratelimit-headers).',
    required: true,
    schema: { type: 'string', pattern: '^"[a-z]+";q=[0-9]+;w=[0-9]+(, "[a-z]+";q=[0-9]+;w=[0-9]+)*$', maxLength: 200 },
    example: '"minute";q=60;w=60, "day";q=1000;w=86400',
  },
  RateLimit: {
    description: 'For each limit, the remaining requests `r` and the seconds `t` until that number increases.',
    required: true,
    schema: { type: 'string', pattern: '^"[a-z]+";r=[0-9]+;t=[0-9]+(, "[a-z]+";r=[0-9]+;t=[0-9]+)*$', maxLength: 200 },
    example: '"minute";r=59;t=61, "day";r=999;t=49500',
  },
  RetryAfter: {
    name: 'Retry-After',
    description: 'Whole seconds to wait before the next request.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 2_147_483_647 },
    example: 12,
  },
  AcceptPatch: {
    name: 'Accept-Patch',
    description: 'The media types that a PATCH accepts, if the `Content-Type` was wrong (RFC 5789).',
    schema: { type: 'string', pattern: '^application/[a-z+-]+(, application/[a-z+-]+)*$', maxLength: 200 },
    example: 'application/json, application/merge-patch+json',
  },
  AcceptEncoding: {
    name: 'Accept-Encoding',
    description:
      'The content codings that a request may use, if the `Content-Encoding` was wrong (RFC 9110 section 12.5.3).',
    schema: { type: 'string', enum: ['identity'] },
    example: 'identity',
  },
  WWWAuthenticate: {
    name: 'WWW-Authenticate',
    description: 'How to authenticate (RFC 6750), with `error="invalid_token"` if the key is not valid.',
    required: true,
    schema: { type: 'string', pattern: '^Bearer realm="petstore"', maxLength: 200 },
    example: 'Bearer realm="petstore"',
  },
  ScopeChallenge: {
    name: 'WWW-Authenticate',
    description:
      'With `insufficient_scope`: the scope that the key lacks (RFC 6750 section 3.1), or several, of which it may need one or all, as `message` says.',
    schema: {
      type: 'string',
      pattern: '^Bearer realm="petstore", error="insufficient_scope", scope="[a-z:]+( [a-z:]+)*"$',
      maxLength: 200,
    },
    example: 'Bearer realm="petstore", error="insufficient_scope", scope="pets:write"',
  },
  ETag: {
    description: 'Strong entity tag (RFC 9110 section 8.8.3).',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-z]+"$', maxLength: 80 },
    example: '"2s7yqvbhv3c1r"',
  },
  XRecordETag: {
    name: 'X-Record-ETag',
    description: 'With one id in `ids`: the tag of that animal, for the `If-Match` of a change.',
    schema: { type: 'string', pattern: '^"[0-9a-z]+"$', maxLength: 80 },
    example: '"2s7yqvbhv3c1r"',
  },
  ContentEncoding: {
    name: 'Content-Encoding',
    description: 'Present if the request accepts `gzip`.',
    schema: { type: 'string', enum: ['gzip'] },
    example: 'gzip',
  },
  ContentDisposition: {
    name: 'Content-Disposition',
    description: 'The name under which a browser saves the file.',
    required: true,
    schema: { type: 'string', pattern: '^attachment; filename="[^"]+"$', maxLength: 300 },
    example: 'attachment; filename="pets-2026-11-20.csv"',
  },
  CacheControl: {
    name: 'Cache-Control',
    description: 'Whether this response may be cached: `no-store` on errors and on responses to changes.',
    required: true,
    schema: { type: 'string', enum: ['private, no-cache', 'no-store'] },
    example: 'private, no-cache',
  },
  Location: {
    description: 'Absolute address of the record that was created.',
    required: true,
    schema: { type: 'string', format: 'uri-reference', pattern: `^${base}/v1/`, maxLength: 2_000 },
    example: 'https://shop.example/v1/pets/42',
  },
  Link: {
    description: 'The absolute address of the next page, as `rel="next"` (RFC 8288). Absent from the last page.',
    schema: { type: 'string', pattern: `^<${base}/v1/[^>]+>; rel="next"$`, maxLength: 6_000 },
    example: '<https://shop.example/v1/pets?limit=20&cursor=cGV0czoyMA>; rel="next"',
  },
  IdempotentReplayed: {
    name: 'Idempotent-Replayed',
    description: 'Present if the `Idempotency-Key` was used before: this is the first response again.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  Deprecation: {
    description: 'The time from which this operation is deprecated: `@` and a Unix second (RFC 9745).',
    required: true,
    schema: { type: 'string', pattern: '^@[0-9]+$', maxLength: 20 },
    example: '@1764892800',
  },
  Sunset: {
    description: 'The time from which this operation is removed (RFC 8594).',
    required: true,
    schema: { type: 'string', pattern: httpDate, maxLength: 29 },
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  },
  SuccessorLink: {
    name: 'Link',
    description: 'The absolute address of the operation to use instead, as `rel="successor-version"` (RFC 5829).',
    required: true,
    schema: { type: 'string', pattern: `^<${base}/v1/[^>]*>; rel="successor-version"$`, maxLength: 2_000 },
    example: '<https://shop.example/v1/pets>; rel="successor-version"',
  },
} as const satisfies Record<string, DescribedHeader>

/** Names of `components.headers`. */
export type HeaderName = keyof typeof describedHeaders

/** On every response, errors included. */
const general: readonly HeaderName[] = [
  'XRequestId',
  'XRateLimitLimit',
  'XRateLimitRemaining',
  'XRateLimitReset',
  'RateLimitPolicy',
  'RateLimit',
]

/** The `headers` of a response: `names` and those that every response has. */
export function headerRefs(shared: SharedParts, names: readonly HeaderName[]) {
  return Object.fromEntries(
    [...general, ...names].map((component) => {
      const { name = component, ...header }: DescribedHeader = describedHeaders[component]
      return [name, shared.refer('headers', component, header)]
    }),
  )
}
