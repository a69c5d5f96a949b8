/** Reads the body of a request and checks it in this order: size (413), media type (415), JSON (400). */

import type { TSchema } from '@sinclair/typebox'
import { AppError } from '../../lib/error.ts'
import type { Body } from '../endpoint.ts'
import { type BodyBudget, type BodyReservation, uncountedBytes } from './body-budget.ts'
import { createCheck, unknownName } from './check.ts'
import { parseJson } from './json.ts'

/** The most bytes that a JSON body may have. */
export const maximumBodyBytes = 1_048_576

/** The most bytes of a body that is too large that are read and discarded, so that its sender receives the error. */
const drainedBytes = 64 * maximumBodyBytes

/** The error for a 415. Its `hint` is the response header that lists the accepted media types or content codings. */
export class UnsupportedMediaType extends AppError {
  readonly hint: Readonly<Record<string, string>>
  constructor(message: string, hint: Readonly<Record<string, string>>) {
    super('unsupported_media_type', message)
    this.hint = hint
  }
}

/** A body as it was sent, and its validated value. */
export interface ReadBody {
  readonly bytes: Uint8Array
  readonly value: unknown
}

/**
 * Returns a function that reads and validates a body of the declared kind. The budget counts the body for `sender`.
 * Pass undefined for an operation without a body.
 */
export function createBodyReader(body: Exclude<Body, { kind: 'upload' }> | undefined, budget: BodyBudget) {
  const mediaTypes =
    body?.kind === 'mergePatch' ? ['application/json', 'application/merge-patch+json'] : ['application/json']
  const hintName = body?.kind === 'mergePatch' ? 'Accept-Patch' : undefined
  const check = body && createCheck(body.schema, 'invalid_body')
  const removeReadOnly = createRemoval(body?.schema)

  function parse(request: Request, bytes: Uint8Array): ReadBody {
    if (!check) {
      if (bytes.length > 0) {
        assertMediaType(request, mediaTypes, hintName)
        assertEmpty(parseJson(bytes))
      }
      return { bytes, value: undefined }
    }
    assertMediaType(request, mediaTypes, hintName)
    const value = parseJson(bytes)
    check(value)
    removeReadOnly(value)
    body?.assert?.(value)
    return { bytes, value }
  }

  return (request: Request, sender: string): Promise<ReadBody> => {
    const bytes = isSmall(request) ? request.bytes() : readBounded(request, budget.open(sender))
    return bytes.then((read) => parse(request, read), incomplete)
  }
}

/**
 * Clients that always send a body send `{}` or null to an operation without one. Throws `invalid_body` for any other.
 */
function assertEmpty(value: unknown): void {
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new AppError('invalid_body', 'This operation has no body: send none, or {}.')
  }
  const [name] = Object.keys(value ?? {})
  if (name !== undefined) throw new AppError('invalid_body', unknownName('member', name, []))
}

/** Returns a function that removes the read-only members of a `schema` from a value that it accepts. */
function createRemoval(schema: TSchema | undefined): (value: unknown) => void {
  const members = Object.entries<TSchema>(schema?.['properties'] ?? {})
  const removed = members.flatMap(([name, { readOnly }]) => (readOnly ? [name] : []))
  const objects = members.flatMap(([name, schema]) =>
    schema['type'] === 'object' ? [{ name, remove: createRemoval(schema) }] : [],
  )
  return (value) => {
    const body = value as Record<string, unknown>
    for (const name of removed) if (Object.hasOwn(body, name)) delete body[name]
    for (const { name, remove } of objects) if (body[name] !== undefined) remove(body[name])
  }
}

/** The media type of a body. Throws `unsupported_media_type` unless it is accepted and the body is not encoded. */
export function assertMediaType(
  { headers }: Request,
  accepted: readonly string[],
  hintName: string | undefined,
): string {
  const mediaType = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!accepted.includes(mediaType)) {
    const message = `Send the body as Content-Type: ${accepted.join(' or ')}.`
    throw new UnsupportedMediaType(message, hintName === undefined ? {} : { [hintName]: accepted.join(', ') })
  }
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity') {
    const message = `Send the body as it is, without Content-Encoding: ${encoding}.`
    throw new UnsupportedMediaType(message, { 'Accept-Encoding': 'identity' })
  }
  return mediaType
}

export function tooLarge(maximumBytes: number): AppError {
  return new AppError('payload_too_large', `The body has more than ${maximumBytes} bytes.`)
}

function isSmall({ headers }: Request): boolean {
  const declared = headers.get('content-length')
  return declared !== null && Number(declared) <= uncountedBytes
}

/** The body's bytes; throws `payload_too_large` beyond the limit, and `too_busy` like the reservation. */
async function readBounded(request: Request, reservation: BodyReservation): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  const isAcceptable = declared !== null && Number(declared) <= maximumBodyBytes
  try {
    if (!isAcceptable) return await readCounted(request, reservation)
    reservation.grow(Number(declared))
    return await request.bytes()
  } finally {
    reservation.release()
  }
}

/** Throws `malformed_json` if the sender has disconnected. */
function incomplete(cause: unknown): never {
  if (cause instanceof AppError) throw cause
  throw new AppError('malformed_json', 'The body is incomplete.', { cause })
}

/** Reads a body of unknown or excessive length and counts its bytes while it arrives. */
async function readCounted({ body }: Request, reservation: BodyReservation): Promise<Uint8Array> {
  if (!body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size <= maximumBodyBytes) {
      reservation.grow(size)
      chunks.push(chunk)
    } else {
      chunks.length = 0
      reservation.release()
      if (size > drainedBytes) break
    }
  }
  if (size > maximumBodyBytes) throw tooLarge(maximumBodyBytes)
  return Buffer.concat(chunks)
}
