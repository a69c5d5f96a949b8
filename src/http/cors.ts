/**
 * Cross-origin requests of web pages from allowed origins (https://fetch.spec.whatwg.org/#http-cors-protocol).
 */

import type { ResponseHead } from './conditions.ts'

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
].join(', ')

const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match',
  'access-control-max-age': '7200',
}

export interface Cors {
  /** Adds the headers that let a page of an allowed origin read the response. Returns whether the origin is allowed. */
  allow(request: Request, head: ResponseHead): boolean
  /** Adds the headers of the response to a preflight request. */
  preflight(head: ResponseHead): void
}

/** Whether a request is a preflight. Browsers send it without a key. */
export function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
}

/** Returns the CORS headers for `origins` (`*` for any), or undefined if no origin is allowed. */
export function createCors(origins: readonly string[]): Cors | undefined {
  if (origins.length === 0) return undefined
  const any = origins.includes('*')
  return {
    allow(request, head) {
      const origin = request.headers.get('origin')
      // The response depends on Origin even if the request has none: caches must know it.
      if (!any) head.headers['vary'] = 'Origin'
      if (origin === null || !(any || origins.includes(origin))) return false
      head.headers['access-control-allow-origin'] = any ? '*' : origin
      head.headers['access-control-expose-headers'] = exposedHeaders
      return true
    },
    preflight(head) {
      Object.assign(head.headers, preflightHeaders)
    },
  }
}
