/** `petstore keys revoke`, `unban` and `roll`: changes to existing keys. */

import { changeKey, liftBan, revokeKey, rollKey } from '../access/keys/change.ts'
import { type Key, maximumOverlapSeconds, toKey } from '../access/keys/schemas.ts'
import { storeConfig } from '../config/config.ts'
import { UsageError } from '../config/values.ts'
import { AppError } from '../lib/error.ts'
import { printable } from '../lib/log.ts'
import { durationOf, idOf } from './arguments.ts'
import type { Command, Invocation } from './command.ts'
import { describeIssued } from './keys-create.ts'
import { ago, localTime } from './output.ts'
import { assertShown, printOnce } from './print-once.ts'
import { type CommandStore, withStore } from './store.ts'

const actor = 'command'
const dayMs = 86_400_000

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'revoke a key permanently',
  details: 'A running server rejects the key within a second. A revoked key cannot be restored.',
  operands: 'ID',
  arity: [1, 1],
  changesStore: true,
  examples: ['keys revoke 3', 'keys revoke 3 --json'],
  async run(invocation: Invocation) {
    const { before, key, accountName } = await change(invocation, revokeKey)
    const { id, prefix, name, accountId, lastUsedAt } = key
    const used = lastUsedAt === null ? 'No use of it is recorded.' : `It was last used ${ago(lastUsedAt, Date.now())}.`
    print(invocation, key, [
      before.revokedAt === null
        ? `Revoked key ${id} (${prefix}…), "${name}" of account ${accountId} (${accountName}).`
        : `Key ${id} (${prefix}…) was already revoked on ${localTime(before.revokedAt)}.`,
      `Requests with it stop working within a second. ${used}`,
    ])
    return 0
  },
}

export const keysUnban: Command = {
  name: 'keys unban',
  summary: "lift a key's ban",
  details: 'A running server accepts the key again within a second. The next ban lasts 10 minutes again.',
  operands: 'ID',
  arity: [1, 1],
  changesStore: true,
  examples: ['keys unban 3', 'keys unban 3 --environment staging'],
  async run(invocation: Invocation) {
    const { before, key } = await change(invocation, liftBan)
    const { id, prefix } = key
    const wasBanned = before.bannedUntil !== null && Date.parse(before.bannedUntil) > Date.now()
    print(invocation, key, [
      wasBanned ? `Lifted the ban of key ${id} (${prefix}…).` : `Key ${id} (${prefix}…) is not banned.`,
    ])
    return 0
  },
}

/** Applies `apply` to the key whose id is the operand. Throws `not_found` if there is none. */
async function change({ values, positionals }: Invocation, apply: typeof revokeKey) {
  const id = idOf('ID', positionals[0])
  return await withStore(storeConfig(values), (store) =>
    store.write(() => {
      const before = get(store, id)
      apply(store, id, { actor, nowMs: Date.now() })
      const key = get(store, id)
      return { before, key, accountName: store.accounts.find(key.accountId)?.name ?? '' }
    }),
  )
}

function get(store: CommandStore, id: number): Key {
  const row = store.keys.find(id)
  if (!row) throw new AppError('not_found', `There is no key ${id}. See: petstore keys list`)
  return toKey(row)
}

function print({ values, terminal }: Invocation, key: Key, lines: readonly string[]): void {
  terminal.out(values['json'] ? `${JSON.stringify(key)}\n` : `${lines.map(printable).join('\n')}\n`)
}

export const keysRoll: Command = {
  name: 'keys roll',
  summary: 'replace a key; the old key stays valid until the overlap ends',
  details: 'The new key has the same name, account, scopes and lifetime. It is the first line of the output.',
  operands: 'ID',
  arity: [1, 1],
  options: {
    overlap: {
      type: 'string',
      value: 'TIME',
      help: 'how long the old key still works, such as 7d, 24h or 0s',
      default: '24h',
    },
  },
  changesStore: true,
  examples: ['keys roll 3', 'keys roll 3 --overlap 7d'],
  async run({ values, positionals, terminal }: Invocation) {
    const id = idOf('ID', positionals[0])
    const overlapMs = durationOf(values, 'overlap') ?? dayMs
    if (overlapMs > maximumOverlapSeconds * 1000) throw new UsageError('--overlap must be at most 365d, a year.')
    assertShown(terminal, 'the new key')
    await withStore(storeConfig(values), async (store) => {
      const context = { actor, nowMs: Date.now() } as const
      const { before, issued, old } = store.write(() => {
        get(store, id)
        const row = store.keys.find(id)
        return { before: row, issued: rollKey(store, id, overlapMs, context), old: get(store, id) }
      })
      const text = values['json'] ? `${JSON.stringify(issued)}\n` : `${describeIssued(issued)}\n${endOf(old)}\n`
      const undo = () =>
        store.write(() => {
          revokeKey(store, issued.id, context)
          store.keys.update(id, { successorId: null })
          changeKey(store, id, { expiresAt: before?.expiresAt ?? null }, context)
        })
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
