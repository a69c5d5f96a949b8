/**
 * Plans and their limits. The limits of an account are those of its plan or, on the enterprise plan, its own numbers.
 */

import { AppError } from '../../lib/error.ts'

export const plans = ['free', 'pro', 'business', 'enterprise'] as const
export type Plan = (typeof plans)[number]

export interface Allowance {
  /** Requests in any 60 seconds. */
  readonly perMinute: number
  /** Requests in a UTC day. */
  readonly perDay: number
}

/** The largest limit of an Enterprise account; it fits the 32-bit counters. */
export const maximumAllowance = 1_000_000_000

const allowances: Record<Exclude<Plan, 'enterprise'>, Allowance> = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
}

/**
 * The limits of a plan. The enterprise plan needs both custom numbers and the other plans reject them: throws
 * `invalid_body`, which names the member.
 */
export function allowanceOf(plan: Plan, custom: Partial<Allowance>): Allowance {
  if (plan !== 'enterprise') {
    if (custom.perMinute !== undefined || custom.perDay !== undefined) {
      throw new AppError('invalid_body', `perMinute and perDay can be set on the enterprise plan only, not on ${plan}.`)
    }
    return allowances[plan]
  }
  const { perMinute, perDay } = custom
  if (perMinute === undefined || perDay === undefined) {
    throw new AppError('invalid_body', 'The enterprise plan needs both perMinute and perDay.')
  }
  return { perMinute, perDay }
}

/** The allowance of an account as stored. */
export function allowanceOfAccount(account: {
  readonly plan: Plan
  readonly perMinute: number | null
  readonly perDay: number | null
}): Allowance {
  return allowanceOf(account.plan, {
    ...(account.perMinute === null ? {} : { perMinute: account.perMinute }),
    ...(account.perDay === null ? {} : { perDay: account.perDay }),
  })
}

/** The members of a request that set the plan of an account. */
export interface PlanSettings {
  readonly plan?: Plan
  readonly perMinute?: number
  readonly perDay?: number
}

/** The numbers among the settings. */
export function numbersOf({ perMinute, perDay }: PlanSettings): Partial<Allowance> {
  return { ...(perMinute === undefined ? {} : { perMinute }), ...(perDay === undefined ? {} : { perDay }) }
}

/** Throws `invalid_body` if a new account cannot have these settings. */
export function assertPlanSettings(settings: PlanSettings): void {
  allowanceOf(settings.plan ?? 'free', numbersOf(settings))
}
