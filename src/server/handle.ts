/** Handles the requests of a server: reads the Host header, attaches the context, and reports each response. */

import { attachContext, type Connection, type RequestContext } from '../api/context.ts'
import { errorBody } from '../api/errors.ts'
import { hostOf } from '../api/host.ts'
import { pathAndQueryOf } from '../api/target.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

/** Shared by all servers of a process. */
export interface HandlerParts {
  readonly log: Log
  readonly clock: Clock
  /** Whether the clock differs from that of the machine: the Date that Bun adds would be wrong then. */
  readonly hasOwnTime?: boolean
  /** Called with the status of each response before it is sent. */
  readonly observe: (request: Request, context: RequestContext, status: number) => void
}

export interface HandlerOptions extends HandlerParts {
  /**
   * `host` is that of the Host header, in lower case without port and final dot; undefined if the header is unusable.
   */
  readonly respond: (request: Request, host: string | undefined) => Response | Promise<Response>
  /** Whether the connections of the server are encrypted. */
  readonly isSecure?: boolean
  /** The peer of a request, if the server does not know it because its clients connect through a front. */
  readonly requestIP?: Connection['requestIP']
}

/**
 * Elysia searches for the path of a URL from its twelfth character on, which is too late for shorter hosts. For an
 * unusable Host, Bun's URL has no origin. Both get a URL that can be parsed; the Host header stays.
 */
const shortestHost = 'abcd'.length

/** The connection of a request that was copied. */
function connectionFor(request: Request, connection: Connection): Connection {
  return {
    requestIP: () => connection.requestIP(request),
    timeout: (_, seconds) => connection.timeout?.(request, seconds),
  }
}

/**
 * A copy whose URL can be parsed. It takes over the body: a copy of the whole request would leave a second reader of
 * the body, for which Bun keeps everything that the first has read.
 */
function copyOf(request: Request): Request {
  const { method, headers, body, signal } = request
  return new Request(`http://localhost${pathAndQueryOf(request.url)}`, { method, headers, body, signal })
}

/** Returns the `fetch` and `error` of `Bun.serve`. */
export function createHandler(options: HandlerOptions) {
  const { respond, isSecure = false, requestIP, log, clock, hasOwnTime = false, observe } = options
  let indirect: Connection | undefined

  /** The same for all requests, because a handler serves one server. */
  function connectionOf(server: Bun.Server<unknown>): Connection {
    if (requestIP === undefined) return server
    indirect ??= { requestIP, timeout: (request, seconds) => server.timeout(request, seconds) }
    return indirect
  }

  function fetch(request: Request, server: Bun.Server<unknown>): Response | Promise<Response> {
    const startedMs = clock.monotonic()
    const host = hostOf(request.headers.get('host') ?? '')
    const hasInvalidHost = host === undefined
    const isCopied = host === undefined || host.length < shortestHost
    const usable = isCopied ? copyOf(request) : request
    const connection = connectionOf(server)
    const context: RequestContext = {
      peer: isCopied ? connectionFor(request, connection) : connection,
      startedMs,
      hasInvalidHost,
      isSecure,
      operation: undefined,
      requestId: undefined,
      keyId: undefined,
      errorCode: undefined,
    }
    attachContext(usable, context)
    try {
      const response = respond(usable, host)
      if (response instanceof Promise) {
        return response.then(
          (resolved) => finish(usable, context, resolved),
          (error) => fail(usable, context, error),
        )
      }
      return finish(usable, context, response)
    } catch (error) {
      return fail(usable, context, error)
    }
  }

  function finish(request: Request, context: RequestContext, response: Response): Response {
    const isHead = request.method === 'HEAD'
    // Bun adds a Date to the response of every other method (RFC 9110 section 6.6.1).
    if (isHead || hasOwnTime) response.headers.set('date', new Date(clock.now()).toUTCString())
    if (isHead) finishHead(context, response)
    observe(request, context, response.status)
    return response
  }

  function finishHead({ isLengthUnknown }: RequestContext, { status, headers }: Response): void {
    // Elysia sets the length of the body that it was given. That of a 304 would be the one of a 200 (RFC 9110 section
    // 8.6).
    if (status === 304) headers.delete('content-length')
    if (!isLengthUnknown) return
    // Without one of these headers, Bun sends a length of 0.
    headers.delete('content-length')
    headers.set('transfer-encoding', 'chunked')
  }

  /** Responds to a request whose site threw. */
  function fail(request: Request, context: RequestContext, error: unknown): Response {
    log.error('a request failed outside the API', { error })
    context.errorCode = 'internal_error'
    return finish(request, context, failure())
  }

  return {
    fetch,
    error(error: unknown): Response {
      log.error('a request failed before it reached its site', { error })
      return failure()
    },
  }
}

function failure(): Response {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return new Response(errorBody('internal_error', 'Something went wrong in the service.'), { status: 500, headers })
}
