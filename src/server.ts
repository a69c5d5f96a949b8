/**
 * The listener: the API, its description, the pages, and the probes, on one port; and its graceful end.
 */

import type { App } from './app.ts'
import { type AssetHandler, pageSecurityHeaders } from './assets/serve.ts'
import { errorBody } from './http/errors.ts'
import { AppError } from './lib/error.ts'
import { reachable } from './lib/network.ts'
import { describeApi } from './openapi/describe.ts'
import { type GivenServers, serversOf } from './openapi/servers.ts'

interface Api {
  fetch(request: Request): Response | Promise<Response>
}

export interface ListenOptions {
  readonly hostname: string
  readonly port: number
  /** What the description lists, where it isn't this listener's own address. */
  readonly servers: GivenServers
  /** Serves the web pages. Passed in, because the package for test suites serves the API without them. */
  readonly pages: AssetHandler
}

export interface Listener {
  readonly port: number
  /** Origin to reach it at, without a final slash. */
  readonly url: string
  /** Stops accepting and waits for the requests in flight, then cuts the connections that are left. */
  stop(): Promise<void>
}

/** Bodies are bounded by the API itself, which answers 413; Bun's own bound would cut the connection. */
const unboundedBytes = Number.MAX_SAFE_INTEGER

/** How long a sender may keep a request waiting for its next byte. Given, so that Bun prints nothing when it passes. */
const idleSeconds = 30

/** How long a stop waits for requests in flight, in milliseconds. */
const graceMs = 10_000

/** Throws what `Bun.serve` throws if the address can't be had. */
export function listen(app: App & { readonly api: Api }, options: ListenOptions): Listener {
  const { hostname, port, servers, pages } = options
  const { api } = app
  let description: Promise<string> | undefined
  const server = Bun.serve({
    hostname,
    port,
    maxRequestBodySize: unboundedBytes,
    idleTimeout: idleSeconds,
    routes: {
      '/': () => Response.redirect('/docs', 302),
      '/openapi.json': {
        GET: async () => {
          const place = { running: app.environment, hostname, port: server.port ?? port }
          description ??= describeApi(app, serversOf(servers, place))
          return new Response(await description, { headers: jsonHeaders })
        },
      },
      '/healthz': { GET: () => new Response('{"status":"alive"}', { headers: jsonHeaders }) },
      '/readyz': { GET: () => ready(app) },
      '/v1': api.fetch,
      '/v1/*': api.fetch,
    },
    fetch: (request) => pages(request) ?? new Response(notFoundPage, { status: 404, headers: notFoundHeaders }),
    error(error) {
      app.log.error('a request failed outside the API', { error })
      return new Response(errorBody('internal_error', 'Something went wrong on our side.'), {
        status: 500,
        headers: jsonHeaders,
      })
    },
  })
  app.networks.source = server
  const found = server.port ?? port
  return {
    port: found,
    url: `http://${reachable(hostname)}:${found}`,
    async stop() {
      const grace = Promise.withResolvers<void>()
      const timer = setTimeout(grace.resolve, graceMs)
      await Promise.race([server.stop(), grace.promise])
      clearTimeout(timer)
      await server.stop(true)
    },
  }
}

async function ready({ readiness }: Pick<App, 'readiness'>): Promise<Response> {
  try {
    await readiness()
    return new Response('{"status":"ready"}', { headers: jsonHeaders })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const body = errorBody('storage_unavailable', error.message)
    return new Response(body, {
      status: 503,
      headers: { ...jsonHeaders, 'retry-after': String(error.retryAfterSeconds ?? 1) },
    })
  }
}

const jsonHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
}

const notFoundStyle = `
  :root { color-scheme: light dark; font: 1.1rem/1.6 system-ui, sans-serif }
  body { max-width: 30rem; margin: 20vh auto 0; padding: 0 1.5rem }
`

const notFoundPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page not found</title>
<style>${notFoundStyle}</style>
<h1>Page not found</h1>
<p>There is nothing at this address. The API is described at <a href="/docs">/docs</a>.</p>
</html>
`

const notFoundHeaders = {
  ...pageSecurityHeaders([`'sha256-${new Bun.CryptoHasher('sha256').update(notFoundStyle).digest('base64')}'`]),
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
}
