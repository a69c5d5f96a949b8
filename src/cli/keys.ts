/** `petstore keys revoke`, `unban` and `roll`: changes to existing keys. */

import type { Account } from '../access/accounts/schemas.ts'
import type { IssuedKey } from '../access/keys/issue.ts'
import { type Key, maximumOverlapSeconds } from '../access/keys/schemas.ts'
import { UsageError } from '../config/values.ts'
import type { Client } from './api-client.ts'
import { durationOf, idOf } from './arguments.ts'
import { withAdvice, withClient } from './client.ts'
import type { Command, Invocation } from './command.ts'
import { describeIssued } from './keys-create.ts'
import { ago, localTime, print } from './output.ts'
import { assertShown, printOnce } from './print-once.ts'

const dayMs = 86_400_000

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'revoke a key permanently',
  details: 'It stops working at once. A revoked key cannot be restored.',
  operands: 'ID',
  arity: [1, 1],
  changesStore: true,
  examples: ['keys revoke 3', 'keys revoke 3 --json'],
  async run(invocation: Invocation) {
    const { before, key, accountName } = await change(invocation)
    const { id, prefix, name, accountId, lastUsedAt } = key
    const used = lastUsedAt === null ? 'No use of it is recorded.' : `It was last used ${ago(lastUsedAt, Date.now())}.`
    print(invocation, key, [
      before.revokedAt === null
        ? `Revoked key ${id} (${prefix}…), "${name}" of account ${accountId} (${accountName}).`
        : `Key ${id} (${prefix}…) was already revoked on ${localTime(before.revokedAt)}.`,
      `Requests with it do not work any more. ${used}`,
    ])
    return 0
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
    const { before, key } = await change(invocation, '/ban')
    const { id, prefix } = key
    const wasBanned = before.bannedUntil !== null && Date.parse(before.bannedUntil) > Date.now()
    print(invocation, key, [
      wasBanned ? `Lifted the ban of key ${id} (${prefix}…).` : `Key ${id} (${prefix}…) is not banned.`,
    ])
    return 0
  },
}

/** Deletes the key whose id is the operand, or what is at `path` below it. The key before and after, and its account's name. */
async function change(invocation: Invocation, path = '') {
  const id = idOf('ID', invocation.positionals[0])
  return await withClient(invocation, async (client) => {
    const before = await getKey(client, id)
    await client.call('DELETE', `/keys/${id}${path}`)
    const key = await getKey(client, id)
    const { name } = await client.call<Account>('GET', `/accounts/${key.accountId}`)
    return { before, key, accountName: name }
  })
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
    overlap: {
      type: 'string',
      value: 'TIME',
      help: 'how long the old key still works, such as 7d, 24h or 0s',
      default: '24h',
    },
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
