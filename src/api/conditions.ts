/** Entity tags and conditional requests (RFC 9110 sections 8.8.3 and 13.1). */

import { AppError } from '../lib/error.ts'

/** The strong entity tag of a content, and of the link to the next page. */
export function etagOf(content: string, link = ''): string {
  // To join two long strings takes longer than to hash them.
  return `"${Bun.hash(link, Bun.hash(content)).toString(36)}"`
}

/** The entity tag of a record whose representation is `text`; members in `untagged` do not affect it. */
export function recordTag(record: object, text: string, untagged: readonly string[] | undefined): string {
  if (untagged === undefined) return etagOf(text)
  // A replacer would make JSON.stringify take four times as long.
  const tagged: Record<string, unknown> = { ...record }
  for (const member of untagged) tagged[member] = undefined
  return etagOf(JSON.stringify(tagged))
}

/** Whether a resource has one tag, or one for each content coding, such as `"h-br"`. */
export type TagKind = 'single' | 'perCoding'

/**
 * Whether `If-Match` or `If-None-Match` contains the tag or is `*`. A proxy that compresses a response changes its tag:
 * nginx makes `"x"` weak, Apache adds the coding. This service sends no weak tags, and a single tag has no coding, so
 * both still mean the tag that it has sent.
 */
export function containsTag(header: string, etag: string, kind: TagKind = 'single'): boolean {
  if (header === etag || header.trim() === '*') return true
  return header.split(',').some((candidate) => {
    const tag = candidate.trim().replace(/^W\//, '')
    return tag === etag || (kind === 'single' && tag.replace(/-(?:gzip|br|zstd)"$/, '"') === etag)
  })
}

/** Whether a client that sent this `If-None-Match` has the representation with the tag already. */
export function isCurrent(ifNoneMatch: string | null, etag: string, kind?: TagKind): boolean {
  return ifNoneMatch !== null && containsTag(ifNoneMatch, etag, kind)
}

/** Whether the response to a GET is a 304. Throws `precondition_failed` unless `If-Match` allows the response. */
export function isNotModified({ headers }: Request, etag: string): boolean {
  const expected = headers.get('if-match')
  if (expected !== null && !containsTag(expected, etag)) throw preconditionFailed()
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
    (expected !== null && (current === undefined || !containsTag(expected, current))) ||
    (excluded !== null && current !== undefined && containsTag(excluded, current))
  if (fails) throw preconditionFailed()
}

function preconditionFailed(): AppError {
  const message = 'The record is not in the state that If-Match or If-None-Match requires: fetch it again.'
  return new AppError('precondition_failed', message)
}
