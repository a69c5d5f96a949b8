/** One log line for each request at the level `debug`: id, key, operation, status, duration. */

import type { App } from '../app-parts.ts'
import type { RequestContext } from '../http/context.ts'
import { pathOf } from '../http/target.ts'

/** A function that logs a request with its response; it does nothing while `debug` is not logged. */
export function createRequestLog({ log, clock }: Pick<App, 'log' | 'clock'>) {
  return (request: Request, context: RequestContext, status: number): void => {
    if (!log.isDebug) return
    const { requestId, keyId, operation, startedMs } = context
    const durationMs = Math.round((clock.monotonic() - startedMs) * 1_000) / 1_000
    const target = operation === undefined ? { path: pathOf(request.url) } : { operation }
    log.debug('request', { requestId, keyId, method: request.method, ...target, status, durationMs })
  }
}
