/** The body of an upload: passed to the handler while it arrives, checked for its size (413) and media type (415). */

import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import type { Body } from '../endpoint.ts'
import { assertMediaType, tooLarge } from './body.ts'

/**
 * An upload ends after `silentSeconds` without a byte, or after `slowSeconds` below `slowestRate` bytes per second.
 * Otherwise a few stalled uploads would occupy all slots. A command on this machine may wait for the program that
 * writes its input.
 */
const ofClients = { silentSeconds: 32, slowSeconds: 70 }
const ofCommands = { silentSeconds: 600, slowSeconds: Number.POSITIVE_INFINITY }
const slowestRate = 1_000

/** An upload that is not read yet. */
export interface OpenUpload {
  readonly mediaType: string
  readonly chunks: AsyncIterable<Uint8Array>
  /** SHA-256 of the bytes read so far. */
  digest(): Buffer
}

interface OpenUploadOptions {
  readonly clock: Pick<Clock, 'after'>
  /** Whether `digest` will be called. */
  readonly isHashed: boolean
  /** Whether a command sends it: it may have any size, and pause for longer. */
  readonly isOfCommand: boolean
}

/**
 * Opens the upload of a request. Throws `unsupported_media_type`, and `payload_too_large` for a declared length beyond
 * the limit. Reading throws `payload_too_large` beyond the limit, and `invalid_body` if the sender disconnects, pauses
 * for too long or is too slow. The time between two reads does not count.
 */
export function openUpload(
  request: Request,
  { mediaTypes, maximumBytes: declaredBytes }: Extract<Body, { kind: 'upload' }>,
  { clock, isHashed, isOfCommand }: OpenUploadOptions,
): OpenUpload {
  const maximumBytes = isOfCommand ? Number.POSITIVE_INFINITY : declaredBytes
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > maximumBytes) throw tooLarge(maximumBytes)
  const mediaType = assertMediaType(request, mediaTypes, undefined)
  const hasher = new Bun.CryptoHasher('sha256')

  async function* bounded(): AsyncGenerator<Uint8Array> {
    let size = 0
    for await (const chunk of withoutStalls(request.body, clock, isOfCommand ? ofCommands : ofClients)) {
      size += chunk.byteLength
      if (size > maximumBytes) throw tooLarge(maximumBytes)
      if (isHashed) hasher.update(chunk)
      yield chunk
    }
  }
  return { mediaType, chunks: bounded(), digest: () => hasher.digest() }
}

async function* withoutStalls(
  stream: ReadableStream<Uint8Array> | null,
  clock: Pick<Clock, 'after'>,
  { silentSeconds, slowSeconds }: typeof ofClients,
): AsyncGenerator<Uint8Array> {
  if (stream === null) return
  const reader = stream.getReader()
  let stalled = Promise.withResolvers<never>()
  let isReading = false
  let isDone = false
  /** Seconds without a byte, and seconds and bytes since the sender was last fast enough. */
  let [silent, slow, bytes] = [0, 0, 0]
  /** Counts one second at a time, because this process may have been stopped during a longer wait. */
  function count(): void {
    cancel = clock.after(1_000, count)
    if (!isReading) return
    silent++
    slow++
    if (silent >= silentSeconds) stalled.reject(incompleteSince(`paused for ${silentSeconds} seconds`))
    else if (slow >= slowSeconds) stalled.reject(incompleteSince(`was slower than 1 kB/s for ${slowSeconds} seconds`))
  }
  let cancel = clock.after(1_000, count)
  try {
    for (;;) {
      stalled = Promise.withResolvers()
      isReading = true
      const { value, done } = await Promise.race([reader.read().catch(incomplete), stalled.promise])
      isReading = false
      isDone = done
      if (done) return
      silent = 0
      bytes += value.byteLength
      if (bytes >= slow * slowestRate) [slow, bytes] = [0, 0]
      yield value
    }
  } finally {
    cancel()
    if (!isDone) void reader.cancel().catch(() => {})
  }
}

function incompleteSince(fault: string): AppError {
  return new AppError('invalid_body', `The body is incomplete: its sender ${fault}.`)
}

function incomplete(cause: unknown): never {
  throw new AppError('invalid_body', 'The body is incomplete.', { cause })
}
