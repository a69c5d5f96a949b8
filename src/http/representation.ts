/**
 * What a GET answers with: a body, its strong ETag, and 304 where the client has it already
 * (RFC 9110 sections 8.8.3 and 13.1.2).
 */

export interface Settable {
  status?: number | string
  headers: Record<string, string | number>
}

/** A strong entity tag of everything that makes two answers differ. */
export function etagOf(content: string): string {
  return `"${Bun.hash(content).toString(36)}"`
}

/** Whether an `If-None-Match` or `If-Match` header names `etag`; weak tags match only if `weakly`. */
export function matches(header: string, etag: string, weakly: boolean): boolean {
  if (header.trim() === '*') return true
  return header.split(',').some((candidate) => {
    const tag = candidate.trim()
    return tag === etag || (weakly && tag === `W/${etag}`)
  })
}

/** Sets the headers of a representation that caches must ask about each time. */
export function describeRepresentation(set: Settable, etag: string): void {
  set.headers['content-type'] = 'application/json'
  set.headers['cache-control'] = 'private, no-cache'
  set.headers['etag'] = etag
}

/** The representation, or a 304 without a body if the request has it already. */
export function unlessKnown(request: Request, set: Settable, etag: string, body: string): string | Response {
  const known = request.headers.get('if-none-match')
  if (known === null || !matches(known, etag, true)) return body
  delete set.headers['content-type']
  set.status = 304
  const notModified = new Response(null, { status: 304 })
  return notModified
}
