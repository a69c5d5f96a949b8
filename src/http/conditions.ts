/** Entity tags and conditional requests (RFC 9110 sections 8.8.3 and 13.1). */

import { AppError } from '../lib/error.ts'
import { ReusedHeaders } from './reused-headers.ts'

/** The status and headers of a response that is not sent yet. */
export interface ResponseHead {
  status?: number | string
  headers: Record<string, string | number>
}

/** The strong entity tag of a content. */
export function etagOf(content: string): string {
  return `"${Bun.hash(content).toString(36)}"`
}

/** The entity tag of a record whose representation is `text`; members in `untagged` do not affect it. */
export function recordTag(record: object, text: string, untagged: readonly string[] | undefined): string {
  if (untagged === undefined) return etagOf(text)
  return etagOf(JSON.stringify(record, (key, value: unknown) => (untagged.includes(key) ? undefined : value)))
}

/** Whether `If-Match` or `If-None-Match` contains the tag or is `*`. */
export function containsTag(header: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (header === etag || header.trim() === '*') return true
  return header.split(',').some((candidate) => {
    const tag = candidate.trim()
    return tag === etag || (comparison === 'weak' && tag === `W/${etag}`)
  })
}

/** Whether a client that sent this `If-None-Match` has the representation with the tag already. */
export function isCurrent(ifNoneMatch: string | null, etag: string): boolean {
  return ifNoneMatch !== null && containsTag(ifNoneMatch, etag, 'weak')
}

/**
 * Returns a function for the responses to GET of one endpoint: `text`, or a 304 without a body if `If-None-Match` contains
 * the tag. It throws `precondition_failed` unless `If-Match` allows the response. The headers of `head` move to the response.
 */
export function createGetResponse(cacheControl: string) {
  const found = new ReusedHeaders()
  const notModified = new ReusedHeaders()
  return (request: Request, head: ResponseHead, etag: string, text: string): Response => {
    const { headers } = head
    const isKnown = isNotModified(request, etag)
    if (!isKnown) headers['content-type'] = 'application/json'
    headers['cache-control'] = cacheControl
    headers['etag'] = etag
    // Elysia sends a response unchanged if there is no header to add.
    head.headers = {}
    return isKnown ? notModified.respond(304, headers, null) : found.respond(200, headers, text)
  }
}

/** Whether the response to a GET is a 304. Throws `precondition_failed` unless `If-Match` allows the response. */
export function isNotModified({ headers }: Request, etag: string): boolean {
  const expected = headers.get('if-match')
  if (expected !== null && !containsTag(expected, etag, 'strong')) throw preconditionFailed()
  return isCurrent(headers.get('if-none-match'), etag)
}

/**
 * Throws `precondition_failed` unless `If-Match` and `If-None-Match` allow a change of the record with the tag `etag`;
 * undefined stands for a record that does not exist.
 */
export function assertPreconditions({ headers }: Request, etag: () => string | undefined): void {
  const expected = headers.get('if-match')
  const excluded = headers.get('if-none-match')
  if (expected === null && excluded === null) return
  const current = etag()
  const fails =
    (expected !== null && (current === undefined || !containsTag(expected, current, 'strong'))) ||
    (excluded !== null && current !== undefined && containsTag(excluded, current, 'weak'))
  if (fails) throw preconditionFailed()
}

function preconditionFailed(): AppError {
  const message = 'The record is not in the state that If-Match or If-None-Match requires: fetch it again.'
  return new AppError('precondition_failed', message)
}
