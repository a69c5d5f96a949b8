/** The journal of an ephemeral store: the requests that it has received, for tests of clients. */

import { contextOf } from '../../api/context.ts'
import { pathOf } from '../../api/target.ts'

/** A request as it was received. */
export interface ReceivedRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** The values of a repeated parameter are in order, separated by commas. */
  readonly query: Readonly<Record<string, string>>
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The value of JSON, or any other text as it was sent; undefined for no body and for one that is not text. */
  readonly body: unknown
  /** The time of the store, in RFC 3339. */
  readonly receivedAt: string
  /** The status of the response, even of a lost one; undefined while there is none. */
  readonly status: number | undefined
  readonly requestId: string | undefined
}

type Entry = { -readonly [name in keyof ReceivedRequest]: ReceivedRequest[name] }

/** The number of requests that are kept, the latest ones. */
const kept = 10_000

/** Longer bodies are cut: those of files would fill the memory. */
const longestBody = 65_536

export function createJournal(nowMs: () => number) {
  let entries: Entry[] = []

  return {
    list: (): ReceivedRequest[] => entries.map((entry) => ({ ...entry })),
    clear(): void {
      entries = []
    },
    /**
     * Adds a request. The function that it returns completes the entry with the status of the response, if there is
     * one.
     */
    add(request: Request) {
      const { method, url, headers } = request
      const entry: Entry = {
        method,
        path: pathOf(url),
        query: queryOf(url),
        headers: headers.toJSON(),
        body: undefined,
        receivedAt: new Date(nowMs()).toISOString(),
        status: undefined,
        requestId: undefined,
      }
      entries.push(entry)
      if (entries.length > kept) entries.shift()
      const hasRead = readBody(request, entry)
      return async (status: number | undefined): Promise<void> => {
        entry.status = status
        entry.requestId = contextOf(request)?.requestId
        // The copy has what the API has read. The rest, which the API did not read, may never arrive.
        await Promise.race([hasRead, new Promise((resolve) => setImmediate(resolve))])
      }
    },
  }
}

function queryOf(url: string): Record<string, string> {
  const query: Record<string, string> = {}
  const start = url.indexOf('?')
  if (start === -1) return query
  for (const [name, value] of new URLSearchParams(url.slice(start))) {
    query[name] = Object.hasOwn(query, name) ? `${query[name]},${value}` : value
  }
  return query
}

/** Reads a copy of the body into the entry. Never rejects. */
async function readBody(request: Request, entry: Entry): Promise<void> {
  if (request.body === null) return
  const type = request.headers.get('content-type') ?? ''
  if (!/json|^text\//i.test(type) || request.headers.has('content-encoding')) return
  const copy = request.clone().body
  let body = ''
  try {
    const decoder = new TextDecoder()
    for await (const chunk of copy ?? []) {
      body += decoder.decode(chunk, { stream: true })
      if (body.length > longestBody) break
    }
  } catch {
    // The client has closed the connection.
  }
  body = body.slice(0, longestBody)
  entry.body = /\bjson\b/i.test(type) ? jsonOf(body) : body
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}
