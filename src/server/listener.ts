/**
 * A listener: one address and port with its own table of hosts. The listener and the Host header select the site that
 * serves a request, before the path is read. The request's context has the address of the peer.
 */

import { attachContext, idleSeconds, type RequestContext } from '../http/context.ts'
import { errorBody } from '../http/errors.ts'
import { pathOf } from '../http/target.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { reachable } from '../lib/network.ts'
import { schedule } from '../lib/scheduler.ts'
import { descriptorJob } from './descriptors.ts'
import { hostOf } from './host.ts'
import { createReplaceableServer } from './replaceable-server.ts'

/** Serves every request of a host. */
export type Site = (request: Request) => Response | Promise<Response>

export interface ListenerOptions {
  readonly hostname: string
  readonly port: number
  /**
   * The site of a host name, which is in lower case without port and final dot; undefined if the Host is unusable. Called
   * for every request, because a site may change or end between two requests of a connection.
   */
  readonly siteOf: (host: string | undefined) => Site
  readonly log: Log
  readonly clock: Clock
  /** Called with the status of each response before it is sent. */
  readonly observe: (request: Request, context: RequestContext, status: number) => void
}

export interface Listener {
  readonly port: number
  /** Origin to reach it at, without a final slash. */
  readonly url: string
  /** Stops accepting and waits for the requests in flight, then closes the connections that are left. */
  stop(): Promise<void>
}

/** Bodies are bounded by the API, which responds with 413; Bun's own bound would cut the connection. */
const unboundedBytes = Number.MAX_SAFE_INTEGER

/** Starts listening. Throws the error of `Bun.serve` if that fails, for example because the port is in use. */
export function createListener(options: ListenerOptions): Listener {
  const { hostname, port, siteOf, log, clock, observe } = options
  // Nearly all requests of a listener name the same host.
  let lastHeader: string | undefined
  let lastHost: string | undefined

  function fetch(request: Request, server: Bun.Server<unknown>): Response | Promise<Response> {
    const header = request.headers.get('host') ?? ''
    if (header !== lastHeader) {
      lastHost = hostOf(header)
      lastHeader = header
    }
    const hasInvalidHost = lastHost === undefined
    // For an unusable Host, Bun's URL has no origin, and no router can parse it.
    const usable = hasInvalidHost ? new Request(`http://invalid${pathAndQuery(request.url)}`, request) : request
    const context: RequestContext = {
      peer: hasInvalidHost ? { requestIP: () => server.requestIP(request) } : server,
      startedMs: clock.monotonic(),
      hasInvalidHost,
      operation: undefined,
      requestId: undefined,
      keyId: undefined,
      errorCode: undefined,
    }
    attachContext(usable, context)
    try {
      const response = siteOf(lastHost)(usable)
      if (response instanceof Promise) {
        return response.then(
          (settled) => finish(usable, context, settled),
          (error) => fail(usable, context, error),
        )
      }
      return finish(usable, context, response)
    } catch (error) {
      return fail(usable, context, error)
    }
  }

  function finish(request: Request, context: RequestContext, response: Response): Response {
    // Bun adds a Date to the response of every other method (RFC 9110 section 6.6.1).
    if (request.method === 'HEAD') response.headers.set('date', new Date(clock.now()).toUTCString())
    observe(request, context, response.status)
    return response
  }

  /** Responds to a request whose site threw. */
  function fail(request: Request, context: RequestContext, error: unknown): Response {
    log.error('a request failed outside the API', { error })
    context.errorCode = 'internal_error'
    return finish(request, context, failure())
  }

  const serve = (wantedPort: number) =>
    Bun.serve({
      hostname,
      port: wantedPort,
      maxRequestBodySize: unboundedBytes,
      // If it is not set, Bun prints a line when it passes.
      idleTimeout: idleSeconds,
      fetch,
      error(error) {
        log.error('a request failed before it reached its site', { error })
        return failure()
      },
    })
  const server = createReplaceableServer(serve, port, log)
  const shortage = descriptorJob({ log, clock, closeIdle: server.closeIdle, closeAll: server.replace })
  const checks = schedule([shortage], clock, log)
  return {
    port: server.port,
    url: `http://${reachable(hostname)}:${server.port}`,
    async stop() {
      await checks.stop()
      await server.stop()
    },
  }
}

function failure(): Response {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return new Response(errorBody('internal_error', 'Something went wrong in the service.'), { status: 500, headers })
}

function pathAndQuery(url: string): string {
  const query = url.indexOf('?')
  return pathOf(url) + (query === -1 ? '' : url.slice(query))
}
