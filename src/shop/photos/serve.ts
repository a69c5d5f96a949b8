/** Serves the files of photos under their hashes, to everybody who knows an address. */

import { isCurrent } from '../../api/conditions.ts'
import { contextOf } from '../../api/context.ts'
import { errorResponse } from '../../api/errors.ts'
import { pathOf } from '../../api/target.ts'
import type { FaultMonitor } from '../../database/faults/monitor.ts'
import type { ContentStore } from '../../lib/contents/store.ts'
import type { Log } from '../../lib/log.ts'
import type { PhotoStore, ServedPhoto } from './store.ts'

const prefix = '/photos/'
const expression = /^\/photos\/([0-9a-f]{64})\.(jpg|webp)$/

const headersOfAll = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
  // Pages of other origins may show it.
  'cross-origin-resource-policy': 'cross-origin',
}

/**
 * Returns a function that responds to a request for a photo; it returns undefined for any other address, and for one
 * that no photo has. `isShown` says whether the host has photos, and is called for their addresses alone.
 */
export function createPhotoResponder(parts: {
  readonly photos: Pick<PhotoStore, 'findFile'>
  readonly files: Pick<ContentStore, 'pathOf'>
  readonly faults: Pick<FaultMonitor, 'readFailed'>
  readonly log: Pick<Log, 'error'>
}) {
  const { photos, files, faults, log } = parts

  async function send(request: Request, hash: string, { size, bytes }: ServedPhoto): Promise<Response> {
    const { method } = request
    const common = { ...headersOfAll, etag: `"${hash}"` }
    if (isCurrent(request.headers.get('if-none-match'), common.etag)) {
      return new Response(null, { status: 304, headers: common })
    }
    const headers = { ...common, 'content-type': size === 'large' ? 'image/jpeg' : 'image/webp' }
    const file = Bun.file(files.pathOf(hash))
    try {
      const { size: stored } = await file.stat()
      if (stored !== bytes) throw new Error(`it has ${stored} bytes instead of ${bytes}`)
      if (method === 'HEAD') return new Response(null, { headers: { ...headers, 'content-length': String(bytes) } })
      // Bun would respond to a range with a part or an error, which caches may take for the photo.
      return new Response(request.headers.has('range') ? await file.bytes() : file, { headers })
    } catch (error) {
      log.error('a file of a photo could not be read', { hash, error })
      return errorResponse(request, 'storage_unavailable', 'The photo could not be read.', {})
    }
  }

  return (request: Request, isShown = () => true): Response | Promise<Response> | undefined => {
    const path = pathOf(request.url)
    if (!path.startsWith(prefix) || (request.method !== 'GET' && request.method !== 'HEAD')) return undefined
    const [, hash, extension] = expression.exec(path) ?? []
    if (hash === undefined) return undefined
    const context = contextOf(request)
    try {
      if (!isShown()) return undefined
      const found = photos.findFile(hash)
      if (found === undefined || (found.size === 'large') !== (extension === 'jpg')) return undefined
      if (context) context.operation = 'photo'
      return send(request, hash, found)
    } catch (error) {
      const fault = faults.readFailed(error)
      if (fault === undefined) throw error
      return errorResponse(request, fault.code, fault.message, {})
    }
  }
}
export type PhotoResponder = ReturnType<typeof createPhotoResponder>
