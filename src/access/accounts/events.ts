/** The event of an account. */

import { changeEvent, type EventDeclarations } from '../events/declare.ts'
import { Account } from './schemas.ts'

export const accountEvents = {
  'account.updated': changeEvent(Account, 'The plan, the limits or the name of an account was changed.', {
    plan: 'free',
    perMinute: 60,
    perDay: 1_000,
  }),
} satisfies EventDeclarations
