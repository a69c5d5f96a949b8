/** `petstore keys …`: issues, lists, revokes, unbans and rolls keys. */

import type { Account } from '../../access/accounts/schemas.ts'
import type { IssuedKey } from '../../access/keys/issue.ts'
import { type Key, maximumOverlapSeconds } from '../../access/keys/schemas.ts'
import { defaultScopes, scopes } from '../../api/scopes.ts'
import { repeatable } from '../../config/options.ts'
import { list, type OptionValues, oneOf, text, UsageError } from '../../config/values.ts'
import { checkAllowance, customAllowance, durationOf, idOf, nameOf, planOf, planOptions } from '../arguments.ts'
import type { Client } from '../client/api-client.ts'
import { callAndPrint, withAdvice, withClient } from '../client/client.ts'
import { onStore } from '../client/local.ts'
import type { Command, Invocation, Terminal } from '../command.ts'
import { ago, type Cell, formatPairs, formatRecords, localTime } from '../terminal/output.ts'
import { assertShown, printOnce } from '../terminal/print-once.ts'

const dayMs = 86_400_000

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'issue a key and print it once',
  details:
    'The key is the first line of the output. Without --account, a new account with the name of the key is opened. The key works at once.',
  options: {
    name: { value: 'NAME', help: 'the name of the key, and of its account if that is new', default: 'required' },
    account: { value: 'ID', help: 'the account that the key is for', default: 'a new one' },
    ...planOptions('free'),
    scope: {
      ...repeatable,
      value: 'SCOPE',
      help: 'a permission of the key; repeatable, or several separated by commas',
      default: `all but ${scopes.filter((scope) => !defaultScopes.includes(scope)).join(', ')}`,
      choices: scopes,
    },
    expires: { value: 'TIME', help: 'the lifetime of the key, such as 90d, 24h or 30m', default: 'unlimited' },
  },
  changesStore: true,
  examples: [
    'keys create --name Website --scope pets:read,orders:write',
    'keys create --name "Paws & Co." --plan pro --expires 90d',
    'keys create --name Tablet --account 2',
  ],
  async run(invocation: Invocation) {
    const { values, terminal } = invocation
    const newKey = newKeyOf(values)
    assertShown(terminal, 'the key')
    await withClient(invocation, async (client) => {
      const issued = await withAdvice(client.call<IssuedKey>('POST', '/keys', newKey), 'See: petstore accounts list')
      const text = values['json'] ? `${JSON.stringify(issued)}\n` : describeIssued(issued)
      const undo = () => client.call('DELETE', `/keys/${issued.id}`)
      const { accountId } = issued
      const stays =
        values['account'] === undefined ? ` Its account ${accountId} stays: add --account ${accountId}.` : ''
      await printOnce(terminal, text, undo, `The new key was revoked.${stays}`)
    })
    return 0
  },
}

/** The body of the request. */
function newKeyOf(values: OptionValues): object {
  const name = nameOf(values)
  if (name === undefined) throw new UsageError('--name is missing: petstore keys create --name NAME.')
  const given = list(values, 'scope').map((scope) => oneOf('scope', scopes, scope))
  const lifetimeMs = durationOf(values, 'expires')
  if (lifetimeMs === 0) throw new UsageError('--expires must be longer than 0.')
  return {
    name,
    ...accountOf(values),
    ...(given.length > 0 ? { scopes: [...new Set(given)] } : {}),
    ...(lifetimeMs === undefined ? {} : { expiresAt: new Date(Date.now() + lifetimeMs).toISOString() }),
  }
}

function accountOf(values: OptionValues): object {
  const id = text(values, 'account')
  const plan = planOf(values)
  const custom = customAllowance(values)
  if (id === undefined) {
    checkAllowance(plan ?? 'free', custom)
    return { ...(plan === undefined ? {} : { plan }), ...custom }
  }
  if (plan !== undefined || Object.keys(custom).length > 0) {
    throw new UsageError(`Account ${id} has a plan already: change it with petstore accounts update ${id} --plan PLAN.`)
  }
  return { accountId: idOf('--account', id) }
}

/** The key on the first line, then its properties. */
function describeIssued({ id, accountId, plan, scopes: granted, expiresAt, key }: IssuedKey): string {
  const pairs = formatPairs([
    ['Key', String(id)],
    ['Account', `${accountId} (${plan})`],
    ['Scopes', granted.join(' ')],
    ['Expires', expiresAt === null ? 'never' : localTime(expiresAt)],
  ])
  return `${key}\n\nKeep it safe: it is shown only this once.\n\n${pairs}`
}

export const keysList: Command = {
  name: 'keys list',
  summary: 'list the keys',
  details:
    'Times are in the time zone of this machine. SCOPES is "all" for a key with the scope admin and "default" for a key with the scopes that keys create gives by default. --json prints everything.',
  examples: ['keys list', 'keys list --json'],
  run: (invocation: Invocation) =>
    callAndPrint(invocation, async (client) => {
      const keys = await client.all<Key>('/keys')
      const none = `There are no keys yet. Issue one with: ${onStore(invocation, 'petstore keys create --name NAME')}`
      return { result: keys, words: keys.length > 0 ? keyTable(keys, invocation.terminal, Date.now()) : none }
    }),
}

/** Exported for its test. */
export function keyTable(
  keys: readonly Key[],
  terminal: Pick<Terminal, 'outColumns' | 'colours'>,
  nowMs: number,
): string {
  return formatRecords(
    [
      { title: 'ID', align: 'right', cell: ({ id }) => String(id) },
      { title: 'KEY', cell: ({ prefix }) => `${prefix}…` },
      { title: 'NAME', minimum: 8, cell: ({ name }) => name },
      { title: 'ACCOUNT', align: 'right', cell: ({ accountId }) => String(accountId) },
      { title: 'PLAN', cell: ({ plan }) => plan },
      { title: 'STATE', cell: (key) => stateOf(key, nowMs) },
      { title: 'LAST USED', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : ago(lastUsedAt, nowMs)) },
      { title: 'SCOPES', minimum: 7, cell: scopesOf },
    ],
    keys,
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

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'revoke a key permanently',
  details: 'It stops working at once. A revoked key cannot be restored.',
  operands: 'ID',
  arity: [1, 1],
  changesStore: true,
  examples: ['keys revoke 3', 'keys revoke 3 --json'],
  async run(invocation: Invocation) {
    const id = idOf('ID', invocation.positionals[0])
    return await callAndPrint(invocation, async (client) => {
      const { before, key } = await remove(client, id)
      const { prefix, name, accountId, lastUsedAt } = key
      const account = await client.call<Account>('GET', `/accounts/${accountId}`)
      const used =
        lastUsedAt === null ? 'No use of it is recorded.' : `It was last used ${ago(lastUsedAt, Date.now())}.`
      const words = [
        before.revokedAt === null
          ? `Revoked key ${id} (${prefix}…), "${name}" of account ${accountId} (${account.name}).`
          : `Key ${id} (${prefix}…) was already revoked on ${localTime(before.revokedAt)}.`,
        `Requests with it now fail. ${used}`,
      ]
      return { result: key, words }
    })
  },
}

export const keysUnban: Command = {
  name: 'keys unban',
  summary: "lift a key's ban",
  details: 'The key works again at once. The next ban lasts 10 minutes again.',
  operands: 'ID',
  arity: [1, 1],
  changesStore: true,
  examples: ['keys unban 3', 'keys unban 3 --environment staging'],
  async run(invocation: Invocation) {
    const id = idOf('ID', invocation.positionals[0])
    return await callAndPrint(invocation, async (client) => {
      const { before, key } = await remove(client, id, '/ban')
      const wasBanned = before.bannedUntil !== null && Date.parse(before.bannedUntil) > Date.now()
      const words = wasBanned
        ? `Lifted the ban of key ${id} (${key.prefix}…).`
        : `Key ${id} (${key.prefix}…) is not banned.`
      return { result: key, words }
    })
  },
}

/** Deletes a key, or its part at `path`. Returns the key as it was before and is now. */
async function remove(client: Client, id: number, path = '') {
  const before = await getKey(client, id)
  await client.call('DELETE', `/keys/${id}${path}`)
  return { before, key: await getKey(client, id) }
}

/** Throws `not_found`, with the command that lists the keys. */
function getKey(client: Client, id: number): Promise<Key> {
  return withAdvice(client.call<Key>('GET', `/keys/${id}`), 'See: petstore keys list')
}

export const keysRoll: Command = {
  name: 'keys roll',
  summary: 'replace a key; the old key stays valid until the overlap ends',
  details: 'The new key has the same name, account, scopes and lifetime. It is the first line of the output.',
  operands: 'ID',
  arity: [1, 1],
  options: {
    overlap: { value: 'TIME', help: 'how long the old key still works, such as 7d, 24h or 0s', default: '24h' },
  },
  changesStore: true,
  examples: ['keys roll 3', 'keys roll 3 --overlap 7d'],
  async run(invocation: Invocation) {
    const { values, positionals, terminal } = invocation
    const id = idOf('ID', positionals[0])
    const overlapMs = durationOf(values, 'overlap') ?? dayMs
    if (overlapMs > maximumOverlapSeconds * 1000) throw new UsageError('--overlap must be at most 365d, a year.')
    assertShown(terminal, 'the new key')
    await withClient(invocation, async (client) => {
      const { expiresAt } = await getKey(client, id)
      const overlap = { overlapSeconds: Math.ceil(overlapMs / 1000) }
      const issued = await client.call<IssuedKey>('POST', `/keys/${id}/roll`, overlap)
      const old = await getKey(client, id)
      const text = values['json'] ? `${JSON.stringify(issued)}\n` : `${describeIssued(issued)}\n${endOf(old)}\n`
      const undo = async () => {
        await client.call('DELETE', `/keys/${issued.id}`)
        await client.call('PATCH', `/keys/${id}`, { expiresAt })
      }
      await printOnce(terminal, text, undo, 'The new key was revoked, and the old key works as before.')
    })
    return 0
  },
}

function endOf({ id, prefix, expiresAt }: Key): string {
  const isOver = expiresAt === null || Date.parse(expiresAt) <= Date.now()
  const until = isOver ? 'has stopped working' : `works until ${localTime(expiresAt)}`
  return `The old key ${id} (${prefix}…) ${until}.`
}
