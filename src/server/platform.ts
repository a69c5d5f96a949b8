/** The site of the platform itself: the API, its description, the web pages and the probes. */

import { isCurrent } from '../api/conditions.ts'
import { codingOf } from '../api/content-coding.ts'
import { contextOf } from '../api/context.ts'
import { errorResponse } from '../api/errors.ts'
import type { Site } from '../api/host.ts'
import { pathOf } from '../api/target.ts'
import { AppError } from '../lib/error.ts'
import { type AssetHandler, pageSecurityHeaders } from './assets/serve.ts'

export interface PlatformOptions {
  /** Serves every path below `/v1`. */
  readonly api: { readonly fetch: Site }
  /** Serves the routes of the dashboard that are not files; undefined for every other path. */
  readonly dashboard: (request: Request) => Response | Promise<Response> | undefined
  /** Resolves if requests can be served; throws the `AppError` that says why not. */
  readonly readiness: () => Promise<unknown>
  /** Serves the web pages. Passed in, because the package for test suites serves the API without them. */
  readonly pages: AssetHandler
  /** Writes the OpenAPI document. */
  readonly describe: () => Promise<string>
  /** Serves the operator's endpoints. */
  readonly operator: Site
  /** Serves photos, and the style of the web shop; undefined for every other address. */
  readonly shopFiles: (request: Request) => Response | Promise<Response> | undefined
}

interface Route {
  /** Its name in metrics and in the request log. */
  readonly operation: string
  readonly respond: (request: Request) => Response | Promise<Response>
}

export function createPlatform(options: PlatformOptions): Site {
  const { api, dashboard, readiness, pages, describe, operator, shopFiles } = options
  let description: ReturnType<typeof encode> | undefined
  const routes: Readonly<Record<string, Route>> = {
    '/': {
      operation: 'home',
      respond: () => new Response(null, { status: 302, headers: { location: '/dashboard/' } }),
    },
    '/docs/': {
      operation: 'home',
      respond: () => new Response(null, { status: 308, headers: { location: '/docs' } }),
    },
    '/openapi.json': {
      operation: 'openapi',
      async respond(request) {
        description ??= encode(describe())
        return sendDescription(request, await description)
      },
    },
    '/healthz': {
      operation: 'healthz',
      respond: () => new Response('{"status":"alive"}', { headers: jsonHeaders }),
    },
    '/readyz': { operation: 'readyz', respond: (request) => ready(readiness, request) },
    '/metrics': { operation: 'metrics', respond: operator },
  }

  return (request) => {
    const path = pathOf(request.url)
    if (path.startsWith('/v1') && (path.length === 3 || path[3] === '/')) return api.fetch(request)
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    if (!route) {
      const isOfDashboard = path.startsWith('/dashboard/')
      return (isOfDashboard && dashboard(request)) || (shopFiles(request) ?? pages(request) ?? notFound(request))
    }
    const context = contextOf(request)
    if (context) context.operation = route.operation
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') return methodNotAllowed(request)
    return route.respond(request)
  }
}

/** The description in each content coding, with the hash that its ETags begin with. */
async function encode(description: Promise<string>) {
  const text = await description
  const gzip = Bun.gzipSync(text, { level: 9 })
  return { hash: Bun.hash(text).toString(36), bodies: { identity: text, gzip } }
}

function sendDescription(request: Request, { hash, bodies }: Awaited<ReturnType<typeof encode>>): Response {
  const coding = codingOf(request, bodies) === 'gzip' ? 'gzip' : 'identity'
  const etag = `"${hash}-${coding}"`
  const headers: Record<string, string> = {
    ...jsonHeaders,
    etag,
    vary: 'Accept-Encoding',
    // It needs no key: a page of any origin may read it.
    'access-control-allow-origin': '*',
  }
  if (isCurrent(request.headers.get('if-none-match'), etag, 'perCoding'))
    return new Response(null, { status: 304, headers })
  if (coding === 'gzip') headers['content-encoding'] = 'gzip'
  return new Response(bodies[coding], { headers })
}

/** A page for people, or the error body for a client that accepts JSON but no HTML. */
function notFound(request: Request): Response {
  const accept = request.headers.get('accept') ?? ''
  if (accept.includes('text/html') || !accept.includes('application/json')) {
    return new Response(notFoundPage, { status: 404, headers: notFoundHeaders })
  }
  const message = 'There is nothing at this address. The paths of the API begin with /v1.'
  return errorResponse(request, 'not_found', message, jsonHeaders)
}

function methodNotAllowed(request: Request): Response {
  const message = `${request.method} is not allowed here; allowed are GET, HEAD.`
  return errorResponse(request, 'method_not_allowed', message, { ...jsonHeaders, allow: 'GET, HEAD' })
}

async function ready(readiness: PlatformOptions['readiness'], request: Request): Promise<Response> {
  try {
    await readiness()
    return new Response('{"status":"ready"}', { headers: jsonHeaders })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const headers = { ...jsonHeaders, 'retry-after': String(error.retryAfterSeconds ?? 1) }
    return errorResponse(request, 'storage_unavailable', error.message, headers)
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
