/** The beginning of an ephemeral store, and checks of the options of tests, which may be written without types. */

import type { Scope } from '../../api/scopes.ts'
import { latestTimeMs, parseTime } from '../../lib/duration.ts'
import { AppError } from '../../lib/error.ts'
import { type ClockMode, clockModes } from '../../lib/movable-clock.ts'
import { nearest } from '../../lib/nearest.ts'

/** The state of a store at its start and after each reset. The API checks plans, categories and animals. */
export interface Beginning {
  /** A plan of the API, or `unlimited`, which is the Enterprise plan with the largest numbers. */
  readonly plan: string
  readonly perMinute?: number | undefined
  readonly perDay?: number | undefined
  /** Unix milliseconds; undefined for the machine's time. */
  readonly nowMs: number | undefined
  readonly clock: ClockMode
  readonly seed: Seed
}

export interface Seed {
  /** The currency of prices, as `PATCH /v1/store/settings`. */
  readonly currency?: string | undefined
  /** With an id, as `PUT /v1/categories/{id}`; else under the next free one. */
  readonly categories?: readonly { readonly id?: number; readonly name: string }[] | undefined
  /** As `POST /v1/pets`, with `profile` as `PATCH /v1/pets/{petId}/profile`. Their ids are 1, 2, 3 and so on. */
  readonly pets?:
    | readonly {
        readonly name: string
        readonly categoryId: number
        readonly status?: string
        readonly profile?: Readonly<Record<string, unknown>>
      }[]
    | undefined
}

/** What `createKey` takes. */
export interface KeyOptions {
  readonly plan?: string | undefined
  readonly perMinute?: number | undefined
  readonly perDay?: number | undefined
  readonly scopes?: readonly Scope[] | undefined
  readonly accountId?: number | undefined
  /** A Date, Unix milliseconds, or text in RFC 3339. */
  readonly expiresAt?: unknown
}

/** The error for an invalid value of a test. */
export const invalid = (message: string) => new AppError('invalid_body', message)

const beginningNames = ['plan', 'perMinute', 'perDay', 'now', 'clock', 'seed'] as const

/**
 * The beginning that `given` describes, with missing members from `before`. Throws `invalid_body`, which names the
 * member.
 */
export function beginningOf(given: unknown, before: Beginning, subject: string): Beginning {
  const { plan, perMinute, perDay, now, clock, seed } = membersOf(subject, given, beginningNames)
  const numbers = plan === undefined && perMinute === undefined && perDay === undefined ? before : { perMinute, perDay }
  const checkedClock = clockModes.find((mode) => mode === (clock ?? before.clock))
  if (checkedClock === undefined) throw invalid(`clock must be 'manual' or 'running', not ${shown(clock)}.`)
  return {
    plan: text('plan', plan) ?? before.plan,
    perMinute: numbers.perMinute as number | undefined,
    perDay: numbers.perDay as number | undefined,
    nowMs: now === undefined ? before.nowMs : timeOf('now', now),
    clock: checkedClock,
    seed: seed === undefined ? before.seed : seedOf(seed),
  }
}

function seedOf(given: unknown): Seed {
  const { currency, ...lists } = membersOf('seed', given, ['currency', 'categories', 'pets'])
  for (const [name, list] of Object.entries(lists)) {
    if (list !== undefined && !Array.isArray(list)) throw invalid(`seed.${name} must be an array, not ${shown(list)}.`)
  }
  return { ...lists, currency: text('seed.currency', currency) } as Seed
}

function text(name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw invalid(`${name} must be a string, not ${shown(value)}.`)
}

/** The members of an object. Throws `invalid_body` for anything else and for a member that is not in `names`. */
export function membersOf<N extends string>(
  subject: string,
  given: unknown,
  names: readonly N[],
): { readonly [name in N]?: unknown } {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid(`${subject} takes an object with ${listed(names)}, not ${shown(given)}.`)
  }
  const unknown = Object.keys(given).find((name) => !(names as readonly string[]).includes(name))
  if (unknown === undefined) return given as { readonly [name in N]?: unknown }
  const meant = nearest(unknown, names)
  const hint = meant === undefined ? `It takes ${listed(names)}.` : `Did you mean ${meant}?`
  throw invalid(`${subject} takes no ${shown(unknown)}. ${hint}`)
}

/** Unix milliseconds of a Date, a number, or a text in RFC 3339. */
export function timeOf(name: string, value: unknown): number {
  const ms = value instanceof Date ? value.getTime() : typeof value === 'string' ? parseTime(value) : value
  if (isTime(ms)) return ms
  throw invalid(
    `${name} must be a Date, a time such as "2026-11-20T10:00:00Z", or Unix milliseconds, from 1970 to 9999, not ${shown(value)}.`,
  )
}

export function isTime(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= latestTimeMs
}

export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** Describes a value in a few words for an error message. */
export function shown(value: unknown): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString()
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'function') return 'a function'
  // Larger numbers are not printed with the digits that were given.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'a number beyond 2^53'
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 50)) : String(value)
}
