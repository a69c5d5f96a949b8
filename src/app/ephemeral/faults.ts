/**
 * The faults that tests request, and their effect on the responses of the API. If several match a request, the latest
 * one applies, as with WireMock and MSW. Once it has applied as often as it may, the one before applies again.
 */

import { errorResponse } from '../../api/errors.ts'
import type { Site } from '../../api/host.ts'
import { type Admit, Admitted } from '../../api/principal.ts'
import { pathOf } from '../../api/target.ts'
import { invalid, membersOf, shown } from './options.ts'

const statuses = [500, 502, 503, 504] as const
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const longestDelayMs = 3_600_000

type Fault =
  | { readonly status: (typeof statuses)[number]; readonly retryAfterSeconds?: number | undefined }
  /** The request is handled at once, and the response is delayed by this many milliseconds of real time. */
  | { readonly delayMs: number }
  /** The connection ends without a response; with `request` the request has no effect. */
  | { readonly lost: 'request' | 'response' }

interface Rule {
  readonly id: number
  readonly method: string | undefined
  readonly matches: (path: string) => boolean
  readonly fault: Fault
  /** How many more times it may apply. */
  left: number
}

interface Faults {
  /** Adds a fault and returns its id. Throws `invalid_body`, which names what is wrong. */
  add(match: unknown, fault: unknown, options: unknown): number
  /** Returns whether there was such a fault. */
  remove(id: number): boolean
  clear(): void
  /** The fault for a request, which then counts as applied. */
  take(method: string, path: string): Fault | undefined
}

export function createFaults(): Faults {
  let rules: Rule[] = []
  let lastId = 0

  function remove(id: number): boolean {
    const before = rules.length
    rules = rules.filter((rule) => rule.id !== id)
    return rules.length < before
  }

  return {
    add(match, fault, options) {
      const { method, path } = membersOf('fail', match, ['method', 'path'])
      const { times = Number.POSITIVE_INFINITY } = membersOf('fail', options, ['times'])
      if (times !== Number.POSITIVE_INFINITY && !isWhole(times, 1)) {
        throw invalid(`times must be a whole number from 1 on, not ${shown(times)}.`)
      }
      const rule = { method: methodOf(method), matches: patternOf(path), fault: faultOf(fault), left: times as number }
      rules.unshift({ id: ++lastId, ...rule })
      return lastId
    },
    remove,
    clear() {
      rules = []
    },
    take(method, path) {
      // A browser's preflight fails only on request.
      const fits = (rule: Rule) => (rule.method === undefined ? method !== 'OPTIONS' : rule.method === method)
      const rule = rules.find((one) => fits(one) && one.matches(path))
      if (rule && --rule.left === 0) remove(rule.id)
      return rule?.fault
    },
  }
}

function methodOf(given: unknown): string | undefined {
  if (given === undefined || methods.some((method) => method === given)) return given as string | undefined
  throw invalid(`method must be one of ${methods.join(', ')}, not ${shown(given)}.`)
}

/** Whether a path fits, in which `*` stands for any characters. */
function patternOf(given: unknown): (path: string) => boolean {
  if (given === undefined) return () => true
  if (typeof given !== 'string' || !/^\/v1(\/|\*|$)/.test(given) || /[?#]/.test(given)) {
    throw invalid(`path must be that of the API without a query, such as /v1/pets or /v1/pets/*, not ${shown(given)}.`)
  }
  const expression = new RegExp(`^${given.split('*').map(RegExp.escape).join('.*')}$`)
  return (path) => expression.test(path)
}

const faultForms =
  'a fault is one of { status: 500 | 502 | 503 | 504, retryAfterSeconds? }, { delayMs } and { lost: "request" | "response" }'

function faultOf(given: unknown): Fault {
  const { status, retryAfterSeconds, delayMs, lost } = membersOf('a fault', given, [
    'status',
    'retryAfterSeconds',
    'delayMs',
    'lost',
  ])
  if ([status, delayMs, lost].filter((member) => member !== undefined).length !== 1) throw invalid(`${faultForms}.`)
  if (retryAfterSeconds !== undefined && (status === undefined || !isWhole(retryAfterSeconds, 0))) {
    throw invalid(`retryAfterSeconds must be a whole number, and goes with a status: ${faultForms}.`)
  }
  if (status !== undefined) {
    const known = statuses.find((one) => one === status)
    if (known === undefined) throw invalid(`status must be one of ${statuses.join(', ')}, not ${shown(status)}.`)
    return { status: known, retryAfterSeconds: retryAfterSeconds as number | undefined }
  }
  if (lost !== undefined) {
    if (lost === 'request' || lost === 'response') return { lost }
    throw invalid(`lost must be "request" or "response", not ${shown(lost)}.`)
  }
  if (isWhole(delayMs, 0) && delayMs <= longestDelayMs) return { delayMs }
  throw invalid(`delayMs must be a whole number of milliseconds, at most ${longestDelayMs}, not ${shown(delayMs)}.`)
}

function isWhole(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least
}

/** Applies the faults to the requests for the API; `site` serves the others. */
export function createFaultySite(faults: Faults, site: Site, admit: Admit) {
  const delays = new Set<() => void>()

  /** The response, and the status of the request even if its client never sees it. */
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

  /** Delays by real time, because clients measure their timeouts in it, and the clock of the store may stand still. */
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
    /** Sends the responses that are delayed. */
    endDelays(): void {
      for (const end of delays) end()
    },
  }
}

const requestedFailure = 'A test has requested this failure.'

/**
 * 500 and 503 are failures of the service: the request is admitted first, so that it counts, and one without a valid
 * key gets 401. 502 and 504 come from a gateway in front of the service and have no body of the API.
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
  return errorResponse(request, code, requestedFailure, { ...admitted.headers, ...retry })
}

/** A response whose body fails before its first byte: Bun closes the connection and sends nothing. */
function lost(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error() }))
}
