/**
 * Serves the files that scripts/build-assets.ts makes of a web page: already compressed, with an ETag, and with the
 * security headers that every page of this origin has.
 */

import { readFileSync } from 'node:fs'
import { isCurrent } from '../../api/conditions.ts'
import { codingOf } from '../../api/content-coding.ts'
import { errorResponse } from '../../api/errors.ts'
import { pathOf } from '../../api/target.ts'

/** One file of a page, in each content coding that it was stored in. */
export interface AssetFile {
  /** The path in its URL: for instance `/docs` for the page; for other files a name with a hash of the content. */
  readonly path: string
  /** The value of `Content-Type`. */
  readonly type: string
  /** Hash of the content. */
  readonly hash: string
  /** Paths of the files with the bytes: inside the executable, or on disk when running from source. */
  readonly codings: { readonly identity: string; readonly br?: string; readonly gzip?: string }
}

/** Handles a request below a page's path; undefined if there is no such file. */
export type AssetHandler = (request: Request) => Response | undefined

const yearSeconds = 31_536_000

/**
 * Returns the handler for a page and its files. GET and HEAD receive the file, any other method 405. Browsers
 * revalidate the page on each visit; the other files never change under their names, so browsers cache them.
 */
export function createAssetHandler(pagePath: string, files: readonly AssetFile[]): AssetHandler {
  const filesByPath = new Map(files.map((file) => [file.path, file]))
  return (request) => {
    const file = filesByPath.get(pathOf(request.url))
    if (file === undefined) return undefined
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed(request)
    const coding = codingOf(request, file.codings)
    const etag = `"${file.hash}-${coding}"`
    const headers: Record<string, string> = {
      ...(file.path === pagePath
        ? { ...pageSecurityHeaders(), 'cache-control': 'no-cache' }
        : { 'x-content-type-options': 'nosniff', 'cache-control': `public, max-age=${yearSeconds}, immutable` }),
      etag,
      vary: 'Accept-Encoding',
    }
    if (isCurrent(request.headers.get('if-none-match'), etag, 'perCoding'))
      return new Response(null, { status: 304, headers })
    headers['content-type'] = file.type
    if (coding !== 'identity') headers['content-encoding'] = coding
    return new Response(Bun.file(file.codings[coding] ?? file.codings.identity), { headers })
  }
}

/**
 * Returns the handler for the dashboard: its page has the path `pagePath`, which ends in a slash, and is served for
 * every path below, because its script shows the view of the address. Each response has its own nonce, by which the
 * page may add style sheets.
 */
export function createDashboardPage(pagePath: string, files: readonly AssetFile[]): AssetHandler {
  const isPage = ({ path }: AssetFile) => path === pagePath
  const page = files.find(isPage)
  const assets = createAssetHandler(
    pagePath,
    files.filter((file) => !isPage(file)),
  )
  let html: string | undefined

  return (request) => {
    const path = pathOf(request.url)
    if (path === pagePath.slice(0, -1)) return new Response(null, { status: 308, headers: { location: pagePath } })
    if (!path.startsWith(pagePath) || page === undefined) return undefined
    if (path.startsWith(`${pagePath}assets/`)) return assets(request)
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed(request)
    html ??= readFileSync(page.codings.identity, 'utf8')
    const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(nonceBytes))).toString('base64')
    const headers = {
      'content-type': page.type,
      'content-security-policy': dashboardPolicy(nonce),
      ...(isTrustworthy(request) ? { 'cross-origin-opener-policy': 'same-origin' } : {}),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    }
    return new Response(html.replaceAll('{{nonce}}', nonce), { headers })
  }
}

const nonceBytes = 16

/**
 * Whether the browser trusts the connection, which is HTTPS or stays on its machine: only then does it send these
 * headers (Fetch Metadata, section 2). On others it ignores the opener policy with an error on its console.
 */
const isTrustworthy = ({ headers }: Request): boolean => headers.has('sec-fetch-mode')

function dashboardPolicy(nonce: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * The headers of every page of this origin. Browsers run and show nothing inline and nothing of another host, and no
 * other site can put the page in a frame. `styles` are hashes of inline style sheets (`'sha256-…'`).
 */
export function pageSecurityHeaders(styles: readonly string[] = []) {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...styles].join(' '),
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
  }
}

function methodNotAllowed(request: Request): Response {
  const headers = { allow: 'GET, HEAD', 'x-content-type-options': 'nosniff' }
  return errorResponse(request, 'method_not_allowed', `${request.method} is not allowed here. Use GET.`, headers)
}
