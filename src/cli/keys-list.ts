/** `petstore keys list`: the keys on lines that fit a terminal. */

import type { Key } from '../access/keys/schemas.ts'
import { defaultScopes } from '../api/scopes.ts'
import { withClient } from './client.ts'
import type { Command, Invocation, Terminal } from './command.ts'
import { ago, type Cell, formatTable, localTime, print } from './output.ts'
import { onStore } from './shell-words.ts'

export const keysList: Command = {
  name: 'keys list',
  summary: 'list the keys',
  details:
    'Times are in the time zone of this machine. SCOPES is "all" for a key with the scope admin and "default" for a key with the scopes that keys create gives by default. --json prints everything.',
  examples: ['keys list', 'keys list --json'],
  async run(invocation: Invocation) {
    const { terminal } = invocation
    const keys = await withClient(invocation, (client) => client.all<Key>('/keys'))
    const none = `There are no keys yet. Issue one with: ${onStore(invocation, 'petstore keys create --name NAME')}`
    print(invocation, keys, keys.length > 0 ? keyTable(keys, terminal, Date.now()) : none)
    return 0
  },
}

/** Exported for its test. */
export function keyTable(
  keys: readonly Key[],
  terminal: Pick<Terminal, 'outColumns' | 'colours'>,
  nowMs: number,
): string {
  const rows = keys.map((key) => [
    String(key.id),
    `${key.prefix}…`,
    key.name,
    String(key.accountId),
    key.plan,
    stateOf(key, nowMs),
    key.lastUsedAt === null ? 'never' : ago(key.lastUsedAt, nowMs),
    scopesOf(key),
  ])
  return formatTable(
    [
      { title: 'ID', align: 'right' },
      { title: 'KEY' },
      { title: 'NAME', minimum: 8 },
      { title: 'ACCOUNT', align: 'right' },
      { title: 'PLAN' },
      { title: 'STATE' },
      { title: 'LAST USED' },
      { title: 'SCOPES', minimum: 7 },
    ],
    rows,
    terminal,
  )
}

function stateOf({ revokedAt, expiresAt, bannedUntil }: Key, nowMs: number): Cell {
  if (revokedAt !== null) return { text: 'revoked', colour: 'dim' }
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs) return { text: 'expired', colour: 'dim' }
  if (bannedUntil !== null && Date.parse(bannedUntil) > nowMs) {
    return { text: `banned, ${timeLeft(bannedUntil, nowMs)}`, colour: 'red' }
  }
  if (expiresAt === null) return { text: 'active', colour: 'green' }
  return { text: `until ${localTime(expiresAt).slice(0, 'YYYY-MM-DD'.length)}`, colour: 'green' }
}

function timeLeft(until: string, nowMs: number): string {
  const minutes = Math.ceil((Date.parse(until) - nowMs) / 60_000)
  return minutes > 90 ? `${Math.round(minutes / 60)} h left` : `${minutes} min left`
}

function scopesOf({ scopes }: Key): string {
  if (scopes.includes('admin')) return 'all'
  const isDefault = scopes.length === defaultScopes.length && defaultScopes.every((scope) => scopes.includes(scope))
  return isDefault ? 'default' : scopes.join(' ')
}
