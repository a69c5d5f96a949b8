/** The limits of an account: those of its plan or, on the enterprise plan, its own numbers. */

import { type Allowance, allowanceOf, type Plan } from '../plans/rules.ts'

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
