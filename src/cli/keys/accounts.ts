/** `petstore accounts …`: lists and changes accounts and their plans. */

import type { Account } from '../../access/accounts/schemas.ts'
import { UsageError } from '../../config/values.ts'
import { AppError } from '../../lib/error.ts'
import { checkAllowance, customAllowance, idOf, nameOf, planOf, planOptions } from '../arguments.ts'
import { callAndPrint, withAdvice } from '../client/client.ts'
import { onStore } from '../client/local.ts'
import type { Command, Invocation, Terminal } from '../command.ts'
import { count, formatRecords, localTime } from '../terminal/output.ts'

export const accountsList: Command = {
  name: 'accounts list',
  summary: 'list the accounts and their plans',
  examples: ['accounts list', 'accounts list --json'],
  run: (invocation: Invocation) =>
    callAndPrint(invocation, async (client) => {
      const accounts = await client.all<Account>('/accounts')
      const none = `There are no accounts yet. Open one with: ${onStore(invocation, 'petstore keys create --name NAME')}`
      return { result: accounts, words: accounts.length > 0 ? accountTable(accounts, invocation.terminal) : none }
    }),
}

export const accountsUpdate: Command = {
  name: 'accounts update',
  summary: "change an account's name or plan",
  details: 'The change takes effect at once.',
  operands: 'ID',
  arity: [1, 1],
  options: {
    name: { value: 'NAME', help: 'the new name', default: 'unchanged' },
    ...planOptions('unchanged'),
  },
  changesStore: true,
  examples: ['accounts update 2 --plan pro', 'accounts update 2 --plan enterprise --per-minute 5000 --per-day 1000000'],
  async run(invocation: Invocation) {
    const { values, positionals, terminal } = invocation
    const id = idOf('ID', positionals[0])
    const name = nameOf(values)
    const plan = planOf(values)
    const custom = customAllowance(values)
    if (name === undefined && plan === undefined && Object.keys(custom).length === 0) {
      throw new UsageError('Nothing to change: give --name, --plan, --per-minute or --per-day.')
    }
    if (plan !== undefined && plan !== 'enterprise') checkAllowance(plan, custom)
    const changes = { ...(name === undefined ? {} : { name }), ...(plan === undefined ? {} : { plan }), ...custom }
    return await callAndPrint(invocation, async (client) => {
      const updated = client.call<Account>('PATCH', `/accounts/${id}`, changes).catch(asUsageError)
      const account = await withAdvice(updated, 'See: petstore accounts list')
      return { result: account, words: accountTable([account], terminal) }
    })
  },
}

/** Numbers that the account's plan does not have are a matter of the options, named here as the options are. */
function asUsageError(error: unknown): never {
  if (!(error instanceof AppError && error.code === 'invalid_body')) throw error
  throw new UsageError(error.message.replaceAll('perMinute', '--per-minute').replaceAll('perDay', '--per-day'))
}

function accountTable(accounts: readonly Account[], terminal: Terminal): string {
  return formatRecords(
    [
      { title: 'ID', align: 'right', cell: ({ id }) => String(id) },
      { title: 'NAME', minimum: 12, cell: ({ name }) => name },
      { title: 'PLAN', cell: ({ plan }) => plan },
      { title: 'PER MINUTE', align: 'right', cell: ({ perMinute }) => count(perMinute) },
      { title: 'PER DAY', align: 'right', cell: ({ perDay }) => count(perDay) },
      { title: 'TODAY', align: 'right', cell: ({ usedToday }) => count(usedToday) },
      { title: 'KEYS', align: 'right', cell: ({ keyCount }) => count(keyCount) },
      { title: 'CREATED', cell: ({ createdAt }) => localTime(createdAt) },
    ],
    accounts,
    terminal,
  )
}
