/**
 * What a GET answers with: a body, its strong ETag, and 304 where the client has it already
 * (RFC 9110 sections 8.8.3 and 13.1.2).
 */

import { AppError } from '../lib/error.ts'

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

/** Sets the headers of a representation; unless told otherwise, caches must ask about it each time. */
export function describeRepresentation(set: Settable, etag: string, caching = 'private, no-cache'): void {
  set.headers['content-type'] = 'application/json'
  set.headers['cache-control'] = caching
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

/** Sends one record, or 304 if the request has it already. */
export function sendRecord(request: Request, set: Settable, record: object, caching?: string): string | Response {
  const body = JSON.stringify(record)
  const etag = etagOf(body)
  describeRepresentation(set, etag, caching)
  return unlessKnown(request, set, etag, body)
}

/** Sends what a change has made of a record, with the ETag that a GET of it will have. */
export function sendChanged(set: Settable, record: object): string {
  const body = JSON.stringify(record)
  describeRepresentation(set, etagOf(body), 'no-store')
  return body
}

/**
 * Throws `precondition_failed` unless the request's `If-Match`, if it has one, names the record as it is
 * (RFC 9110 section 13.1.1). `record` is what a GET shows, undefined if there is none.
 */
export function assertMatch(request: Request, record: object | undefined): void {
  const expected = request.headers.get('if-match')
  if (expected === null) return
  if (!record || !matches(expected, etagOf(JSON.stringify(record)), false)) {
    throw new AppError('precondition_failed', 'The record has changed since you read it: read it again.')
  }
}
