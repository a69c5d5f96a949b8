/** The body of an upload: passed to the handler while it arrives, checked for its size (413) and media type (415). */

import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import type { Body } from '../declare.ts'
import { assertMediaType, tooLarge } from './body.ts'

/** How long an upload may pause. A connection that is dead ends after it; a slow sender does not. */
export const longestPauseMs = 600_000

/** An upload that is not read yet. */
export interface OpenUpload {
  readonly mediaType: string
  readonly chunks: AsyncIterable<Uint8Array>
  /** SHA-256 of the bytes read so far. */
  digest(): Buffer
}

export interface OpenUploadOptions {
  readonly clock: Pick<Clock, 'after'>
  /** Whether `digest` will be called. */
  readonly isHashed: boolean
  /** Whether the upload may have any size. */
  readonly isUnlimited: boolean
}

/**
 * Opens the upload of a request. Throws `unsupported_media_type`, and `payload_too_large` for a declared length beyond the
 * limit. Reading throws `payload_too_large` beyond the limit, and `invalid_body` if the sender disconnects or pauses for
 * too long.
 */
export function openUpload(
  request: Request,
  { mediaTypes, maximumBytes: declaredBytes }: Extract<Body, { kind: 'upload' }>,
  { clock, isHashed, isUnlimited }: OpenUploadOptions,
): OpenUpload {
  const maximumBytes = isUnlimited ? Number.POSITIVE_INFINITY : declaredBytes
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > maximumBytes) throw tooLarge(maximumBytes)
  const mediaType = assertMediaType(request, mediaTypes, undefined)
  const hasher = new Bun.CryptoHasher('sha256')

  async function* bounded(): AsyncGenerator<Uint8Array> {
    let size = 0
    for await (const chunk of withoutPauses(request.body, clock)) {
      size += chunk.byteLength
      if (size > maximumBytes) throw tooLarge(maximumBytes)
      if (isHashed) hasher.update(chunk)
      yield chunk
    }
  }
  return { mediaType, chunks: bounded(), digest: () => hasher.digest() }
}

async function* withoutPauses(
  stream: ReadableStream<Uint8Array> | null,
  clock: Pick<Clock, 'after'>,
): AsyncGenerator<Uint8Array> {
  if (stream === null) return
  const reader = stream.getReader()
  let isDone = false
  try {
    for (;;) {
      const pause = Promise.withResolvers<never>()
      const cancel = clock.after(longestPauseMs, () =>
        pause.reject(new AppError('invalid_body', 'The body did not arrive whole: its sender paused for 10 minutes.')),
      )
      const { value, done } = await Promise.race([reader.read().catch(incomplete), pause.promise]).finally(cancel)
      isDone = done
      if (done) return
      yield value
    }
  } finally {
    if (!isDone) void reader.cancel().catch(() => {})
  }
}

function incomplete(cause: unknown): never {
  throw new AppError('invalid_body', 'The body did not arrive whole.', { cause })
}
