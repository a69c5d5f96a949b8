/** Typed values of parsed options. Each check throws a `UsageError` that names the option and the rule. */

import { nearest } from '../lib/nearest.ts'

/** An invalid command line. The message says in one line what is wrong and what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export type OptionValue = string | boolean | readonly string[] | undefined
export type OptionValues = Readonly<Record<string, OptionValue>>

export function text(values: OptionValues, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export function list(values: OptionValues, name: string): readonly string[] {
  const value = values[name]
  return Array.isArray(value) ? value : []
}

/** Throws `UsageError` unless `given` is one of `allowed`. */
export function oneOf<const T extends string>(name: string, allowed: readonly T[], given: string): T {
  const found = allowed.find((value) => value === given.toLowerCase())
  if (found !== undefined) return found
  const suggestion = didYouMean(given.toLowerCase(), allowed)
  throw new UsageError(`--${name} must be one of ${allowed.join(', ')}, not "${given}".${suggestion}`)
}

/** Throws `UsageError` unless `given` is a whole number in plain digits within the bounds. */
export function wholeNumber(name: string, given: string, minimum: number, maximum: number): number {
  const number = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
  if (!(number >= minimum && number <= maximum)) {
    throw new UsageError(`${name} must be a whole number from ${minimum} to ${maximum}, not "${given}".`)
  }
  return number
}

/** ` Did you mean X?` with the nearest of `names`, or an empty string if none is near. */
export function didYouMean(given: string, names: readonly string[], prefix = ''): string {
  const found = nearest(given, names)
  return found === undefined ? '' : ` Did you mean ${prefix}${found}?`
}
