/** Options and operands that several commands share. Each check throws a `UsageError` of one line. */

import { type Allowance, maximumAllowance, type Plan, plans } from '../access/accounts/rules.ts'
import { maximumId } from '../api/schemas.ts'
import type { OptionSpecs } from '../config/options.ts'
import { type OptionValues, oneOf, text, UsageError, wholeNumber } from '../config/values.ts'
import { latestTimeMs, parseDuration } from '../lib/duration.ts'
import { nearest } from '../lib/nearest.ts'
import { labelFault, storedLabel } from '../lib/text.ts'

/** The options of an account's plan; `fallback` is the default of `--plan` in the help. */
export const planOptions = (fallback: string) =>
  ({
    plan: { value: 'PLAN', help: "the account's plan", default: fallback, choices: plans },
    'per-minute': { value: 'N', help: 'requests in any 60 seconds; only with enterprise', default: 'that of the plan' },
    'per-day': { value: 'N', help: 'requests in a UTC day; only with enterprise', default: 'that of the plan' },
  }) as const satisfies OptionSpecs

export function planOf(values: OptionValues): Plan | undefined {
  const given = text(values, 'plan')
  return given === undefined ? undefined : oneOf('plan', plans, given)
}

export function customAllowance(values: OptionValues): Partial<Allowance> {
  const perMinute = text(values, 'per-minute')
  const perDay = text(values, 'per-day')
  return {
    ...(perMinute === undefined ? {} : { perMinute: wholeNumber('--per-minute', perMinute, 1, maximumAllowance) }),
    ...(perDay === undefined ? {} : { perDay: wholeNumber('--per-day', perDay, 1, maximumAllowance) }),
  }
}

/** Throws `UsageError` unless `custom` has both numbers with `enterprise`, and none with any other plan. */
export function checkAllowance(plan: Plan, custom: Partial<Allowance>): void {
  const given = [custom.perMinute, custom.perDay].filter((number) => number !== undefined).length
  if (plan === 'enterprise' && given < 2) throw new UsageError('--plan enterprise needs --per-minute and --per-day.')
  if (plan !== 'enterprise' && given > 0) throw new UsageError('--per-minute and --per-day need --plan enterprise.')
}

/** The value of `--name` as it is stored, or undefined if the option is missing. */
export function nameOf(values: OptionValues): string | undefined {
  const given = text(values, 'name')
  if (given === undefined) return undefined
  const fault = labelFault(given, 100)
  if (fault) throw new UsageError(`--name ${fault}.`)
  return storedLabel(given)
}

export function idOf(name: string, given: string | undefined): number {
  return wholeNumber(name, given ?? '', 1, maximumId)
}

/** The value of an option such as `--expires 90d` in milliseconds, or undefined if the option is missing. */
export function durationOf(values: OptionValues, name: string): number | undefined {
  const given = text(values, name)
  if (given === undefined) return undefined
  const ms = parseDuration(given)
  if (ms === undefined) throw new UsageError(`--${name} must be a duration such as 90d, 24h or 30m, not "${given}".`)
  if (Date.now() + ms > latestTimeMs)
    throw new UsageError(`--${name} must end before the year 10000, not after "${given}".`)
  return ms
}

/**
 * The texts of operands MEMBER=VALUE by their members. Anything may follow the dot of a member such as
 * `attributes.LABEL`. Throws a `UsageError` for another member, and for one that is given twice or without a value.
 */
export function assignedTexts(operands: readonly string[], members: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>()
  const prefixes = members.flatMap((member) => (member.includes('.') ? [member.slice(0, member.indexOf('.') + 1)] : []))
  for (const operand of operands) {
    const [, name = operand, text] = /^([^=]*)=(.*)$/s.exec(operand) ?? []
    const isKnown = members.includes(name) || prefixes.some((prefix) => name.startsWith(prefix) && name !== prefix)
    if (!isKnown) {
      const near = nearest(name, members)
      const advice = near === undefined ? `The members are ${members.join(', ')}.` : `Did you mean ${near}?`
      throw new UsageError(`There is no member "${name}" that can be set. ${advice}`)
    }
    if (text === undefined) throw new UsageError(`${name} needs a value: ${name}=VALUE.`)
    if (texts.has(name)) throw new UsageError(`${name} must be given only once.`)
    texts.set(name, text)
  }
  return texts
}
