/** `petstore accounts …`: lists and changes accounts and their plans. */

import { changeAccount } from '../access/accounts/open.ts'
import { type Account, toAccount } from '../access/accounts/schemas.ts'
import type { AccountRow } from '../access/accounts/store.ts'
import { dayOf } from '../access/limits/days.ts'
import { storeConfig } from '../config/config.ts'
import { UsageError } from '../config/values.ts'
import { AppError } from '../lib/error.ts'
import { assertAccount, checkAllowance, customAllowance, idOf, nameOf, planOf, planOptions } from './arguments.ts'
import type { Command, Invocation, Terminal } from './command.ts'
import { count, formatTable, localTime } from './output.ts'
import { allPages, type CommandStore, withStore } from './store.ts'

export const accountsList: Command = {
  name: 'accounts list',
  summary: 'list the accounts and their plans',
  examples: ['accounts list', 'accounts list --json'],
  async run({ values, terminal }: Invocation) {
    const accounts = await withStore(storeConfig(values), (store) =>
      allPages(store.accounts.page).map((row) => accountOf(store, row)),
    )
    terminal.out(values['json'] ? `${JSON.stringify(accounts)}\n` : accountTable(accounts, terminal))
    return 0
  },
}

export const accountsUpdate: Command = {
  name: 'accounts update',
  summary: "change an account's name or plan",
  details: 'A running server applies the change within a second.',
  operands: 'ID',
  arity: [1, 1],
  options: {
    name: { type: 'string', value: 'NAME', help: 'the new name', default: 'unchanged' },
    ...planOptions('unchanged'),
  },
  changesStore: true,
  examples: ['accounts update 2 --plan pro', 'accounts update 2 --plan enterprise --per-minute 5000 --per-day 1000000'],
  async run({ values, positionals, terminal }: Invocation) {
    const id = idOf('ID', positionals[0])
    const name = nameOf(values)
    const plan = planOf(values)
    const custom = customAllowance(values)
    if (name === undefined && plan === undefined && Object.keys(custom).length === 0) {
      throw new UsageError('Nothing to change: give --name, --plan, --per-minute or --per-day.')
    }
    if (plan !== undefined && plan !== 'enterprise') checkAllowance(plan, custom)
    const changes = { ...(name === undefined ? {} : { name }), ...(plan === undefined ? {} : { plan }), custom }
    const account = await withStore(storeConfig(values), (store) =>
      store.write(() => {
        assertAccount(store, id)
        return accountOf(store, changeAccount(store, id, changes, { actor: 'command', nowMs: Date.now() }))
      }),
    ).catch(asUsageError)
    terminal.out(values['json'] ? `${JSON.stringify(account)}\n` : accountTable([account], terminal))
    return 0
  },
}

function accountOf({ limits, keys }: CommandStore, row: AccountRow): Account {
  const nowMs = Date.now()
  return toAccount(row, { usedToday: limits.find(row.id, dayOf(nowMs)), keyCount: keys.countInUse(row.id, nowMs) })
}

/** Numbers that the account's plan does not have are a matter of the options, named here as the options are. */
function asUsageError(error: unknown): never {
  if (!(error instanceof AppError && error.code === 'invalid_body')) throw error
  throw new UsageError(error.message.replaceAll('perMinute', '--per-minute').replaceAll('perDay', '--per-day'))
}

function accountTable(accounts: readonly Account[], terminal: Terminal): string {
  if (accounts.length === 0) return 'There are no accounts yet. Open one with: petstore keys create --name NAME\n'
  const rows = accounts.map(({ id, name, plan, perMinute, perDay, usedToday, keyCount, createdAt }) => [
    String(id),
    name,
    plan,
    count(perMinute),
    count(perDay),
    count(usedToday),
    count(keyCount),
    localTime(createdAt),
  ])
  return formatTable(
    [
      { title: 'ID', align: 'right' },
      { title: 'NAME', minimum: 12 },
      { title: 'PLAN' },
      { title: 'PER MINUTE', align: 'right' },
      { title: 'PER DAY', align: 'right' },
      { title: 'TODAY', align: 'right' },
      { title: 'KEYS', align: 'right' },
      { title: 'CREATED' },
    ],
    rows,
    terminal,
  )
}
