/** The JSON form of accounts. */

import { type Static, Type } from '@sinclair/typebox'
import {
  beta,
  codePoints,
  idSchema,
  label,
  requestObject,
  smallCountSchema,
  stringEnum,
  timeSchema,
  without,
} from '../../api/schemas.ts'
import { allowanceOfAccount, maximumAllowance, plans } from './rules.ts'
import type { AccountRow } from './store.ts'

export const Plan = stringEnum(plans, {
  title: 'Plan',
  description: 'The plan that an account has paid for. Enterprise accounts have their own limits.',
  examples: ['pro'],
})

const maximumNameLength = 100

const accountName = label('AccountName', maximumNameLength, "The account's name.", 'Paws & Co.')

export const perMinute = Type.Integer({
  format: 'int32',
  minimum: 1,
  maximum: maximumAllowance,
  description: 'Requests in any 60 seconds.',
  examples: [300],
})

export const perDay = Type.Integer({
  format: 'int32',
  minimum: 1,
  maximum: maximumAllowance,
  description: 'Requests in a UTC day.',
  examples: [10_000],
})

export const Account = Type.Object(
  {
    id: idSchema('Identifier of the account.'),
    name: accountName.stored,
    plan: Plan,
    perMinute,
    perDay,
    createdAt: timeSchema('When the account was opened.'),
    usedToday: beta(smallCountSchema('Requests of this UTC day.', 137)),
    keyCount: beta(smallCountSchema('Keys that are neither revoked nor expired.', 2)),
  },
  {
    title: 'Account',
    description: 'A customer. API keys, limits and orders belong to an account.',
    examples: [
      {
        id: 2,
        name: 'Paws & Co.',
        plan: 'pro',
        perMinute: 300,
        perDay: 10_000,
        createdAt: '2026-11-20T10:15:00.000Z',
        usedToday: 137,
        keyCount: 2,
      },
    ],
  },
)
export type Account = Static<typeof Account>

export const Accounts = Type.Array(Account, { title: 'Accounts', description: 'A page of accounts.', maxItems: 100 })

/** The query parameters of a list of accounts. */
export const accountListParameters = {
  q: Type.Optional(
    codePoints('AccountSearchText', {
      title: 'AccountSearchText',
      minLength: 1,
      maxLength: maximumNameLength,
      description: 'Part of the name; case and accents are ignored.',
      examples: ['paws'],
    }),
  ),
}

const isEnterprise = { properties: { plan: { const: 'enterprise' } }, required: ['plan'] }

/** The rule of `allowanceOf` in JSON Schema. */
export const allowanceCondition = {
  if: isEnterprise,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['perMinute', 'perDay'] },
  else: without('perMinute', 'perDay'),
}

const planSettings = {
  plan: Type.Optional(Plan),
  perMinute: Type.Optional(perMinute),
  perDay: Type.Optional(perDay),
}

export const NewAccountBody = requestObject(
  { name: accountName.given, ...planSettings },
  {
    title: 'NewAccount',
    description:
      'An account to open, on the Free plan by default. Enterprise needs `perMinute` and `perDay`, other plans reject them.',
    ...allowanceCondition,
    examples: [{ name: 'Paws & Co.', plan: 'pro' }],
  },
  Account,
)

export const AccountChange = requestObject(
  { name: Type.Optional(accountName.given), ...planSettings },
  {
    title: 'AccountChange',
    description:
      'The members to change; the others are unchanged. An account that becomes Enterprise needs `perMinute` and `perDay`; one that is Enterprise already keeps the number that is not sent. Other plans reject numbers that differ from those of the account.',
    examples: [{ plan: 'enterprise', perMinute: 5_000, perDay: 1_000_000 }],
  },
  Account,
)

export const Usage = Type.Array(
  Type.Object(
    {
      date: Type.String({ format: 'date', maxLength: 10, description: 'The day, in UTC.', examples: ['2026-11-20'] }),
      requests: smallCountSchema('Requests that were admitted.', 137),
    },
    { title: 'DayUsage', description: 'Requests of one day.' },
  ),
  { title: 'Usage', description: 'Requests by day, the oldest first.', maxItems: 366 },
)
export type Usage = Static<typeof Usage>

/** The members of an account that change by its use. */
export type AccountUse = Pick<Account, 'usedToday' | 'keyCount'>

/** An account as the API shows it. */
export function toAccount(row: AccountRow, { usedToday, keyCount }: AccountUse): Account {
  const { id, name, plan, createdAt } = row
  return {
    id,
    name,
    plan,
    ...allowanceOfAccount(row),
    createdAt: new Date(createdAt).toISOString(),
    usedToday,
    keyCount,
  }
}
