/** Serves one deploy. Each deploy has its own site; `hosting/hosts.ts` decides which one a host gets. */

import { LRUCache } from 'lru-cache'
import { contextOf, setErrorCode } from '../../api/context.ts'
import type { Site } from '../../api/host.ts'
import type { StoredContent } from '../../lib/contents/content.ts'
import type { Log } from '../../lib/log.ts'
import { isReserved, type SiteFile } from '../deploys/manifest.ts'
import type { Contents } from './contents.ts'
import { methodNotAllowedPage, notFoundPage, unreadablePage } from './pages.ts'
import { type FindFile, requestedPath, targetOf } from './paths.ts'
import {
  cacheControl,
  createResource,
  type LiveTime,
  type ReportUnreadable,
  type Resource,
  respond,
  respondWith,
} from './resource.ts'

/** The target of an address. Made at its first request, since most files of a deploy are requested seldom. */
type Served = { readonly file: SiteFile; readonly resource: Resource } | { readonly location: string }

/** The target of an address at which the deploy has nothing, and the fallback has something. */
const atFallback = Symbol('at the fallback')

/** The most addresses that are kept in memory for all sites together. */
const cachedAddresses = 20_000

/** Shared by all sites; its keys begin with the name of the site. */
export const createAddressCache = () => new LRUCache<string, Served | typeof atFallback>({ max: cachedAddresses })
export type AddressCache = ReturnType<typeof createAddressCache>

/** What a site asks where the deploy has no file. */
export interface Fallback {
  /** Undefined for a path (decoded, without the first slash) at which there is nothing. */
  respond(request: Request, path: string): Response | Promise<Response> | undefined
  /** The page for such a path, if the deploy has none. */
  notFound(request: Request): Response | Promise<Response>
}

export interface SiteOptions {
  /** Shared by all sites. */
  readonly contents: Contents
  readonly log: Log
  readonly addresses?: AddressCache
  /** Unique among the sites that share `addresses`, and without spaces. */
  readonly name?: string
  /** Without it, the dates of the files count alone. */
  readonly live?: LiveTime
  readonly fallback?: Fallback | undefined
}

/** The name of requests to sites in metrics and in the request log. */
export const siteOperation = 'site'

/** Responds with the files that `find` finds, which must not change: a new deploy is a new site. */
export function createSite(find: FindFile, options: SiteOptions): Site {
  const { contents, log, addresses = createAddressCache(), name = '', live = { ms: 0, isShared: false } } = options
  const { fallback } = options

  function servedAt(path: string): Served | typeof atFallback | undefined {
    const key = `${name} ${path}`
    const known = addresses.get(key)
    if (known !== undefined) return known
    const target = targetOf(find, path)
    if (target === undefined) return undefined
    const served = 'file' in target ? { ...target, resource: createResource(target.file, contents, live) } : target
    addresses.set(key, served)
    return served
  }

  /** Undefined where the fallback has nothing either. */
  function respondInstead(request: Request, path: string): Response | Promise<Response> | undefined {
    const response = fallback?.respond(request, path)
    // Paths at which there is nothing, or a redirect, are without number, and are looked up each time.
    if (response instanceof Response && response.ok) addresses.set(`${name} ${path}`, atFallback)
    return response
  }

  function notFound(request: Request, path: string | undefined): Response | Promise<Response> {
    setErrorCode(request, 'not_found')
    if (path !== undefined && isReserved(path)) return notFoundPage()
    const page = servedAt('404.html')
    if (page === undefined || page === atFallback || 'location' in page)
      return fallback?.notFound(request) ?? notFoundPage()
    return guarded(request, page.file, (report) => respondWith(request, page.resource, 404, contents, report))
  }

  /** The contents that were logged as unreadable, for as long as their addresses are kept in memory. */
  const logged = new WeakSet<StoredContent>()

  /** A page that cannot be read may be requested thousands of times. */
  function logOnce(content: StoredContent, path: string, error: unknown, message: string): void {
    if (logged.has(content)) return
    logged.add(content)
    log.error(message, { path, hash: content.hash, error })
  }

  /** A file that cannot be read is an error of this request alone. */
  function guarded(
    request: Request,
    file: SiteFile,
    serve: (report: ReportUnreadable) => Response | Promise<Response>,
  ) {
    const report: ReportUnreadable = (form, error) => {
      const message =
        'a compressed form of a file of a site cannot be read, and the file is sent uncompressed: deploy the site again'
      logOnce(form, file.path, error, message)
    }
    const unreadable = (error: unknown): Response => {
      const message = 'a file of a site cannot be read: restore it from a backup or deploy the site again'
      logOnce(file, file.path, error, message)
      setErrorCode(request, 'storage_unavailable')
      return unreadablePage()
    }
    try {
      const response = serve(report)
      return response instanceof Promise ? response.catch(unreadable) : response
    } catch (error) {
      return unreadable(error)
    }
  }

  return (request) => {
    const context = contextOf(request)
    if (context) context.operation = siteOperation
    const { method, url } = request
    if (method !== 'GET' && method !== 'HEAD') {
      setErrorCode(request, 'method_not_allowed')
      return methodNotAllowedPage()
    }
    const path = requestedPath(url)
    const served = path === undefined ? undefined : servedAt(path)
    if (served === undefined || served === atFallback) {
      return (path === undefined ? undefined : respondInstead(request, path)) ?? notFound(request, path)
    }
    if ('location' in served) return redirect(served.location, url)
    return guarded(request, served.file, (report) => respond(request, served.resource, contents, report))
  }
}

function redirect(path: string, url: string): Response {
  const query = url.indexOf('?')
  const location = query === -1 ? path : path + url.slice(query)
  return new Response(null, { status: 308, headers: { location, 'cache-control': cacheControl } })
}
