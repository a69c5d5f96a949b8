/** `petstore accounts …`: who the customers are and what they may use. */

import { changeAccount } from '../accounts/open.ts'
import { type Account, toAccount } from '../accounts/schemas.ts'
import { storeConfig, UsageError } from '../config.ts'
import { checkAllowance, customAllowance, idOf, nameOf, planOf, planOptions } from './arguments.ts'
import { type Command, formatTable, type Invocation } from './command.ts'
import { allPages, withStore } from './store.ts'

export const accountsList: Command = {
  name: 'accounts list',
  summary: 'list the accounts and their plans',
  async run({ values, terminal }: Invocation) {
    const accounts = await withStore(storeConfig(values), (store) => allPages(store.accounts.page).map(toAccount))
    terminal.out(values['json'] ? `${JSON.stringify(accounts)}\n` : accountTable(accounts))
    return 0
  },
}

export const accountsUpdate: Command = {
  name: 'accounts update',
  summary: "change an account's name or plan",
  operands: 'ID',
  arity: [1, 1],
  options: { name: { type: 'string', value: 'N', help: 'the new name' }, ...planOptions },
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
      toAccount(store.write(() => changeAccount(store, id, changes, { actor: 'cli', nowMs: Date.now() }))),
    )
    terminal.out(values['json'] ? `${JSON.stringify(account)}\n` : accountTable([account]))
    return 0
  },
}

function accountTable(accounts: readonly Account[]): string {
  const rows = accounts.map(({ id, name, plan, perMinute, perDay, createdAt }) => [
    String(id),
    name,
    plan,
    String(perMinute),
    String(perDay),
    createdAt,
  ])
  return formatTable([['ID', 'NAME', 'PLAN', 'PER MINUTE', 'PER DAY', 'CREATED'], ...rows])
}
