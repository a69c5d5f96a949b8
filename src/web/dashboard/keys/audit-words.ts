/** Entries of the audit log in words. */

import { formatMoment, formatNumber, isolated } from '../ui/format.ts'
import { unicodeName } from './unicode-name.ts'
import { choiceOf, scopeLabels } from './words.ts'

const actions: Readonly<Record<string, string>> = {
  'key.banned': 'Key blocked',
  'key.unbanned': 'Key unblocked',
  'import.created': 'Animals imported',
  'pets.exported': 'Animals exported',
  'pet.created': 'Animal added',
  'pet.changed': 'Animal changed',
  'pet.deleted': 'Animal deleted',
  'pet.restored': 'Deleted animal restored',
  'pet.described': 'Profile of an animal changed',
  'settings.changed': 'Settings of the store changed',
  'account.created': 'Account created',
  'webhook.rolled': 'Webhook secret replaced',
  'webhook.replayed': 'Events sent again',
  'webhook.released': 'Pending events of webhooks sent or discarded',
  'backup.confirmed': 'Restored store confirmed',
  'bucket.changed': 'Bucket for backups changed',
  'bucket.encrypted': 'Encryption key for backups created',
  'deploy.created': 'Website published',
  'deploy.promoted': 'Deploy made live',
  'owner.created': 'Store set up',
  'owner.changed': 'E-mail or password changed',
  'owner.reset': 'New set-up link created',
  'session.created': 'Signed in',
  'session.ended': 'Signed out',
  'sessions.ended': 'Signed out everywhere',
}

/** `key.revoked` → "Key revoked"; also for actions that are not known here. */
export function actionWords(action: string, details: Details = {}): string {
  const text = petWords(action, details) ?? actions[action] ?? action.replaceAll(/[._-]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type Details = Readonly<Record<string, unknown>>

const isDetails = (value: unknown): value is Details => typeof value === 'object' && value !== null

/** The words for a change of animals that says more than that they were changed. */
function petWords(action: string, { status, petIds, previous }: Details): string | undefined {
  if (action !== 'pet.changed') return undefined
  const isChanged = (member: string) => petIds !== undefined || (isDetails(previous) && member in previous)
  if (typeof status === 'string' && isChanged('status')) return `Marked as ${status}`
  return petIds === undefined && isChanged('name') ? 'Animal renamed' : undefined
}

/** The id of the key that an actor is; null for any other actor. */
export function keyIdOf(actor: string): number | null {
  const [, id] = /^key:(\d+)$/.exec(actor) ?? []
  return id === undefined ? null : Number(id)
}

export function actorWords(actor: string, keyName: (id: number) => string): string {
  const id = keyIdOf(actor)
  if (id !== null) return `Key “${isolated(keyName(id))}”`
  return { owner: 'You', command: 'A command', system: 'The store itself' }[actor] ?? actor
}

/** Words that began with a capital letter, within a sentence. */
export const withinSentence = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1)

/** Members of the details that read better by another name. */
const names: Readonly<Record<string, string>> = {
  projectId: 'project',
  deployId: 'deploy',
  sessionId: 'session',
  importId: 'import',
  petId: 'number',
  petIds: 'numbers',
  categoryId: 'category',
  fileCount: 'files',
  expiresAt: 'expires',
  hostname: 'domain',
  slug: 'address',
  email: 'e-mail',
  perMinute: 'requests a minute',
  perDay: 'requests a day',
  scopes: 'permissions',
}

const longestValue = 60

/** The values that an action set: `plan: pro, name: Website`. */
export function detailWords(details: object, suffix = ''): string {
  return Object.entries(details)
    .map(([name, value]) => {
      if (name === 'previous' && isDetails(value)) return detailWords(value, ' before')
      const text = name === 'expiresAt' && value === null ? 'never' : (wordsByName(name, value) ?? valueWords(value))
      const words = names[name] ?? name.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
      // Permissions are few, and each of them matters.
      const isCut = name !== 'scopes' && text.length > longestValue
      return `${words}${suffix}: ${isolated(isCut ? `${text.slice(0, longestValue)}…` : text)}`
    })
    .join(', ')
}

/** The words of values that depend on their name: ids, and the permissions of a choice in the form of a new key. */
function wordsByName(name: string, value: unknown): string | undefined {
  // An id is no quantity: it has no thousands separator.
  if (name.endsWith('Id') && typeof value === 'number') return String(value)
  if (name.endsWith('Ids') && Array.isArray(value)) return value.join(', ')
  return name === 'scopes' && Array.isArray(value) ? choiceOf(value)?.label.toLowerCase() : undefined
}

function valueWords(value: unknown): string {
  if (value === null) return 'none'
  if (typeof value === 'string') return textOf(value)
  if (typeof value === 'number') return formatNumber(value)
  return Array.isArray(value) ? value.map(valueWords).join(', ') : JSON.stringify(value)
}

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/

function textOf(value: string): string {
  if (time.test(value)) return formatMoment(value)
  if (Object.hasOwn(scopeLabels, value)) return scopeLabels[value as keyof typeof scopeLabels].toLowerCase()
  if (!/^[a-z0-9.-]*xn--[a-z0-9.-]+$/.test(value)) return value
  const name = unicodeName(value)
  // Letters of other alphabets look the same: the encoded name tells such names apart.
  return name === value ? value : `${name} (${value})`
}
