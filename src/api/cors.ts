/**
 * Cross-origin requests of web pages from allowed origins (https://fetch.spec.whatwg.org/#http-cors-protocol).
 */

const exposedHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'Link',
  'ETag',
  'X-Record-ETag',
  'Location',
  'X-Request-Id',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'Content-Disposition',
].join(', ')

const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID',
  'access-control-max-age': '7200',
}

export interface Cors {
  /** The headers that let a page of an allowed origin read the response; the same object for the same origin. */
  headersFor(request: Request): Readonly<Record<string, string>>
  /** The headers of the response to a preflight request from an allowed origin; undefined for any other request. */
  preflight(request: Request): Readonly<Record<string, string>> | undefined
}

/** Whether a request is a preflight. Browsers send it without a key. */
function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
}

/** Returns the CORS headers for `origins` (`*` for any), or undefined if no origin is allowed. */
export function createCors(origins: readonly string[]): Cors | undefined {
  if (origins.length === 0) return undefined
  const any = origins.includes('*')
  // The response depends on Origin even if the request has none: caches must know it.
  const common: Readonly<Record<string, string>> = any ? {} : { vary: 'Origin' }
  const headersOf = (origin: string) => ({
    ...common,
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposedHeaders,
  })
  const allowed = new Map(origins.map((origin) => [origin, headersOf(origin)]))

  function find(request: Request): Readonly<Record<string, string>> | undefined {
    const origin = request.headers.get('origin')
    return origin === null ? undefined : allowed.get(any ? '*' : origin)
  }

  return {
    headersFor: (request) => find(request) ?? common,
    preflight(request) {
      const headers = isPreflight(request) ? find(request) : undefined
      return headers && { ...headers, ...preflightHeaders }
    },
  }
}
