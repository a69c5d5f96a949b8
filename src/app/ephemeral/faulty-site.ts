/** Applies the faults of a test to the requests for the API. */

import { type Admit, Admitted } from '../../api/admitted.ts'
import { errorResponse } from '../../api/errors.ts'
import type { Site } from '../../api/host.ts'
import { pathOf } from '../../api/target.ts'
import type { Fault, Faults } from './faults.ts'

/** `site` serves what no fault keeps from it. */
export function createFaultySite(faults: Faults, site: Site, admit: Admit) {
  const delays = new Set<() => void>()

  /** The response, and the status that the request has got, also if its client does not see it. */
  async function respond(request: Request): Promise<{ response: Response; status: number | undefined }> {
    const path = pathOf(request.url)
    const fault = path.startsWith('/v1') ? faults.take(request.method, path) : undefined
    if (fault !== undefined && 'lost' in fault && fault.lost === 'request')
      return { response: lost(), status: undefined }
    const isFailure = fault !== undefined && 'status' in fault
    const response = isFailure ? failure(fault, request, admit) : await site(request)
    const { status } = response
    if (fault !== undefined && 'delayMs' in fault) await delay(fault.delayMs)
    if (fault === undefined || !('lost' in fault)) return { response, status }
    await response.body?.cancel()
    return { response: lost(), status }
  }

  /** Real time: the time-outs of clients are in it, and the clock of the store may stand still. */
  function delay(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        delays.delete(end)
        resolve()
      }
      const timer = setTimeout(end, ms).unref()
      delays.add(end)
    })
  }

  return {
    respond,
    /** Sends the responses that are held back. */
    endDelays(): void {
      for (const end of delays) end()
    },
  }
}

const asked = 'A test has asked for this failure.'

/**
 * 500 and 503 are failures of the service: the request is admitted first, so that it counts, and one without a valid key gets its
 * 401. A gateway before the service sends 502 and 504, without a body of the API.
 */
function failure(fault: Extract<Fault, { status: number }>, request: Request, admit: Admit): Response {
  const { status, retryAfterSeconds } = fault
  const retry = retryAfterSeconds === undefined ? undefined : { 'Retry-After': String(retryAfterSeconds) }
  if (status === 502 || status === 504) {
    const text = status === 502 ? '502 Bad Gateway' : '504 Gateway Timeout'
    return new Response(`<html><body><h1>${text}</h1></body></html>\n`, {
      status,
      headers: { 'content-type': 'text/html', ...retry },
    })
  }
  const admitted = new Admitted()
  const rejection = admit(request, admitted)
  if (rejection) return rejection
  const code = status === 500 ? 'internal_error' : 'storage_unavailable'
  return errorResponse(request, code, asked, { ...admitted.headers, ...retry })
}

/** A response whose body fails before its first byte: Bun closes the connection and sends nothing. */
function lost(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error() }))
}
