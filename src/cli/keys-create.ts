/** `petstore keys create`, and how an issued key is printed. */

import type { IssuedKey } from '../access/keys/issue.ts'
import { defaultScopes, scopes } from '../api/scopes.ts'
import { list, type OptionValues, oneOf, text, UsageError } from '../config/values.ts'
import { checkAllowance, customAllowance, durationOf, idOf, nameOf, planOf, planOptions } from './arguments.ts'
import { withAdvice, withClient } from './client.ts'
import type { Command, Invocation } from './command.ts'
import { formatPairs, localTime } from './output.ts'
import { assertShown, printOnce } from './print-once.ts'

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'issue a key and print it once',
  details:
    'The key is the first line of the output. Without --account, a new account with the name of the key is opened. The key works at once.',
  options: {
    name: {
      type: 'string',
      value: 'NAME',
      help: 'the name of the key, and of its account if that is new',
      default: 'required',
    },
    account: { type: 'string', value: 'ID', help: 'the account that the key is for', default: 'a new one' },
    ...planOptions('free'),
    scope: {
      type: 'string',
      multiple: true,
      commas: true,
      value: 'SCOPE',
      help: 'a permission of the key; repeatable, or several separated by commas',
      default: `all but ${scopes.filter((scope) => !defaultScopes.includes(scope)).join(', ')}`,
      choices: scopes,
    },
    expires: {
      type: 'string',
      value: 'TIME',
      help: 'the lifetime of the key, such as 90d, 24h or 30m',
      default: 'no end',
    },
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
export function describeIssued({ id, accountId, plan, scopes: granted, expiresAt, key }: IssuedKey): string {
  const pairs = formatPairs([
    ['Key', String(id)],
    ['Account', `${accountId} (${plan})`],
    ['Scopes', granted.join(' ')],
    ['Expires', expiresAt === null ? 'never' : localTime(expiresAt)],
  ])
  return `${key}\n\nKeep it safe: it is shown only this once.\n\n${pairs}`
}
