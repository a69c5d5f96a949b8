/**
 * One log line for each request at the level `debug`: id, key, operation or path, status, error code, duration. Never a
 * key, a query or a body.
 */

import type { RequestContext } from '../api/context.ts'
import { pathOf } from '../api/target.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

/** Returns a function that logs a request and the status of its response; undefined unless `debug` is logged. */
export function createRequestLog({ log, clock }: { readonly log: Log; readonly clock: Pick<Clock, 'monotonic'> }) {
  if (!log.isDebug) return undefined
  return (request: Request, context: RequestContext, status: number): void => {
    const { requestId, keyId, operation, errorCode, startedMs } = context
    const durationMs = Math.round((clock.monotonic() - startedMs) * 1_000) / 1_000
    const target = operation === undefined ? { path: pathOf(request.url) } : { operation }
    log.debug('request', { requestId, keyId, method: request.method, ...target, status, code: errorCode, durationMs })
  }
}
