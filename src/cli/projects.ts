/** `petstore projects …`: creates and lists projects. */

import { findStoreAccount } from '../access/accounts/store-account.ts'
import { storeConfig } from '../config/config.ts'
import { text, UsageError } from '../config/values.ts'
import { createProject } from '../hosting/projects/create.ts'
import { maximumNameLength, type Project } from '../hosting/projects/schemas.ts'
import { AppError } from '../lib/error.ts'
import { labelFault, storedLabel } from '../lib/text.ts'
import { assertAccount, idOf } from './arguments.ts'
import type { Command, Invocation, Terminal } from './command.ts'
import { formatTable, localTime } from './output.ts'
import { projectViewOf } from './project-view.ts'
import { allPages, type CommandStore, withStore } from './store.ts'

export const projectsCreate: Command = {
  name: 'projects create',
  summary: 'create a project of an account',
  details:
    'The project gets a slug made from its name, which is never given to another account. A running server shows the project within a second.',
  operands: 'NAME',
  arity: [1, 1],
  options: {
    account: {
      type: 'string',
      value: 'ID',
      help: 'the account that the project is for',
      default: "the store's own account, or the only one",
    },
  },
  changesStore: true,
  examples: ['projects create "Paws & Co."', 'projects create Website --account 2'],
  async run({ values, positionals, terminal }: Invocation) {
    const name = projectName(positionals[0] ?? '')
    const given = text(values, 'account')
    const named = given === undefined ? undefined : idOf('--account', given)
    const project = await withStore(storeConfig(values), (store) =>
      store.write(() => {
        if (named !== undefined) assertAccount(store, named)
        const accountId = named ?? defaultAccount(store)
        const project = createProject(store, { accountId, name }, { actor: 'command', nowMs: Date.now() })
        return projectViewOf(store, values)(project)
      }),
    )
    terminal.out(values['json'] ? `${JSON.stringify(project)}\n` : projectTable([project], terminal))
    return 0
  },
}

export const projectsList: Command = {
  name: 'projects list',
  summary: 'list the projects of every account',
  examples: ['projects list', 'projects list --json'],
  async run({ values, terminal }: Invocation) {
    const projects = await withStore(storeConfig(values), (store) =>
      allPages((after, limit) => store.projects.page(undefined, after, limit)).map(projectViewOf(store, values)),
    )
    terminal.out(values['json'] ? `${JSON.stringify(projects)}\n` : projectTable(projects, terminal))
    return 0
  },
}

function projectName(given: string): string {
  const fault = labelFault(given, maximumNameLength)
  if (fault) throw new UsageError(`NAME ${fault}.`)
  return storedLabel(given)
}

/** Throws `not_found` if there is no account, and `conflict` if there are several and none of them is the store's own. */
function defaultAccount(store: CommandStore): number {
  const [first, second] = store.accounts.page(0, 2)
  if (!first)
    throw new AppError('not_found', 'There is no account yet. Open one with: petstore keys create --name NAME')
  const account = findStoreAccount(store) ?? (second ? undefined : first)
  if (account) return account.id
  throw new AppError(
    'conflict',
    'There are several accounts: choose one with --account ID. See: petstore accounts list',
  )
}

function projectTable(projects: readonly Project[], terminal: Terminal): string {
  if (projects.length === 0) return 'There are no projects yet. Create one with: petstore projects create NAME\n'
  const rows = projects.map(({ id, name, slug, accountId, liveDeploy, createdAt }) => [
    String(id),
    name,
    slug,
    String(accountId),
    liveDeploy ? localTime(liveDeploy.createdAt) : 'never',
    localTime(createdAt),
  ])
  return formatTable(
    [
      { title: 'ID', align: 'right' },
      { title: 'NAME', minimum: 12 },
      { title: 'SLUG' },
      { title: 'ACCOUNT', align: 'right' },
      { title: 'DEPLOYED' },
      { title: 'CREATED' },
    ],
    rows,
    terminal,
  )
}
