/**
 * Serves the dashboard's own routes. In this order: the connection must be safe and the request must come from our own
 * page (403), the browser must have a session (401), the body must be valid (400).
 */

import type { AddressLimiter } from '../access/limits/addresses.ts'
import { DashboardError, dashboardStatusOf } from '../access/owner/error.ts'
import { type Browser, findSession } from '../access/owner/sessions.ts'
import type { ClientNetworks } from '../api/client-networks.ts'
import { contextOf } from '../api/context.ts'
import { errorResponse } from '../api/errors.ts'
import { createBodyReader, UnsupportedMediaType } from '../api/input/body.ts'
import type { EndpointParts } from '../api/route.ts'
import { pathOf } from '../api/target.ts'
import type { FaultMonitor } from '../database/faults/monitor.ts'
import { AppError } from '../lib/error.ts'
import { assertSafe, assertSameOrigin, type Connection, connectionOf } from './connection.ts'
import { createCookies } from './cookies.ts'
import { dashboardEndpoints } from './endpoints.ts'
import { createDownloads, type Fetch } from './files.ts'
import { type DashboardParts, dashboardHandlers, type Exchange, type Reply, signedOutError } from './routes.ts'

type Endpoint = (typeof dashboardEndpoints)[keyof typeof dashboardEndpoints]

interface Route {
  readonly operation: string
  readonly endpoint: Endpoint
  readonly expression: RegExp
  readonly readBody: (request: Request) => Promise<unknown>
  readonly handle: (input: never) => Reply | Response | Promise<Reply | Response>
}

export interface DashboardSiteParts extends DashboardParts {
  readonly networks: ClientNetworks
  /** Counts the requests without a session. */
  readonly addresses: AddressLimiter
  readonly endpointParts: Pick<EndpointParts, 'bodyBudget'>
  readonly faults: Pick<FaultMonitor, 'readFailed'>
  readonly api: { readonly fetch: Fetch }
}

/** Returns the handler of the dashboard's routes, which returns undefined for every other path or method. */
export function createDashboardSite(parts: DashboardSiteParts): (request: Request) => Promise<Response> | undefined {
  const cookies = createCookies(parts.owner.installation().storeId)
  const handlers = dashboardHandlers(parts, cookies, createDownloads(parts, parts.api.fetch))
  const routes = Object.entries(dashboardEndpoints).map(([operation, endpoint]): Route => {
    const name = operation as keyof typeof dashboardEndpoints
    return {
      operation: `dashboard.${operation}`,
      endpoint,
      expression: expressionOf(endpoint.path),
      readBody: bodyReader(endpoint, parts),
      handle: handlers[name],
    }
  })

  async function respond(request: Request, route: Route, parameter: string): Promise<Response> {
    const context = contextOf(request)
    if (context) context.operation = route.operation
    const connection = connectionOf(request, parts.networks)
    try {
      const result = await handle(request, route, parameter, connection)
      return result instanceof Response ? result : replyOf(result)
    } catch (error) {
      return respondToError(request, error)
    }
  }

  async function handle(request: Request, route: Route, parameter: string, connection: Connection) {
    const { endpoint } = route
    assertSameOrigin(request, connection, endpoint.method !== 'GET')
    // The page shows why signing in is not possible.
    if (route.operation !== 'dashboard.getSession') assertSafe(connection)
    const browser: Browser = {
      userAgent: request.headers.get('user-agent') ?? '',
      network: connection.network,
      ...cookies.read(request, connection.kind === 'https'),
    }
    const isSafe = connection.kind !== 'public' && connection.kind !== 'unknown_proxy'
    const session = isSafe ? findSession(parts.owner, browser, parts.clock.now()) : undefined
    if (session === undefined) countStranger(connection)
    if (endpoint.needsSession && session === undefined) throw signedOutError(parts, connection)
    const body = await route.readBody(request)
    const input: Exchange & { session: unknown } = { request, connection, browser, body, parameter, session }
    return await route.handle(input as never)
  }

  function countStranger({ network }: Connection): void {
    if (parts.addresses.admit(network)) return
    const { retryAfterSeconds } = parts.addresses.status
    throw new AppError('rate_limit_exceeded', `Too many requests. Try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    })
  }

  function respondToError(request: Request, thrown: unknown): Response {
    if (thrown instanceof DashboardError) {
      const { code, message, members } = thrown
      const status = dashboardStatusOf[code]
      return jsonResponse(JSON.stringify({ code, message, status, ...members }), status, thrown.retryAfterSeconds)
    }
    const error =
      thrown instanceof AppError ? thrown : (parts.faults.readFailed(thrown) ?? internalError(request, thrown))
    const { code, message, retryAfterSeconds } = error
    const hint = error instanceof UnsupportedMediaType ? error.hint : {}
    const pause = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
    return errorResponse(request, code, message, { ...headers, ...hint, ...pause })
  }

  function internalError(request: Request, error: unknown): AppError {
    parts.log.error('a request of the dashboard failed', { method: request.method, path: pathOf(request.url), error })
    return new AppError('internal_error', 'Something went wrong in the service. Its log says what.')
  }

  return (request) => {
    const path = pathOf(request.url)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const found = routes.filter(({ expression }) => expression.test(path))
    const route = found.find(({ endpoint }) => endpoint.method === method)
    if (route) return respond(request, route, route.expression.exec(path)?.[1] ?? '')
    // A page may have the path of a route with another method: /dashboard/setup.
    if (found.length === 0 || method === 'GET') return undefined
    return Promise.resolve(methodNotAllowed(request, found))
  }
}

function methodNotAllowed(request: Request, routes: readonly Route[]): Response {
  const allow = routes.map(({ endpoint }) => endpoint.method).join(', ')
  const message = `${request.method} is not allowed here; use ${allow}.`
  return errorResponse(request, 'method_not_allowed', message, { ...headers, allow })
}

function expressionOf(path: string): RegExp {
  return new RegExp(`^${path.replace('{id}', '([1-9][0-9]{0,14})').replace('{name}', '([^/]+)')}$`)
}

function bodyReader(endpoint: Endpoint, { endpointParts }: DashboardSiteParts): Route['readBody'] {
  const schema = 'body' in endpoint ? endpoint.body : undefined
  const isOptional = 'isBodyOptional' in endpoint
  const read = createBodyReader(schema && { kind: 'json', schema }, endpointParts.bodyBudget)
  return async (request) => {
    if (endpoint.method === 'GET') return undefined
    if (isOptional && request.body === null) return {}
    return (await read(request, 'dashboard')).value
  }
}

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

function replyOf({ body, cookies = [], isSignedOut = false }: Reply): Response {
  const response =
    body === undefined ? new Response(null, { status: 204, headers }) : jsonResponse(JSON.stringify(body), 200)
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  // The browser has cached orders and animals that the page has fetched. Without HTTPS, browsers ignore this header.
  if (isSignedOut) response.headers.set('clear-site-data', '"cache"')
  return response
}

function jsonResponse(body: string, status: number, retryAfterSeconds?: number): Response {
  const response = new Response(body, { status, headers: { ...headers, 'content-type': 'application/json' } })
  if (retryAfterSeconds !== undefined) response.headers.set('retry-after', String(retryAfterSeconds))
  return response
}
