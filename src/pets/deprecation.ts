/**
 * The end of `getPet`: deprecated since 5 December 2025 (RFC 9745), removed five years later
 * (RFC 8594), to be replaced by the list with its filter.
 */

import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'

/** Unix milliseconds of 5 December 2030, 00:00 UTC. */
export const sunsetMs = Date.UTC(2030, 11, 5)

/** On every answer of the operation. */
const deprecationHeaders: Readonly<Record<string, string>> = {
  Deprecation: '@1764892800',
  Sunset: new Date(sunsetMs).toUTCString(),
  Link: '</v1/pets>; rel="successor-version"',
}

/** Throws `endpoint_removed` from the sunset on. */
export function assertNotRemoved(clock: Pick<Clock, 'now'>): void {
  if (clock.now() >= sunsetMs) {
    throw new AppError('endpoint_removed', 'This endpoint was removed on 5 December 2030. Use GET /v1/pets instead.')
  }
}

/** A transform hook that adds the headers to whatever comes of the request. */
export function announceRemoval({ set }: { set: { headers: Record<string, string | number> } }): void {
  Object.assign(set.headers, deprecationHeaders)
}

// A flood of refused requests passes here: matching beats parsing.
const operationUrl = /^https?:\/\/[^/]+\/v1\/pets\/[^/?#]+(?:[?#]|$)/

/** The headers, if a request that gets no further than admission was for this operation. */
export function deprecationHeadersOf(method: string, url: string): Readonly<Record<string, string>> | undefined {
  const isOperation = (method === 'GET' || method === 'HEAD') && operationUrl.test(url)
  return isOperation ? deprecationHeaders : undefined
}
