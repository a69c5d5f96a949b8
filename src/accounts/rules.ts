/** What an account may use: its plan's numbers or, on Enterprise, its own. */

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
