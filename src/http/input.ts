/**
 * Reading what a request brings, in the order the contract gives: route (404), scope (403), size (413),
 * media type (415), JSON (400). Elysia parses before its other hooks, so the parser of a body asks for the
 * rest too.
 */

import type { Caller } from '../keys/authenticate.ts'
import type { Scope } from '../keys/rules.ts'
import { assertScope } from '../keys/scope.ts'
import { AppError } from '../lib/error.ts'
import { maximumId } from './validation.ts'

/** The most bytes that a JSON body may have. */
export const maximumBodyBytes = 1_048_576

/** How much of a body that is too large is read and dropped, so that its sender gets to see the refusal. */
const drainedBytes = 64 * maximumBodyBytes

/** A path that leads nowhere although a route has its shape: an id in it can't be one. */
export class Unroutable extends AppError {
  constructor() {
    super('not_found', 'There is nothing at this address.')
  }
}

/** What the hooks here need of Elysia's context. */
interface Arrival {
  readonly request: Request
  readonly caller: Caller
  /** Ids, all of them. */
  readonly params?: Readonly<Record<string, unknown>>
}

/**
 * A transform hook that refuses paths with a malformed id, callers without `scope`, and a parameter of those
 * named that is given twice: which of the two is meant is anyone's guess.
 */
export function needs(scope: Scope, ...parameters: readonly string[]) {
  return ({ caller, request, params }: Arrival): void => {
    assertIds(params)
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

interface BodyArrival extends Arrival {
  bodyDigest: string
}

/**
 * A parse hook that refuses paths with a malformed id and callers without `scope`, then reads a JSON body of one of
 * `mediaTypes`.
 */
export function json(scope: Scope, ...mediaTypes: readonly string[]) {
  return async (context: BodyArrival): Promise<unknown> => {
    const bytes = await readAdmitted(context, scope)
    noteDigest(context, bytes)
    return parseJson(context.request, bytes, mediaTypes)
  }
}

/** The same for a POST that needs no body: one that comes all the same must be JSON, and is ignored. */
export function noBody(scope: Scope) {
  return async (context: BodyArrival): Promise<null> => {
    const bytes = await readAdmitted(context, scope)
    noteDigest(context, bytes)
    if (bytes.length > 0) parseJson(context.request, bytes, ['application/json'])
    return null
  }
}

function readAdmitted({ params, caller, request }: BodyArrival, scope: Scope): Promise<Uint8Array> {
  assertIds(params)
  assertScope(caller, scope)
  return readBounded(request)
}

/** An `Idempotency-Key` stands for one body: which one it was is told by its hash. */
function noteDigest(context: BodyArrival, bytes: Uint8Array): void {
  if (!context.request.headers.has('idempotency-key')) return
  context.bodyDigest = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
}

function assertIds(params: Arrival['params']): void {
  for (const name in params) if (!isId(params[name])) throw new Unroutable()
}

function isId(text: unknown): boolean {
  return typeof text === 'string' && /^[1-9][0-9]{0,15}$/.test(text) && Number(text) <= maximumId
}

function assertMediaType({ headers }: Request, allowed: readonly string[]): void {
  const mediaType = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!allowed.includes(mediaType)) {
    throw new AppError('unsupported_media_type', `Send the body as Content-Type: ${allowed.join(' or ')}.`)
  }
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity') {
    throw new AppError('unsupported_media_type', `Send the body as it is, without Content-Encoding: ${encoding}.`)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJson(request: Request, bytes: Uint8Array, mediaTypes: readonly string[]): unknown {
  assertMediaType(request, mediaTypes)
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
