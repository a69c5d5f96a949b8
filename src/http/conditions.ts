/** Entity tags and conditional requests (RFC 9110 sections 8.8.3 and 13.1). */

import { AppError } from '../lib/error.ts'

/** The status and headers of a response in the making. */
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

function names(header: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (header.trim() === '*') return true
  return header.split(',').some((candidate) => {
    const tag = candidate.trim()
    return tag === etag || (comparison === 'weak' && tag === `W/${etag}`)
  })
}

/** Whether a client that sent this `If-None-Match` has the representation with the tag already. */
export function isCurrent(ifNoneMatch: string | null, etag: string): boolean {
  return ifNoneMatch !== null && names(ifNoneMatch, etag, 'weak')
}

/**
 * The body of a GET: the text, or a 304 without a body where the client has it already. Throws `precondition_failed` if
 * `If-Match` names another state.
 */
export function conditionalBody(request: Request, head: ResponseHead, etag: string, text: string): string | Response {
  const { headers } = request
  const expected = headers.get('if-match')
  if (expected !== null && !names(expected, etag, 'strong')) throw preconditionFailed()
  if (!isCurrent(headers.get('if-none-match'), etag)) return text
  delete head.headers['content-type']
  head.status = 304
  return new Response(null, { status: 304 })
}

/**
 * Throws `precondition_failed` unless `If-Match` and `If-None-Match` allow a change of what has the tag `etag`;
 * undefined where there is nothing.
 */
export function assertPreconditions({ headers }: Request, etag: () => string | undefined): void {
  const expected = headers.get('if-match')
  const excluded = headers.get('if-none-match')
  if (expected === null && excluded === null) return
  const current = etag()
  const fails =
    (expected !== null && (current === undefined || !names(expected, current, 'strong'))) ||
    (excluded !== null && current !== undefined && names(excluded, current, 'weak'))
  if (fails) throw preconditionFailed()
}

function preconditionFailed(): AppError {
  const message = 'The record is not in the state that If-Match or If-None-Match asks for: fetch it again.'
  return new AppError('precondition_failed', message)
}
