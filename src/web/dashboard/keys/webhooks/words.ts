/** Types of events, and the states of webhooks and deliveries, in plain words. */

import type { Schemas } from '../../api/client.ts'
import type { StatusWords } from '../../ui/status.tsx'
import type { Choice } from '../words.ts'

export type Webhook = Schemas['Webhook']
export type Delivery = Schemas['Delivery']

interface EventGroup {
  /** Such as `pet.*`: all types that begin so. */
  readonly pattern: string
  readonly label: string
  readonly types: Readonly<Record<string, string>>
}

/** Every type of event, in the order of the form. */
export const eventGroups: readonly EventGroup[] = [
  {
    pattern: 'order.*',
    label: 'orders',
    types: {
      'order.placed': 'Order placed',
      'order.updated': 'Order changed',
      'order.approved': 'Order approved',
      'order.delivered': 'Order delivered',
      'order.cancelled': 'Order cancelled',
    },
  },
  {
    pattern: 'pet.*',
    label: 'animals',
    types: {
      'pet.created': 'Animal added',
      'pet.updated': 'Animal changed',
      'pet.deleted': 'Animal deleted',
      'pet.restored': 'Animal restored',
    },
  },
  { pattern: 'profile.*', label: 'profiles of animals', types: { 'profile.updated': 'Profile of an animal changed' } },
  { pattern: 'website.*', label: 'the web shop', types: { 'website.updated': 'Web shop changed' } },
  {
    pattern: 'category.*',
    label: 'categories',
    types: {
      'category.created': 'Category added',
      'category.updated': 'Category renamed',
      'category.deleted': 'Category deleted',
      'category.merged': 'Category merged into another',
    },
  },
  {
    pattern: 'import.*',
    label: 'imports',
    types: {
      'import.completed': 'Import finished',
      'import.failed': 'Import failed',
      'import.undone': 'Import undone',
    },
  },
  {
    pattern: 'project.*',
    label: 'projects',
    types: {
      'project.created': 'Project created',
      'project.updated': 'Project changed',
      'project.deleted': 'Project deleted',
    },
  },
  { pattern: 'deploy.*', label: 'published websites', types: { 'deploy.live': 'Website published' } },
  {
    pattern: 'domain.*',
    label: 'domains',
    types: {
      'domain.added': 'Domain added',
      'domain.verified': 'Domain points here',
      'domain.failed': 'Check of a domain failed',
      'domain.drifted': 'Domain points elsewhere',
      'domain.recovered': 'Domain points here again',
      'domain.removed': 'Domain removed',
    },
  },
  {
    pattern: 'certificate.*',
    label: 'certificates',
    types: {
      'certificate.issued': 'Certificate issued',
      'certificate.renewed': 'Certificate renewed',
      'certificate.failed': 'Certificate failed',
    },
  },
  {
    pattern: 'key.*',
    label: 'API keys',
    types: {
      'key.created': 'Key created',
      'key.updated': 'Key changed',
      'key.rolled': 'Key replaced',
      'key.revoked': 'Key revoked',
      'key.banned': 'Key blocked',
      'key.expiring': 'Key expires soon',
    },
  },
  { pattern: 'account.*', label: 'accounts', types: { 'account.updated': 'Plan or name of an account changed' } },
  { pattern: 'webhook.*', label: 'webhooks', types: { 'webhook.disabled': 'Webhook turned off by the store' } },
]

/** The single types and their words. */
export const typeLabels: Readonly<Record<string, string>> = Object.assign({}, ...eventGroups.map(({ types }) => types))

/** The words of a type; those of a later version of the store are shown as they are. */
export const typeWords = (type: string): string => (type === 'webhook.test' ? 'Test event' : (typeLabels[type] ?? type))

/** The single types that a webhook gets. */
export function singleTypes(patterns: readonly string[]): string[] {
  return eventGroups.flatMap(({ pattern, types }) =>
    Object.keys(types).filter((type) => patterns.includes(pattern) || patterns.includes(type)),
  )
}

/** The types of a webhook in a few words: "All about orders; Animal added". */
export function typesWords(patterns: readonly string[]): string {
  if (eventGroups.every(({ pattern }) => patterns.includes(pattern))) return 'Everything that happens'
  const whole = eventGroups.filter(({ pattern }) => patterns.includes(pattern))
  const known = whole.map(({ pattern }) => pattern)
  const all = whole.length === 0 ? [] : [`All about ${whole.map(({ label }) => label).join(', ')}`]
  return [...all, ...patterns.filter((type) => !known.includes(type)).map(typeWords)].join('; ')
}

/** Choices for what webhooks are most often for. */
export const typeChoices: readonly [Choice<string>, ...Choice<string>[]] = [
  { id: 'orders', label: 'Everything about orders', values: ['order.*'] },
  { id: 'animals', label: 'Everything about animals and categories', values: ['pet.*', 'category.*'] },
  {
    id: 'websites',
    label: 'Everything about websites and domains',
    values: ['project.*', 'deploy.*', 'domain.*', 'certificate.*'],
  },
  { id: 'all', label: 'Everything that happens', values: eventGroups.map(({ pattern }) => pattern) },
]

export const includesOrders = (types: readonly string[]): boolean => types.some((type) => type.startsWith('order.'))

/** A state of a webhook that is not known here is one of a later version of the store. */
export function stateWords(state: string): StatusWords {
  return states[state] ?? [state, 'quiet']
}

const states: Readonly<Record<string, StatusWords>> = {
  working: ['Working', 'good'],
  failing: ['Failing', 'bad'],
  resting: ['Paused', 'warn'],
  disabled: ['Off', 'quiet'],
}

/** Why all webhooks are paused after a backup was restored. */
export type RestingReason = 'webhooks_held' | 'restored_elsewhere'

const restingAdvice: Readonly<Record<RestingReason, string>> = {
  webhooks_held: 'Nothing is sent. A backup was restored: decide above whether to send the pending events.',
  restored_elsewhere:
    'Nothing is sent. This store was restored from a backup of another computer: confirm under Settings that it runs on this computer now.',
}

/** What a state means, and what to do. */
export function stateAdvice(state: string, reason: RestingReason | undefined): string | undefined {
  return state === 'resting' && reason !== undefined ? restingAdvice[reason] : advice[state]
}

const advice: Readonly<Record<string, string>> = {
  failing:
    'The last attempts have failed. The store retries automatically, with longer and longer pauses, and sends everything in order once the other server accepts it. After five days it gives up and turns the webhook off.',
  resting:
    'Nothing is sent. Its account no longer has a key that may use webhooks: create one with the permission “Send events of its account to another server”.',
  disabled: 'Nothing is sent. When you turn it on again, it continues where it stopped.',
}

export const deliveryWords = (state: string): StatusWords => {
  if (state === 'delivered') return ['Delivered', 'good']
  return state === 'failed' ? ['Failed', 'bad'] : [state, 'quiet']
}

/** Its description, or the host of its address. */
export const nameOf = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description ?? URL.parse(url)?.host ?? url

/** "response 200 after 87 ms", or "no response after 15,000 ms". */
export function responseWords({ status, durationMs }: { readonly status: number | null; readonly durationMs: number }) {
  return `${status === null ? 'no response' : `response ${status}`} after ${durationMs.toLocaleString()} ms`
}
