/**
 * Responses that are files: from the disk, with ranges (RFC 9110 section 14), or produced no faster than they are read.
 */

import { AppError } from '../lib/error.ts'
import { etagOf, isNotModified } from './conditions.ts'
import { codingOf } from './content-coding.ts'
import { contextOf } from './context.ts'
import { rangeOf } from './range.ts'

/** A file that a handler returns. */
export interface SentFile {
  /** The value of `Content-Type`. */
  readonly mediaType: string
  /** The name under which browsers save it: ASCII without quotes. */
  readonly fileName: string
  readonly content: StoredFile | StreamedFile
}

/** A file on disk that never changes. */
export interface StoredFile {
  /** Absolute. */
  readonly path: string
  readonly bytes: number
  /** Strong entity tag, with quotes. */
  readonly etag: string
  /** Called if a response has the file, or a part of it. */
  readonly onSend: () => void
}

/** A file that is produced while it is sent. */
export interface StreamedFile {
  /** A text that differs for different contents. */
  readonly version: string
  /** Begins to produce it. */
  open(): TextSource
}

export interface TextSource {
  /** Resolves to the next part, or to undefined at the end. */
  next(): Promise<string | undefined>
  /** Called once: at the end, after an error, and if the client disconnects. */
  close(): void
}

/** The error for a 416. */
export class RangeNotSatisfiable extends AppError {
  /** The length of the file. */
  readonly bytes: number
  constructor(bytes: number) {
    super('range_not_satisfiable', `The file has ${bytes} bytes: Range begins behind its end.`)
    this.bytes = bytes
  }
}

type Headers = Record<string, string>

/**
 * The response with `file`, to GET or HEAD; `common` are the headers that it has in any case. Throws
 * `precondition_failed` as other responses do, and `range_not_satisfiable`.
 */
export function sendFile(request: Request, common: Readonly<Headers>, file: SentFile): Response {
  const { content, mediaType, fileName } = file
  const headers = {
    ...common,
    'content-disposition': `attachment; filename="${fileName}"`,
    'cache-control': 'no-store',
  }
  return 'open' in content
    ? sendStream(request, headers, mediaType, content)
    : sendStored(request, headers, mediaType, content)
}

function sendStored(request: Request, common: Headers, mediaType: string, file: StoredFile): Response {
  const { path, bytes, etag, onSend } = file
  const headers: Headers = { ...common, etag, 'accept-ranges': 'bytes' }
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers })
  headers['content-type'] = mediaType
  const range = wantedRange(request, bytes, etag)
  if (request.method === 'HEAD') return headOnly(request, headers, bytes)
  onSend()
  const body = Bun.file(path)
  if (range) {
    headers['content-range'] = `bytes ${range.start}-${range.end - 1}/${bytes}`
    return new Response(body.slice(range.start, range.end), { status: 206, headers })
  }
  // Bun would apply the header to a file, although it is to be ignored here.
  const isIgnored = request.headers.has('range')
  const whole = isIgnored ? body.stream().pipeThrough(new TransformStream<Uint8Array, Uint8Array>()) : body
  return new Response(whole, { headers })
}

/** Undefined if the header is to be ignored. Throws `range_not_satisfiable`. */
function wantedRange({ method, headers }: Request, bytes: number, etag: string) {
  const header = headers.get('range')
  const condition = headers.get('if-range')
  if (header === null || method !== 'GET' || (condition !== null && condition !== etag)) return undefined
  const range = rangeOf(header, bytes)
  if (range === 'unsatisfiable') throw new RangeNotSatisfiable(bytes)
  return range
}

/** The listener adds the length: Elysia would count the bytes of a body. */
function headOnly(request: Request, headers: Headers, bytes: number | 'unknown'): Response {
  const context = contextOf(request)
  if (context) context.fileBytes = bytes
  return new Response(null, { headers })
}

function sendStream(request: Request, common: Headers, mediaType: string, file: StreamedFile): Response {
  const isCompressed = codingOf(request, { gzip: true }) === 'gzip'
  const etag = etagOf(`${file.version} ${isCompressed ? 'gzip' : 'identity'}`)
  const { vary } = common
  const headers: Headers = {
    ...common,
    etag,
    vary: vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`,
  }
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers })
  headers['content-type'] = mediaType
  if (isCompressed) headers['content-encoding'] = 'gzip'
  if (request.method === 'HEAD') return headOnly(request, headers, 'unknown')
  const source = file.open()
  const encoder = new TextEncoder()
  const stream = new ReadableStream<BufferSource>(
    {
      async pull(controller) {
        try {
          let text = await source.next()
          while (text === '') text = await source.next()
          if (text !== undefined) return controller.enqueue(encoder.encode(text))
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
  return new Response(isCompressed ? stream.pipeThrough(new CompressionStream('gzip')) : stream, { headers })
}
