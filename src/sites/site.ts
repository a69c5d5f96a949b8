/** Serves one deploy. Each deploy has its own site; what is live under a host is decided by the host table. */

import { isReserved, type Manifest, type SiteFile } from '../deploys/manifest.ts'
import { contextOf, setErrorCode } from '../http/context.ts'
import type { Log } from '../lib/log.ts'
import type { Site } from '../server/handle.ts'
import type { Contents } from './contents.ts'
import { methodNotAllowedPage, notFoundPage, unreadablePage } from './pages.ts'
import { createPathTable, requestedPath } from './paths.ts'
import { cacheControl, createResource, type Resource } from './resource.ts'
import { respond, respondWith } from './respond.ts'

export interface SiteOptions {
  /** Shared by all sites. */
  readonly contents: Contents
  readonly log: Log
}

/** The name of requests to sites in metrics and in the request log. */
const operation = 'site'

/** Responds with the files of a manifest, which must not change: a new deploy is a new site. */
export function createSite(manifest: Manifest, { contents, log }: SiteOptions): Site {
  const targets = createPathTable(manifest)
  const resources = new Map<SiteFile, Resource>()
  const notFoundTarget = targets.get('404.html')
  const notFoundFile = notFoundTarget !== undefined && 'file' in notFoundTarget ? notFoundTarget.file : undefined

  // Made at the first request, since most files of a deploy are requested seldom.
  function resourceOf(file: SiteFile): Resource {
    const known = resources.get(file)
    if (known !== undefined) return known
    const resource = createResource(file, contents)
    resources.set(file, resource)
    return resource
  }

  function notFound(request: Request, path: string | undefined): Response | Promise<Response> {
    setErrorCode(request, 'not_found')
    if (notFoundFile === undefined || (path !== undefined && isReserved(path))) return notFoundPage()
    return guarded(request, notFoundFile, () => respondWith(request, resourceOf(notFoundFile), 404, contents))
  }

  /** A file that can not be read is an error of this request alone. */
  function guarded(request: Request, file: SiteFile, serve: () => Response | Promise<Response>) {
    const unreadable = (error: unknown): Response => {
      log.error('a file of a site can not be read: restore it from a backup or deploy the site again', {
        path: file.path,
        hash: file.hash,
        error,
      })
      setErrorCode(request, 'storage_unavailable')
      return unreadablePage()
    }
    try {
      const response = serve()
      return response instanceof Promise ? response.catch(unreadable) : response
    } catch (error) {
      return unreadable(error)
    }
  }

  return (request) => {
    const context = contextOf(request)
    if (context) context.operation = operation
    const { method, url } = request
    if (method !== 'GET' && method !== 'HEAD') {
      setErrorCode(request, 'method_not_allowed')
      return methodNotAllowedPage()
    }
    const path = requestedPath(url)
    const target = path === undefined ? undefined : targets.get(path)
    if (target === undefined) return notFound(request, path)
    if ('location' in target) return redirect(target.location, url)
    const { file } = target
    return guarded(request, file, () => respond(request, resourceOf(file), contents))
  }
}

function redirect(path: string, url: string): Response {
  const query = url.indexOf('?')
  const location = query === -1 ? path : path + url.slice(query)
  return new Response(null, { status: 308, headers: { location, 'cache-control': cacheControl } })
}
