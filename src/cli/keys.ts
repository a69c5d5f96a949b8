/** `petstore keys …`: issuing API keys, and what happens to them afterwards. */

import { list, type OptionValues, oneOf, storeConfig, text, UsageError } from '../config.ts'
import { liftBan, revokeKey, rollKey } from '../keys/change.ts'
import { type IssuedKey, issueKey, type KeyOrder } from '../keys/issue.ts'
import { defaultScopes, scopes } from '../keys/rules.ts'
import { type Key, toKey } from '../keys/schemas.ts'
import { checkAllowance, customAllowance, durationOf, idOf, nameOf, planOf, planOptions } from './arguments.ts'
import { type Command, formatTable, type Invocation } from './command.ts'
import { allPages, withStore } from './store.ts'

const actor = 'cli'
const hourMs = 3_600_000

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'issue a key and print it, once',
  options: {
    name: { type: 'string', value: 'N', help: 'name of the key, and of its account if that is new' },
    account: { type: 'string', value: 'ID', help: 'the account it is for; without it one is opened' },
    ...planOptions,
    scope: { type: 'string', multiple: true, value: 'S', help: `one of ${scopes.join(', ')} (repeatable)` },
    expires: { type: 'string', value: 'TIME', help: 'lifetime such as 90d or 24h (default: never expires)' },
  },
  async run({ values, terminal }: Invocation) {
    const nowMs = Date.now()
    const order = keyOrder(values, nowMs)
    const issued = await withStore(storeConfig(values), (store) =>
      store.write(() => issueKey(store, order, { actor, nowMs })),
    )
    terminal.out(values['json'] ? `${JSON.stringify(issued)}\n` : describeIssued(issued))
    return 0
  },
}

function keyOrder(values: OptionValues, nowMs: number): KeyOrder {
  const name = nameOf(values)
  if (name === undefined) throw new UsageError('Missing --name: petstore keys create --name NAME')
  const given = list(values, 'scope').map((scope) => oneOf('scope', scopes, scope))
  const lifetimeMs = durationOf(values, 'expires')
  if (lifetimeMs === 0) throw new UsageError('--expires must be longer than nothing.')
  return {
    name,
    account: accountOf(values, name),
    scopes: given.length > 0 ? [...new Set(given)] : defaultScopes,
    expiresAt: lifetimeMs === undefined ? undefined : nowMs + lifetimeMs,
  }
}

function accountOf(values: OptionValues, name: string): KeyOrder['account'] {
  const id = text(values, 'account')
  const plan = planOf(values)
  const custom = customAllowance(values)
  if (id === undefined) {
    checkAllowance(plan ?? 'free', custom)
    return { name, plan: plan ?? 'free', custom }
  }
  if (plan !== undefined || Object.keys(custom).length > 0) {
    throw new UsageError('--account has its plan already: use petstore accounts update to change it.')
  }
  return { id: idOf('--account', id) }
}

function describeIssued({ id, accountId, plan, scopes: granted, expiresAt, key }: IssuedKey): string {
  const rows = [
    ['Key', String(id)],
    ['Account', `${accountId} (${plan})`],
    ['Scopes', granted.join(' ')],
    ['Expires', expiresAt ?? 'never'],
  ]
  return `${key}\n\nKeep it safe: it is shown only this once.\n\n${formatTable(rows)}`
}

export const keysList: Command = {
  name: 'keys list',
  summary: 'list the keys',
  async run({ values, terminal }: Invocation) {
    const keys = await withStore(storeConfig(values), (store) => allPages(store.keys.page).map(toKey))
    terminal.out(values['json'] ? `${JSON.stringify(keys)}\n` : keyTable(keys, Date.now()))
    return 0
  },
}

function keyTable(keys: readonly Key[], nowMs: number): string {
  const rows = keys.map((key) => [
    String(key.id),
    `${key.prefix}…`,
    key.name,
    String(key.accountId),
    key.plan,
    stateOf(key, nowMs),
    key.lastUsedAt ?? 'never',
    key.scopes.join(' '),
  ])
  return formatTable([['ID', 'KEY', 'NAME', 'ACCOUNT', 'PLAN', 'STATE', 'LAST USED', 'SCOPES'], ...rows])
}

function stateOf({ revokedAt, expiresAt, bannedUntil }: Key, nowMs: number): string {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs) return 'expired'
  if (bannedUntil !== null && Date.parse(bannedUntil) > nowMs) return `banned until ${bannedUntil}`
  return expiresAt === null ? 'active' : `until ${expiresAt}`
}

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'revoke a key for good',
  operands: 'ID',
  arity: [1, 1],
  run(invocation: Invocation) {
    return change(invocation, 'Revoked', revokeKey)
  },
}

export const keysUnban: Command = {
  name: 'keys unban',
  summary: "lift a key's ban",
  operands: 'ID',
  arity: [1, 1],
  run(invocation: Invocation) {
    return change(invocation, 'There is no ban any more on', liftBan)
  },
}

/** Does `verb` to the key and shows it. */
async function change(
  { values, positionals, terminal }: Invocation,
  done: string,
  verb: typeof revokeKey,
): Promise<number> {
  const id = idOf('ID', positionals[0])
  const key = await withStore(storeConfig(values), (store) =>
    store.write(() => {
      verb(store, id, { actor, nowMs: Date.now() })
      return store.keys.find(id)
    }),
  )
  if (!key) return 1
  terminal.out(values['json'] ? `${JSON.stringify(toKey(key))}\n` : `${done} key ${id} (${key.prefix}…).\n`)
  return 0
}

export const keysRoll: Command = {
  name: 'keys roll',
  summary: 'issue a successor and let the old key live for a while',
  operands: 'ID',
  arity: [1, 1],
  options: {
    overlap: { type: 'string', value: 'TIME', help: 'how long the old key goes on working (default 24h)' },
  },
  async run({ values, positionals, terminal }: Invocation) {
    const id = idOf('ID', positionals[0])
    const overlapMs = durationOf(values, 'overlap') ?? 24 * hourMs
    const issued = await withStore(storeConfig(values), (store) =>
      store.write(() => rollKey(store, id, overlapMs, { actor, nowMs: Date.now() })),
    )
    terminal.out(values['json'] ? `${JSON.stringify(issued)}\n` : describeIssued(issued))
    return 0
  },
}
