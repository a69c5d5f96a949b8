/**
 * A file of a deploy as HTTP sees it: its representations, each with the headers that are the same at every request,
 * and the response to a GET or HEAD of it with preconditions, range and content coding (RFC 9110 sections 12 to 14).
 */

import { containsTag, isCurrent } from '../../api/conditions.ts'
import { type Coding, codingOf } from '../../api/content-coding.ts'
import type { StoredContent } from '../../lib/contents/content.ts'
import { isCompressible, isPacked, type SiteFile } from '../deploys/manifest.ts'
import type { Contents } from './contents.ts'
import { preconditionFailedPage, unsatisfiableRangePage } from './pages.ts'
import { rangeOf } from './range.ts'

/** The file in one content coding. */
interface Representation {
  readonly content: StoredContent
  /** Strong: a hash of the bytes in this coding. */
  readonly etag: string
  /** Whether the bytes are sent from disk every time. */
  readonly isOnDisk: boolean
  /** The headers of a 200 and, with `Content-Range` in addition, of a 206. */
  readonly headers: Headers
  /** The headers of a 304. */
  readonly validators: Headers
}

export type Resource = Readonly<Partial<Record<Coding, Representation>>> & {
  readonly identity: Representation
  /**
   * The date for preconditions in Unix milliseconds: no whole second, and so no HTTP date, if the date is ambiguous.
   */
  readonly modifiedMs: number
}

/** When the files of a site went live at their paths. */
export interface LiveTime {
  /** Unix milliseconds. */
  readonly ms: number
  /** Whether other files were live at the same paths in the same second. */
  readonly isShared: boolean
}

/** Visitors see a new deploy at once: caches may keep a file, but revalidate it before each use. */
export const cacheControl = 'public, max-age=0, must-revalidate'

export function createResource(file: SiteFile, contents: Pick<Contents, 'isOnDisk'>, live: LiveTime): Resource {
  const { contentType } = file
  const encodings = isPacked(file.path) ? undefined : file.encodings
  // Archives carry any date, also the same one for different contents (RFC 9110 section 8.8.2).
  const modifiedMs = Math.max(file.modifiedMs, Math.floor(live.ms / 1000) * 1000)
  const validators = {
    'cache-control': cacheControl,
    'last-modified': new Date(modifiedMs).toUTCString(),
    // Also before the compressed variants exist, so that no cache mixes up the responses of then and now.
    ...(encodings !== undefined || isCompressible(contentType) ? { vary: 'Accept-Encoding' } : {}),
  }

  function represent(content: StoredContent, coding: Coding): Representation {
    const isIdentity = coding === 'identity'
    const etag = `"${content.hash.slice(0, 32)}${isIdentity ? '' : `-${coding}`}"`
    const isOnDisk = contents.isOnDisk(content)
    const headers = new Headers({
      ...validators,
      etag,
      'content-type': contentType,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      ...(isIdentity ? {} : { 'content-encoding': coding }),
      // Its only form.
      ...(isPacked(file.path) ? { 'content-encoding': 'gzip' } : {}),
      // Bun would add one with the name in the store, which is a hash.
      ...(isOnDisk ? { 'content-disposition': 'inline' } : {}),
    })
    return { content, etag, isOnDisk, headers, validators: new Headers({ ...validators, etag }) }
  }

  return {
    modifiedMs: live.isShared ? modifiedMs + 500 : modifiedMs,
    identity: represent(file, 'identity'),
    ...(encodings?.br ? { br: represent(encodings.br, 'br') } : {}),
    ...(encodings?.gzip ? { gzip: represent(encodings.gzip, 'gzip') } : {}),
  }
}

/** Called with a compressed form of a file that cannot be read, and the error. */
export type ReportUnreadable = (form: StoredContent, error: unknown) => void

/**
 * A promise rejects if the bytes of the file cannot be read. If only those of a compressed form cannot be read, that is
 * reported, and the response is the one to a client that accepts no coding.
 */
export function respond(
  request: Request,
  resource: Resource,
  contents: Contents,
  report: ReportUnreadable,
): Response | Promise<Response> {
  const range = requestedRange(request, resource)
  if (range === undefined) {
    const respondAs = (representation: Representation) =>
      evaluate(request, resource, representation) ?? respondWhole(request, representation, 200, contents)
    return respondPreferred(request, resource, report, respondAs)
  }
  const failure = evaluate(request, resource, resource.identity)
  if (failure !== undefined) return failure
  const { content, headers } = resource.identity
  if (range === 'unsatisfiable') return unsatisfiableRangePage({ 'content-range': `bytes */${content.size}` })
  const { start, end } = range
  const partHeaders = new Headers(headers)
  partHeaders.set('content-range', `bytes ${start}-${end - 1}/${content.size}`)
  return withBody(
    contents.read(content),
    (blob) => new Response(blob.slice(start, end), { status: 206, headers: partHeaders }),
  )
}

/**
 * A response with all bytes of a file, whatever range or state the request names. Unreadable bytes are as for
 * `respond`.
 */
export function respondWith(
  request: Request,
  resource: Resource,
  status: number,
  contents: Contents,
  report: ReportUnreadable,
): Response | Promise<Response> {
  const respondAs = (representation: Representation) => respondWhole(request, representation, status, contents)
  return respondPreferred(request, resource, report, respondAs)
}

/** Responds in the coding that the client prefers, and in the identity coding if the other one cannot be read. */
function respondPreferred(
  request: Request,
  resource: Resource,
  report: ReportUnreadable,
  respondAs: (representation: Representation) => Response | Promise<Response>,
): Response | Promise<Response> {
  const { identity } = resource
  const representation = preferred(request, resource)
  const response = respondAs(representation)
  if (representation === identity || !(response instanceof Promise)) return response
  return response.catch((error) => {
    report(representation.content, error)
    return respondAs(identity)
  })
}

function respondWhole(
  request: Request,
  { content, headers, isOnDisk }: Representation,
  status: number,
  contents: Contents,
): Response | Promise<Response> {
  // Bun would apply the header to a file on disk, although the range was judged to be ignored.
  const hidesFile = isOnDisk && request.headers.has('range') && request.method === 'GET'
  return withBody(contents.read(content), (blob) => {
    const body = hidesFile ? blob.stream().pipeThrough(new TransformStream<Uint8Array, Uint8Array>()) : blob
    return new Response(body, { status, headers })
  })
}

/** Responds at once where the bytes are in memory. */
function withBody(blob: Blob | Promise<Blob>, respondTo: (blob: Blob) => Response): Response | Promise<Response> {
  return blob instanceof Promise ? blob.then(respondTo) : respondTo(blob)
}

function preferred(request: Request, resource: Resource): Representation {
  if (resource.br === undefined && resource.gzip === undefined) return resource.identity
  return resource[codingOf(request, resource)] ?? resource.identity
}

/** The range that a request selects of the identity coding; undefined for the whole file in the coding it prefers. */
function requestedRange({ method, headers }: Request, { identity }: Resource) {
  const range = headers.get('range')
  if (range === null || method !== 'GET') return undefined
  const condition = headers.get('if-range')
  // A date is no strong validator: archives carry any date, also the same one for different contents.
  if (condition !== null && condition.trim() !== identity.etag) return undefined
  return rangeOf(range, identity.content.size)
}

/** The response where a precondition prevents sending the file, in the order of RFC 9110 section 13.2.2. */
function evaluate(
  { headers }: Request,
  { modifiedMs }: Resource,
  { etag, validators }: Representation,
): Response | undefined {
  const ifMatch = headers.get('if-match')
  if (ifMatch !== null) {
    if (!containsTag(ifMatch, etag, 'perCoding')) return preconditionFailedPage()
  } else {
    const unmodifiedSince = headers.get('if-unmodified-since')
    if (unmodifiedSince !== null && Date.parse(unmodifiedSince) < modifiedMs) return preconditionFailedPage()
  }
  const ifNoneMatch = headers.get('if-none-match')
  if (ifNoneMatch !== null) return isCurrent(ifNoneMatch, etag, 'perCoding') ? notModified(validators) : undefined
  const modifiedSince = headers.get('if-modified-since')
  // The very date that was sent: after a roll back, a file may be older than the copy that a client has.
  if (modifiedSince !== null && Date.parse(modifiedSince) === modifiedMs) return notModified(validators)
  return undefined
}

function notModified(headers: Headers): Response {
  return new Response(null, { status: 304, headers })
}
