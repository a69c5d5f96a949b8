/**
 * The faults that tests ask for. Where several fit a request, the one that was asked for last applies, as the last stub of
 * WireMock and the last handler of MSW do; when it has applied as often as it may, the one before applies again.
 */

import { invalid, membersOf, shown } from './options.ts'

const statuses = [500, 502, 503, 504] as const
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const longestDelayMs = 3_600_000

export type Fault =
  | { readonly status: (typeof statuses)[number]; readonly retryAfterSeconds?: number | undefined }
  /** The request is handled at once, and the response is held back for so many milliseconds of real time. */
  | { readonly delayMs: number }
  /** The connection ends without a response; with `request` the request has no effect. */
  | { readonly lost: 'request' | 'response' }

interface Rule {
  readonly id: number
  readonly method: string | undefined
  readonly matches: (path: string) => boolean
  readonly fault: Fault
  /** How often it may still apply. */
  left: number
}

export interface Faults {
  /** Adds a fault and returns its id. Throws `invalid_body`, which names what is wrong. */
  add(match: unknown, fault: unknown, options: unknown): number
  /** Returns whether there was such a fault. */
  remove(id: number): boolean
  clear(): void
  /** The fault of a request, which counts as applied. */
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
      // A browser's preflight fails only where that is asked for.
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
