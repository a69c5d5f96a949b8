/** `petstore projects …`: creates and lists projects. */

import { text, UsageError } from '../../config/values.ts'
import { maximumNameLength, type Project } from '../../hosting/projects/schemas.ts'
import { AppError } from '../../lib/error.ts'
import { nearest } from '../../lib/nearest.ts'
import { labelFault, storedLabel } from '../../lib/text.ts'
import { idOf } from '../arguments.ts'
import type { Client } from '../client/api-client.ts'
import { callAndPrint, withAdvice } from '../client/client.ts'
import { onStore } from '../client/local.ts'
import type { Command, Invocation, Terminal } from '../command.ts'
import { formatRecords, localTime } from '../terminal/output.ts'

export const projectsCreate: Command = {
  name: 'projects create',
  summary: 'create a project of an account',
  details: 'The project gets a slug made from its name, which is never given to another account.',
  operands: 'NAME',
  arity: [1, 1],
  options: {
    account: {
      value: 'ID',
      help: 'the account that the project is for',
      default: "the store's own account; with --url, that of the key",
    },
  },
  changesStore: true,
  examples: ['projects create "Paws & Co."', 'projects create Website --account 2'],
  async run(invocation: Invocation) {
    const { values, positionals, terminal } = invocation
    const name = projectName(positionals[0] ?? '')
    const given = text(values, 'account')
    const account = given === undefined ? {} : { accountId: idOf('--account', given) }
    return await callAndPrint(invocation, async (client) => {
      const created = client.call<Project>('POST', '/projects', { name, ...account })
      const project = await withAdvice(created, 'See: petstore accounts list')
      return { result: project, words: projectTable([project], terminal) }
    })
  },
}

export const projectsList: Command = {
  name: 'projects list',
  summary: 'list the projects of every account',
  examples: ['projects list', 'projects list --json'],
  run: (invocation: Invocation) =>
    callAndPrint(invocation, async (client) => {
      const projects = await client.all<Project>('/projects')
      const none = `There are no projects yet. Create one with: ${onStore(invocation, 'petstore projects create NAME')}`
      return { result: projects, words: projects.length > 0 ? projectTable(projects, invocation.terminal) : none }
    }),
}

function projectName(given: string): string {
  const fault = labelFault(given, maximumNameLength)
  if (fault) throw new UsageError(`NAME ${fault}.`)
  return storedLabel(given)
}

/** The project of a slug, in upper or lower case. Throws `not_found` with the nearest slug. */
export async function projectOf(client: Client, slug: string): Promise<Project> {
  const projects = await client.all<Project>('/projects')
  const found = projects.find((project) => project.slug === slug.toLowerCase())
  if (found) return found
  const slugs = projects.map((project) => project.slug)
  const near = nearest(slug, slugs)
  const advice = near === undefined ? 'See: petstore projects list' : `Did you mean ${near}?`
  throw new AppError('not_found', `There is no project with the slug "${slug}". ${advice}`)
}

function deployedWords({ liveDeploy, hasWebshop }: Project): string {
  if (liveDeploy) return localTime(liveDeploy.createdAt)
  return hasWebshop ? 'web shop' : 'never'
}

function projectTable(projects: readonly Project[], terminal: Terminal): string {
  return formatRecords(
    [
      { title: 'ID', align: 'right', cell: ({ id }) => String(id) },
      { title: 'NAME', minimum: 12, cell: ({ name }) => name },
      { title: 'SLUG', cell: ({ slug }) => slug },
      { title: 'ACCOUNT', align: 'right', cell: ({ accountId }) => String(accountId) },
      { title: 'DEPLOYED', cell: deployedWords },
      { title: 'CREATED', cell: ({ createdAt }) => localTime(createdAt) },
    ],
    projects,
    terminal,
  )
}
