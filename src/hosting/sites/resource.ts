/**
 * A file of a deploy as HTTP sees it: its representations, each with the headers that are the same at every request.
 */

import type { Coding } from '../../api/content-coding.ts'
import type { StoredContent } from '../../lib/contents/content.ts'
import { isCompressible, isPacked, type SiteFile } from '../deploys/manifest.ts'
import type { Contents } from './contents.ts'

/** The file in one content coding. */
export interface Representation {
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
