/**
 * Requests to the API as commands make them, over whatever connects them with it: JSON, pages of lists, and streams.
 */

import { AppError, type ErrorCode } from '../../lib/error.ts'
import { streamOf } from '../../lib/stream.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Client {
  /**
   * The body of the response to a request for a path below `/v1`, or one that begins with `/command/`; `body` is sent
   * as JSON. Throws the error of the API as an `AppError` with its code and message, and `storage_unavailable` if the
   * server ends meanwhile.
   */
  call<T>(method: Method, path: string, body?: object): Promise<T>
  /** Every record of a list; the path may have a query. */
  all<T>(path: string): Promise<T[]>
  /**
   * The body of the response to a POST of a body of any length. Throws like `call`, and what reading the body throws;
   * the server has then not received it whole.
   */
  upload<T>(path: string, upload: Upload): Promise<T>
  /** The response to a GET, no faster than it is read. Throws like `call`, also while it is read. */
  download(path: string, headers?: Readonly<Record<string, string>>): Promise<Download>
}

export interface Download {
  readonly mediaType: string
  /** The body while it arrives. */
  readonly chunks: AsyncIterable<Uint8Array>
}

export interface Upload {
  /** The media type. */
  readonly type: string
  readonly body: AsyncIterable<Uint8Array>
  /** The length of the body, where it is known; otherwise it is sent in chunks. */
  readonly bytes?: number | undefined
  /** Called with the number of bytes that were sent so far. */
  readonly onProgress?: (sentBytes: number) => void
  /** Ends the sending; the reason of the signal is thrown then. */
  readonly signal?: AbortSignal
}

/** The server has ended before its response was complete: whether it has done what the request asked for is unknown. */
export class ServerEnded extends AppError {
  constructor(server: string, method: string, cause: unknown) {
    const advice = method === 'GET' ? 'Try again.' : 'Check whether it made the change before you try again.'
    super('storage_unavailable', `${server} ended before its response was complete. ${advice}`, { cause })
  }
}

/** Sends a request for a path as `call` takes it, with the body that `init` has. */
export type Send = (path: string, init: RequestInit) => Promise<Response>

/** The error to report for one that sending a request with the method, or reading its response, has thrown. */
type Explain = (error: unknown, method: string) => unknown

export function createClient(send: Send, explain: Explain): Client {
  async function request<T>(path: string, init: RequestInit, read: (response: Response) => Promise<T>): Promise<T> {
    try {
      const response = await send(path, init)
      if (!response.ok) throw await errorOf(response)
      return await read(response)
    } catch (error) {
      throw error instanceof AppError ? error : explain(error, init.method ?? 'GET')
    }
  }

  return {
    call<T>(method: Method, path: string, body?: object): Promise<T> {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const sent = body === undefined ? {} : { headers: { 'content-type': type }, body: JSON.stringify(body) }
      return request(path, { method, ...sent }, jsonOf<T>)
    },

    async all<T>(path: string): Promise<T[]> {
      const records: T[] = []
      const list = `${path}${path.includes('?') ? '&' : '?'}limit=100`
      let cursor: string | undefined
      do {
        const page = cursor === undefined ? list : `${list}&cursor=${encodeURIComponent(cursor)}`
        cursor = await request(page, {}, async (response) => {
          records.push(...(await jsonOf<T[]>(response)))
          return nextCursor(response)
        })
      } while (cursor !== undefined)
      return records
    },

    async upload<T>(path: string, { type, body, bytes, onProgress, signal }: Upload): Promise<T> {
      let failure: { readonly cause: unknown } | undefined

      async function* counted(): AsyncGenerator<Uint8Array> {
        let sentBytes = 0
        try {
          for await (const chunk of endedBy(signal, body)) {
            yield chunk
            sentBytes += chunk.byteLength
            onProgress?.(sentBytes)
          }
        } catch (cause) {
          failure = { cause }
          throw cause
        }
      }

      const headers = { 'content-type': type, ...(bytes === undefined ? {} : { 'content-length': String(bytes) }) }
      const init = { method: 'POST', headers, body: streamOf(counted()), ...(signal ? { signal } : {}) }
      try {
        return await request(path, init, jsonOf<T>)
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        // The API says only that the body is incomplete.
        throw failure ? failure.cause : error
      }
    },

    async download(path: string, headers = {}) {
      const response = await request(path, { headers }, async (found) => found)
      return { mediaType: response.headers.get('content-type') ?? '', chunks: chunksOf(response) }
    },
  }

  async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
    try {
      yield* body ?? []
    } catch (error) {
      throw explain(error, 'GET')
    }
  }
}

/** The pieces until the signal is aborted; then its reason is thrown, also while the next piece is awaited. */
async function* endedBy(
  signal: AbortSignal | undefined,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (signal === undefined) return yield* pieces
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  aborted.catch(() => {})
  const iterator = pieces[Symbol.asyncIterator]()
  for (;;) {
    signal.throwIfAborted()
    const { value, done } = await Promise.race([iterator.next(), aborted])
    if (done === true) return
    yield value
  }
}

async function jsonOf<T>(response: Response): Promise<T> {
  return (response.status === 204 ? undefined : await response.json()) as T
}

async function errorOf(response: Response): Promise<AppError> {
  const { code, message } = (await response.json()) as { code: ErrorCode; message?: string }
  return new AppError(code, message ?? `The server answered with status ${response.status} and without a reason.`)
}

/**
 * The cursor of the next page of a list (RFC 8288); undefined on the last one. The rest of the address is that of the
 * list: a client never sends its key to another origin because a response names one.
 */
function nextCursor({ headers }: Response): string | undefined {
  const target = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  if (target === undefined) return undefined
  return new URL(target, 'http://petstore.local').searchParams.get('cursor') ?? undefined
}
