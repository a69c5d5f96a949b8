/** Plans, scopes and states of keys in plain words. */

import type { Schemas } from '../api/client.ts'
import { addressWith, withParameters } from '../ui/input.ts'
import type { StatusWords } from '../ui/status.tsx'

export type Key = Schemas['Key']
export type Account = Schemas['Account']
export type Plan = Schemas['Plan']
export type Scope = Schemas['Scope']

interface PlanWords {
  readonly label: string
  readonly limits: string
  /** Further limits and features. */
  readonly details: string
}

export const plans: Readonly<Record<Plan, PlanWords>> = {
  free: {
    label: 'Free',
    limits: '1,000 requests a day',
    details: 'At most 60 requests a minute. Websites cannot have custom domains.',
  },
  pro: {
    label: 'Pro',
    limits: '10,000 requests a day',
    details: 'At most 300 requests a minute. Websites can have custom domains.',
  },
  business: {
    label: 'Business',
    limits: '100,000 requests a day',
    details: 'At most 1,000 requests a minute. Websites can have custom domains.',
  },
  enterprise: {
    label: 'Enterprise',
    limits: 'custom limits',
    details: 'You set the limits. Websites can have custom domains.',
  },
}

/** A plan with the limits that count if it is Enterprise; an empty text is that of an empty field. */
export interface PlanSettings {
  readonly plan: Plan
  readonly perMinute: number | ''
  readonly perDay: number | ''
}

export const isLimit = (value: number | ''): boolean => Number(value) >= 1

/** Whether the limits that count are entered. */
export const isComplete = ({ plan, perMinute, perDay }: PlanSettings): boolean =>
  plan !== 'enterprise' || (isLimit(perMinute) && isLimit(perDay))

/** As the API takes them: only Enterprise has custom limits. */
export const planBody = ({ plan, perMinute, perDay }: PlanSettings) => ({
  plan,
  ...(plan === 'enterprise' ? { perMinute, perDay } : {}),
})

export const scopeLabels: Readonly<Record<Scope, string>> = {
  'pets:read': 'See animals and categories',
  'pets:write': 'Add, change and delete animals',
  'orders:read': 'See the orders of its account, and the stock',
  'orders:write': 'Place and cancel orders of its account',
  'orders:manage': 'See, approve, deliver and cancel all orders',
  'projects:read': 'See the websites and domains of its account',
  'projects:write': 'Publish websites and manage domains of its account',
  'webhooks:read': 'See the webhooks of its account',
  'webhooks:write': 'Send events of its account to another server',
  'metrics:read': 'See the metrics of the service, for a monitoring program',
  admin: 'Everything, including keys and the audit log',
}

/** A common choice of options. */
export interface Choice<T extends string> {
  readonly id: string
  readonly label: string
  readonly description?: string
  readonly values: readonly T[]
}

/** The choice of exactly these values. */
export function choiceWith<T extends string>(
  choices: readonly Choice<T>[],
  values: readonly T[],
): Choice<T> | undefined {
  return choices.find(
    (choice) => choice.values.length === values.length && choice.values.every((value) => values.includes(value)),
  )
}

/** The scopes that keys need most often, the fewest first. */
export const accessChoices: readonly [Choice<Scope>, ...Choice<Scope>[]] = [
  { id: 'animals', label: 'See animals', values: ['pets:read'] },
  {
    id: 'orders',
    label: 'See animals and place orders',
    values: ['pets:read', 'orders:read', 'orders:write'],
  },
  {
    id: 'read',
    label: 'See animals, and the orders and websites of its account',
    description: 'Its account is the one above. It does not see the orders and websites of other accounts.',
    values: ['pets:read', 'orders:read', 'projects:read'],
  },
  {
    id: 'write',
    label: 'Change animals, place orders and publish websites',
    values: ['pets:read', 'pets:write', 'orders:read', 'orders:write', 'projects:read', 'projects:write'],
  },
  { id: 'all', label: 'Everything that you can do', values: ['admin'] },
]

/** The choice that grants exactly these scopes; `admin` includes all others. */
export const choiceOf = (granted: readonly Scope[]): Choice<Scope> | undefined =>
  choiceWith(accessChoices, granted.includes('admin') ? ['admin'] : granted)

/** The permissions of a key, in a few words: those of the form where it was created. */
export function accessOf(granted: readonly Scope[]): string {
  const choice = choiceOf(granted)
  if (choice !== undefined) return choice.label
  if (granted.length === 0) return 'None'
  const areas = [
    ['pets:', 'animals'],
    ['orders:', granted.includes('orders:manage') ? 'all orders' : 'orders of its account'],
    ['projects:', 'websites of its account'],
    ['webhooks:', 'webhooks of its account'],
    ['metrics:', 'metrics of the service'],
  ] as const
  const has = (area: string, isChange: boolean) =>
    granted.some((scope) => scope.startsWith(area) && !scope.endsWith(':read') === isChange)
  const changed = areas.filter(([area]) => has(area, true)).map(([, label]) => label)
  const seen = areas.filter(([area]) => has(area, false) && !has(area, true)).map(([, label]) => label)
  if (changed.length === 0) return `See ${seen.join(', ')}`
  return `Change ${changed.join(', ')}${seen.length === 0 ? '' : `; see ${seen.join(', ')}`}`
}

export type KeyState = 'active' | 'blocked' | 'expired' | 'revoked'

export function stateOf({ revokedAt, expiresAt, bannedUntil }: Key, nowMs = Date.now()): KeyState {
  const isPast = (time: string) => new Date(time).getTime() <= nowMs
  if (revokedAt !== null && isPast(revokedAt)) return 'revoked'
  if (expiresAt !== null && isPast(expiresAt)) return 'expired'
  if (bannedUntil !== null && !isPast(bannedUntil)) return 'blocked'
  return 'active'
}

/** Whether a key can be used, now or when its block ends. */
export const isInUse = (key: Key): boolean => ['active', 'blocked'].includes(stateOf(key))

export const keyStates: Readonly<Record<KeyState, StatusWords>> = {
  active: ['Active', 'good'],
  blocked: ['Blocked', 'bad'],
  expired: ['Expired', 'quiet'],
  revoked: ['Revoked', 'quiet'],
}

/** The change for which a dialog is open. */
export interface KeyAction {
  readonly kind: 'roll' | 'revoke' | 'plan'
  readonly account: Account
  /** Unless it is the plan of the account. */
  readonly key?: Key
}

/**
 * The list with further parameters, limited to one account as in the address of the page: by its id, or that of one of
 * its keys.
 */
export function keysAddress(parameters: URLSearchParams, more: Readonly<Record<string, string>> = {}): string {
  const account = { of: parameters.get('of') ?? '', key: parameters.get('key') ?? '' }
  return addressWith('/keys', withParameters(new URLSearchParams(more), account))
}
