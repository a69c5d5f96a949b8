/**
 * The manifest of a deploy: which file is served at which path, and where its bytes are stored. It is plain data that a
 * table stores as JSON. The bytes are in a `ContentStore`, once per distinct content.
 */

import type { StoredContent } from '../../lib/contents/content.ts'

/** One file of a deploy. */
export interface SiteFile extends StoredContent {
  /** Relative to the root of the site, in NFC, with `/` between its parts: `blog/index.html`. */
  readonly path: string
  /** The value of the `Content-Type` header. */
  readonly contentType: string
  /** Unix milliseconds, whole seconds: the value of `Last-Modified`. */
  readonly modifiedMs: number
  /** The same content compressed, where that is smaller. Added in the background, so it may be absent for a while. */
  readonly encodings?: Encodings
}

/** The compressed forms of a content that are smaller. */
export interface Encodings {
  readonly br?: StoredContent
  readonly gzip?: StoredContent
}

/** The files of a deploy, in the order of the archive. No two paths differ in case alone. */
export type Manifest = readonly SiteFile[]

/** Names of files without an extension whose type their readers insist on. */
const namedTypes: ReadonlyMap<string, string> = new Map([
  ['apple-app-site-association', 'application/json; charset=utf-8'],
])

/**
 * The `Content-Type` of a file by its path, of which the last part alone counts; text is declared as UTF-8, unknown
 * extensions as arbitrary bytes.
 */
export function contentTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const named = namedTypes.get(name)
  if (named !== undefined) return named
  const extension = /.\.([A-Za-z0-9_-]+)$/.exec(name)?.[1]
  if (extension === undefined) return 'application/octet-stream'
  // Loaded here, because a start does not need its large table.
  const { contentType }: typeof import('mime-types') = require('mime-types')
  const found = contentType(`.${extension}`)
  return found === false ? 'application/octet-stream' : found
}

/** Whether files of this content type usually become smaller when compressed. */
export function isCompressible(contentType: string): boolean {
  return /^(text\/|application\/(javascript|json|xml|wasm|manifest\+json|vnd\.ms-fontobject|rtf|sql|toml)|font\/(ttf|otf)|image\/(bmp|svg\+xml|x-icon|vnd\.microsoft\.icon))|\+(json|xml|text)\b/.test(
    contentType,
  )
}

/** Whether a file is stored compressed and has the type of what it contains: `image/svg+xml` for `logo.svgz`. */
export function isPacked(path: string): boolean {
  return /\.svgz$/i.test(path)
}

/** Whether a path is served by the service itself and never from a deploy. The comparison ignores case. */
export function isReserved(path: string): boolean {
  return /^\.well-known\/(acme-challenge|pki-validation)(\/|$)/i.test(path)
}
