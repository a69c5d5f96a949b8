/** Responses that are files. They are produced no faster than they are read. */

import { etagOf, isNotModified } from './conditions.ts'
import { codingOf } from './content-coding.ts'
import { contextOf } from './context.ts'

/** A file that a handler returns. It is produced while it is sent. */
export interface SentFile {
  /** The value of `Content-Type`. */
  readonly mediaType: string
  /** The name under which browsers save it: ASCII without quotes. */
  readonly fileName: string
  /** A text that differs for different contents. Without it, the response has no ETag and is not compressed. */
  readonly version?: string
  /** Begins to produce it. Not called for HEAD and a 304. */
  open(): FileSource
}

export interface FileSource<Part = string | Uint8Array> {
  /** Resolves to the next part, or to undefined at the end. */
  next(): Promise<Part | undefined>
  /** Called once: at the end, after an error, and if the client disconnects. */
  close(): void
}

/**
 * The response with `file`, to GET or HEAD; `common` are the headers that it has in any case. Throws
 * `precondition_failed` as other responses do.
 */
export function sendFile(request: Request, common: Readonly<Record<string, string>>, file: SentFile): Response {
  const { mediaType, fileName, version } = file
  const headers: Record<string, string> = {
    ...common,
    'content-disposition': `attachment; filename="${fileName}"`,
    'cache-control': 'no-store',
  }
  const isCompressed = version !== undefined && codingOf(request, { gzip: true }) === 'gzip'
  if (version !== undefined) {
    const etag = etagOf(`${version} ${isCompressed ? 'gzip' : 'identity'}`)
    const { vary } = common
    Object.assign(headers, { etag, vary: vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding` })
    if (isNotModified(request, etag)) return new Response(null, { status: 304, headers })
  }
  headers['content-type'] = mediaType
  if (isCompressed) headers['content-encoding'] = 'gzip'
  if (request.method === 'HEAD') {
    const context = contextOf(request)
    if (context) context.isLengthUnknown = true
    return new Response(null, { headers })
  }
  const stream = streamOf(file.open())
  return new Response(isCompressed ? stream.pipeThrough(new CompressionStream('gzip')) : stream, { headers })
}

function streamOf(source: FileSource): ReadableStream<BufferSource> {
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          let part = await source.next()
          while (part?.length === 0) part = await source.next()
          if (part !== undefined) {
            // Nothing here shares its memory with another thread.
            return controller.enqueue(typeof part === 'string' ? encoder.encode(part) : (part as BufferSource))
          }
          source.close()
          controller.close()
        } catch (error) {
          source.close()
          controller.error(error)
        }
      },
      cancel: () => source.close(),
    },
    // Nothing is produced ahead of the client.
    { highWaterMark: 0 },
  )
}
