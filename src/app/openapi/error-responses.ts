/** The error responses of the OpenAPI document: for each status its codes, each with an example of its message. */

import { errorCodes } from '../../api/errors.ts'
import type { ErrorCode } from '../../lib/error.ts'
import { type HeaderName, headerRefs } from './headers.ts'
import type { SharedParts } from './shared-parts.ts'

/** Codes that any operation can respond with. */
export const generalErrors = [
  // For a malformed Host.
  'invalid_parameter',
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'revoked_api_key',
  'rate_limit_exceeded',
  'daily_quota_exceeded',
  'key_banned',
  'https_required',
  'internal_error',
  'storage_unavailable',
] as const satisfies readonly ErrorCode[]

/** Names of responses, by their codes in the order of the table. */
const names: Readonly<Record<string, readonly ErrorCode[]>> = {
  InvalidBody: ['malformed_json', 'invalid_body', 'invalid_parameter'],
  InvalidPageParameter: ['invalid_parameter', 'invalid_cursor'],
  Unauthorized: ['missing_api_key', 'invalid_api_key', 'expired_api_key', 'revoked_api_key'],
  Unavailable: ['storage_unavailable', 'too_busy'],
  TooManyRequests: ['rate_limit_exceeded', 'daily_quota_exceeded', 'key_banned'],
  TooManyRequestsOrStreams: ['rate_limit_exceeded', 'daily_quota_exceeded', 'key_banned', 'too_many_streams'],
}

/** The responses for `codes`, by status. Those of a deprecated operation have the headers `everyHeader` and no name. */
export function errorResponses(shared: SharedParts, codes: readonly ErrorCode[], everyHeader: readonly HeaderName[]) {
  const inOrder = allCodes.filter((code) => codes.includes(code))
  const codesByStatus = Object.entries(Object.groupBy(inOrder, (code) => String(errorCodes[code].status)))
  return Object.fromEntries(
    codesByStatus.map(([status, own = []]) => {
      const response = errorResponse(shared, own, everyHeader)
      return [status, everyHeader.length > 0 ? response : shared.refer('responses', nameOf(own), response)]
    }),
  )
}

const allCodes = Object.keys(errorCodes) as ErrorCode[]

/** The name of a response in `components.responses`: its own, or one made of its codes. */
function nameOf(codes: readonly ErrorCode[]): string {
  const own = Object.entries(names).find(([, named]) => Bun.deepEquals(named, codes))
  return own?.[0] ?? codes.map(inPascalCase).join('Or')
}

function inPascalCase(code: ErrorCode): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The response of one status, with all of its codes. */
function errorResponse(shared: SharedParts, codes: readonly ErrorCode[], everyHeader: readonly HeaderName[]) {
  const status = codes[0] ? errorCodes[codes[0]].status : 500
  const list = codes.map((code) => `\`${code}\``).join(', ')
  return {
    description: `${statusMeanings[status]} \`code\` is ${codes.length > 1 ? `one of ${list}` : list}.`,
    headers: headerRefs(shared, [...everyHeader, 'CacheControl', ...(statusHeaders[status] ?? [])]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: { code, message: errorCodes[code].example, status } }]),
        ),
      },
    },
  }
}

const statusHeaders: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWWAuthenticate'],
  415: ['AcceptPatch', 'AcceptEncoding'],
  403: ['ScopeChallenge'],
  429: ['RetryAfter'],
  503: ['RetryAfter'],
}

export const statusMeanings: Record<number, string> = {
  400: 'The request is not valid; the message names the field and the rule.',
  401: 'Missing or invalid API key.',
  402: 'The plan of the account does not include this.',
  403: 'The API key does not allow this.',
  404: 'The resource could not be found.',
  405: 'The method is not allowed at this address; `Allow` lists the allowed methods.',
  409: 'The state of the resource does not allow this.',
  410: 'The endpoint has been removed.',
  412: 'The resource is not in the state that `If-Match` or `If-None-Match` requires.',
  413: 'The body is too large.',
  415: 'The body is of a media type that is not accepted here.',
  422: 'The `Idempotency-Key` belongs to another request.',
  429: 'Too many requests: wait as `Retry-After` says, and back off exponentially if it happens again.',
  500: 'An error of the service.',
  503: 'The storage is busy or has a fault, or the service has too much to do. The message names the cause and whether anything was changed.',
}
