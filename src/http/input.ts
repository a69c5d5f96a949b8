/**
 * Reading what a request brings, in the order the contract gives: scope (403), size (413), media type
 * (415), JSON (400). Elysia parses before its other hooks, so the parser of a body asks for the scope too.
 */

import type { Caller } from '../keys/authenticate.ts'
import type { Scope } from '../keys/rules.ts'
import { assertScope } from '../keys/scope.ts'
import { AppError } from '../lib/error.ts'

/** The most bytes that a JSON body may have. */
export const maximumBodyBytes = 1_048_576

/** How much of a body that is too large is read and dropped, so that its sender gets to see the refusal. */
const drainedBytes = 64 * maximumBodyBytes

/**
 * A transform hook that refuses callers without `scope`, and a parameter of those named that is given
 * twice: which of the two is meant is anyone's guess.
 */
export function needs(scope: Scope, ...parameters: readonly string[]) {
  return ({ caller, request }: { caller: Caller; request: Request }): void => {
    assertScope(caller, scope)
    if (parameters.length === 0) return
    const query = request.url.indexOf('?')
    if (query === -1 || !request.url.includes('&', query)) return
    const given = new URLSearchParams(request.url.slice(query))
    for (const name of parameters) {
      if (given.getAll(name).length > 1) throw new AppError('invalid_parameter', `${name} must be given only once.`)
    }
  }
}

/** A parse hook that refuses callers without `scope`, then reads a JSON body of one of `mediaTypes`. */
export function json(scope: Scope, ...mediaTypes: readonly string[]) {
  return async (context: JsonContext): Promise<unknown> => {
    const request = context.request
    assertScope(context.caller, scope)
    const bytes = await readBounded(request)
    if (request.headers.has('idempotency-key')) context.bodyDigest = digestOf(bytes)
    const mediaType = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
    if (!mediaTypes.includes(mediaType)) {
      throw new AppError('unsupported_media_type', `Send the body as Content-Type: ${mediaTypes.join(' or ')}.`)
    }
    return parseJson(bytes)
  }
}

interface JsonContext {
  readonly request: Request
  readonly caller: Caller
  bodyDigest: string
}

function digestOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    throw new AppError('malformed_json', 'The body is not well-formed JSON in UTF-8.', { cause })
  }
}

/** The body's bytes; throws `payload_too_large` beyond the limit, `malformed_json` if the sender goes away. */
function readBounded(request: Request): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  const isSmall = declared !== null && Number(declared) <= maximumBodyBytes
  return (isSmall ? request.bytes() : readCounted(request)).catch(refuse)
}

function refuse(cause: unknown): never {
  if (cause instanceof AppError) throw cause
  throw new AppError('malformed_json', 'The body did not arrive whole.', { cause })
}

/** Reads a body of unknown length, or one that is too long, counting as it comes. */
async function readCounted({ body }: Request): Promise<Uint8Array> {
  if (!body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size <= maximumBodyBytes) chunks.push(chunk)
    else if (size > drainedBytes) break
  }
  if (size > maximumBodyBytes) {
    throw new AppError('payload_too_large', `The body has more than ${maximumBodyBytes} bytes.`)
  }
  return Buffer.concat(chunks)
}
