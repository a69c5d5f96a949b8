/** `petstore domains add`, `list`, `verify` and `remove`: the custom domains of projects. */

import { text, UsageError } from '../../config/values.ts'
import { aLabelForm } from '../../hosting/domains/hostname.ts'
import type { Domain } from '../../hosting/domains/schemas.ts'
import type { Project } from '../../hosting/projects/schemas.ts'
import { AppError } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import type { Client } from '../client/api-client.ts'
import { callAndPrint } from '../client/client.ts'
import { onStore } from '../client/local.ts'
import type { Command, Invocation, Terminal } from '../command.ts'
import { formatRecords, localTime, maximumWidth, wrap } from '../terminal/output.ts'
import { describeFinding } from './domains-report.ts'
import { projectOf } from './projects.ts'

const projectOption = (fallback: string) =>
  ({ project: { value: 'SLUG', help: 'the project, by its slug', default: fallback } }) as const

export const domainsAdd: Command = {
  name: 'domains add',
  summary: 'add a domain to a project',
  details:
    'Prints the DNS records to create. The domain is served when they are found; a running server looks for them regularly. The account of the project needs the plan pro or above, and the project a deploy. The hosting options are those of the server, or, without a server, those with which the store was last served.',
  operands: 'HOST',
  arity: [1, 1],
  options: {
    ...projectOption('required'),
    'with-www': { help: 'also add HOST with www. in front, or without its www.', default: 'off' },
  },
  changesStore: true,
  examples: ['domains add www.shop.example --project paws', 'domains add shop.example --project paws --with-www'],
  async run(invocation: Invocation) {
    const { values, positionals, terminal } = invocation
    const slug = text(values, 'project')
    if (slug === undefined) throw new UsageError('--project is required: --project SLUG.')
    return await callAndPrint(invocation, async (client) => {
      const { id } = await projectOf(client, slug)
      const body = { hostname: positionals[0] ?? '', withWww: values['with-www'] === true }
      const domain = await client.call<Domain>('POST', `/projects/${id}/domains`, body)
      const all = await client.all<Domain>(`/projects/${id}/domains`)
      const added = all.filter(({ createdAt }) => createdAt === domain.createdAt)
      const tables = added.map((one) => recordTable(one, terminal))
      const next = nextSteps(added.map(({ hostname }) => onStore(invocation, `petstore domains verify ${hostname}`)))
      return { result: domain, words: [...tables, next].join('\n') }
    })
  },
}

/** A command checks one name. */
function nextSteps(commands: readonly string[]): string {
  const start = 'Create these records at your DNS provider, then run:'
  return commands.length === 1 ? `${start} ${commands[0]}` : [start, ...commands.map((one) => `  ${one}`)].join('\n')
}

export const domainsList: Command = {
  name: 'domains list',
  summary: 'list the domains of every project',
  options: projectOption('all'),
  examples: ['domains list', 'domains list --project paws --json'],
  run: (invocation: Invocation) =>
    callAndPrint(invocation, async (client) => {
      const slug = text(invocation.values, 'project')
      const only = slug === undefined ? undefined : await projectOf(client, slug)
      const domains = await client.all<Domain>(only ? `/projects/${only.id}/domains` : '/domains')
      const projects = only ? [only] : await client.all<Project>('/projects')
      const add = onStore(invocation, 'petstore domains add HOST --project SLUG')
      const table = domainTable(domains, projects, invocation.terminal)
      return { result: domains, words: domains.length > 0 ? table : `There are no domains yet. Add one with: ${add}` }
    }),
}

export const domainsVerify: Command = {
  name: 'domains verify',
  summary: 'check the DNS of a domain now, and store the result',
  details:
    'Does what the button Verify and the API do, with the hosting options of the server, or, without a server, those with which the store was last served. Exits with 1 if the domain is not verified or has another fault, and says what to change. It takes at most 45 seconds. A domain that is not verified is then checked by the running server for another 48 hours; a verified one gets another attempt for its certificate at once.',
  operands: 'HOST',
  arity: [1, 1],
  options: projectOption('the only one that has the domain'),
  changesStore: true,
  examples: ['domains verify www.shop.example', 'domains verify shop.example --project paws --json'],
  run: (invocation: Invocation) =>
    callAndPrint(invocation, async (client) => {
      const before = await findDomain(client, invocation)
      const verify = () => client.call<Domain>('POST', `${pathOf(before)}/verify`)
      const after = await verify()
      // The API responds after 25 seconds to a check that is still running; another request joins it.
      const domain = after.dns.checkedAt === before.dns.checkedAt ? await verify() : after
      const isFaulty = domain.findings.some(({ severity }) => severity === 'error')
      const code = domain.dns.status === 'verified' && !isFaulty ? 0 : 1
      return { result: domain, words: describeDomain(domain, invocation.terminal), code }
    }),
}

export const domainsRemove: Command = {
  name: 'domains remove',
  summary: 'remove a domain from its project',
  details: 'It stops being served at once. Its DNS records should be deleted too.',
  operands: 'HOST',
  arity: [1, 1],
  options: projectOption('the only one that has the domain'),
  changesStore: true,
  examples: ['domains remove www.shop.example', 'domains remove www.shop.example --project paws --json'],
  run: (invocation: Invocation) =>
    callAndPrint(invocation, async (client) => {
      const domain = await findDomain(client, invocation)
      const path = `/projects/${domain.projectId}`
      await client.call('DELETE', pathOf(domain))
      const project = await client.call<Project>('GET', path)
      const rest = await client.all<Domain>(`${path}/domains`)
      const isPair = (one: string, other: string) => one === `www.${other}` || other === `www.${one}`
      const pair = rest.find(({ hostname }) => isPair(hostname, domain.hostname))
      const words = [
        `Removed ${domain.hostname} from the project ${project.slug}. Delete its DNS records too.`,
        ...(pair ? [`${pair.hostname} stays: remove it too if you no longer need it.`] : []),
      ]
      return { result: domain, words }
    }),
}

const pathOf = ({ projectId, hostname }: Domain) => `/projects/${projectId}/domains/${hostname}`

/** The domain that the operand names. Several projects may claim one hostname. */
async function findDomain(client: Client, { values, positionals }: Invocation): Promise<Domain> {
  const given = positionals[0] ?? ''
  const hostname = aLabelForm(given) ?? given
  const slug = text(values, 'project')
  const only = slug === undefined ? undefined : await projectOf(client, slug)
  const path = only ? `/projects/${only.id}/domains` : `/domains?hostname=${encodeURIComponent(hostname)}`
  const claims = (await client.all<Domain>(path)).filter((domain) => domain.hostname === hostname)
  const [domain, second] = claims
  if (!domain) {
    throw new AppError(
      'not_found',
      `${only ? `The project ${only.slug} has no` : 'No project has a'} domain ${hostname}. See: petstore domains list`,
    )
  }
  if (second) throw new AppError('conflict', `Several projects claim ${hostname}: choose one with --project SLUG.`)
  return domain
}

const stateWords: Readonly<Record<Domain['state'], string>> = {
  pending_dns: 'the record does not exist yet, or could not be looked up.',
  pending_ownership: 'it leads here, but the TXT record that proves the ownership is missing or wrong.',
  dns_error: 'a record is wrong.',
  issuing: 'verified. The running server orders its certificate.',
  active: 'verified and active.',
  cert_error: 'verified, but there is no valid certificate.',
  degraded: 'it is still served, but its records no longer lead here.',
}

/** The records to create. Exported for its test. */
export function recordTable({ records }: Domain, terminal: Terminal): string {
  return formatRecords(
    [
      { title: 'TYPE', cell: ({ type }) => type },
      { title: 'NAME', cell: ({ name }) => name },
      { title: 'VALUE', cell: ({ value }) => value },
      { title: 'NOTE', minimum: 20, wraps: true, cell: ({ note }) => note ?? '' },
    ],
    records,
    terminal,
  )
}

/** `projects`: at least those of the domains. Exported for its test. */
export function domainTable(domains: readonly Domain[], projects: readonly Project[], terminal: Terminal) {
  const slugs = new Map(projects.map(({ id, slug }) => [id, slug]))
  return formatRecords(
    [
      { title: 'DOMAIN', minimum: 16, wraps: true, cell: shownHostname },
      { title: 'PROJECT', cell: ({ projectId }) => slugs.get(projectId) ?? '' },
      { title: 'ROLE', minimum: 12, wraps: true, cell: roleOf },
      { title: 'STATE', cell: ({ state }) => state },
      { title: 'CHECKED', cell: ({ dns }) => (dns.checkedAt === null ? 'never' : localTime(dns.checkedAt)) },
    ],
    domains,
    terminal,
  )
}

/** Letters of other alphabets look like Latin ones: only the A-labels distinguish such names. */
const shownHostname = ({ hostname, unicodeHostname }: Domain) =>
  unicodeHostname === hostname ? hostname : `${unicodeHostname} (${hostname})`

const roleOf = ({ redirect }: Domain) => (redirect ? `→ ${redirect.to} (${redirect.status})` : 'primary')

/**
 * The state of a domain, the findings of its last check, and why it has no certificate if none of them says so.
 * Exported for its test.
 */
export function describeDomain(domain: Domain, terminal: Terminal): string {
  const { hostname, certificate, findings } = domain
  const { error, nextAttemptAt } = certificate
  const isSaid = findings.some(({ code, message }) => ownWords.includes(code) || error?.startsWith(message))
  const width = Math.min(terminal.outColumns || maximumWidth, maximumWidth)
  return [
    `${hostname}: ${headline(domain)}`,
    ...(error === null || isSaid ? [] : wrap(printable(error), width)),
    ...(nextAttemptAt === null ? [] : [`The next attempt for its certificate is at ${localTime(nextAttemptAt)}.`]),
    ...findings.map((one) => describeFinding(one, terminal)),
  ].join('\n')
}

/** The findings that say why there is no certificate in the words of the authority. */
const ownWords: readonly string[] = ['ca_refused', 'acme_rate_limited', 'certificate_expiring']

/** A domain that works may have faults that would end this. */
function headline({ state, dns, certificate, findings }: Domain): string {
  const hasFault = findings.some(({ severity }) => severity === 'error')
  if (state === 'active' && dns.status === 'drifted') {
    return 'active, but its records are no longer right. It is still served.'
  }
  if (state === 'active' && hasFault) return 'verified and active, but a fault has to be corrected.'
  if (state === 'issuing' && hasFault) return 'verified, but a fault prevents its certificate.'
  const isDue = state === 'cert_error' && certificate.nextAttemptAt === null
  return isDue ? `${stateWords[state]} The running server tries again at once.` : stateWords[state]
}
