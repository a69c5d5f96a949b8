/** `petstore domains add`, `list`, `verify` and `remove`: the custom domains of projects. */

import { storeConfig } from '../config/config.ts'
import type { HostingConfig } from '../config/hosting.ts'
import { storedDnsOptions } from '../config/hosting-options.ts'
import type { OptionSpecs } from '../config/options.ts'
import { text, UsageError } from '../config/values.ts'
import { readCertificates } from '../hosting/certificates/stored.ts'
import { removeDomain } from '../hosting/domains/change.ts'
import { createPlatform, queryOptions } from '../hosting/domains/checks/platform.ts'
import { checkClaim, yieldingHolder } from '../hosting/domains/checks/verify.ts'
import { claimDomain, hostingIsOff } from '../hosting/domains/claim.ts'
import { aLabelForm } from '../hosting/domains/hostname.ts'
import { maximumDomains } from '../hosting/domains/roles.ts'
import type { Domain } from '../hosting/domains/schemas.ts'
import { stateOf } from '../hosting/domains/state.ts'
import type { DomainRow, DomainSummary } from '../hosting/domains/store.ts'
import { toDomain, type ViewParts } from '../hosting/domains/view.ts'
import type { ProjectRow } from '../hosting/projects/store.ts'
import { hostingOf } from '../hosting/settings.ts'
import { systemClock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import type { Command, Invocation } from './command.ts'
import { describeDomain, domainTable, printDomains, recordTable } from './domains-output.ts'
import { projectOf } from './project-view.ts'
import { allPages, type CommandStore, withStore } from './store.ts'

const actor = 'command'
/** The time limit of all checks of a command. */
const maximumMs = 45_000

const projectOption = (fallback: string) =>
  ({ project: { type: 'string', value: 'SLUG', help: 'the project, by its slug', default: fallback } }) as const

export const domainsAdd: Command = {
  name: 'domains add',
  summary: 'add a domain to a project',
  details:
    'Prints the DNS records to create. The domain is served when they are found; a running server looks for them by itself. The account of the project needs the plan pro or above, and the project a deploy. Hosting options that are not given are those with which the store was last served.',
  operands: 'HOST',
  arity: [1, 1],
  options: {
    ...projectOption('required'),
    'with-www': { type: 'boolean', help: 'add the name with www. in front too, or without it', default: 'off' },
    ...storedDnsOptions,
  } as const satisfies OptionSpecs,
  changesStore: true,
  examples: ['domains add www.shop.example --project paws', 'domains add shop.example --project paws --with-www'],
  run: (invocation: Invocation) =>
    withDomains(invocation, async ({ store, show, hosting, certificates }) => {
      const { values, positionals, terminal } = invocation
      const project = projectOf(store, text(values, 'project') ?? missingProject())
      if (!hosting) throw hostingIsOff()
      const parts = await checkParts(store, hosting, certificates)
      const request = { hostname: positionals[0] ?? '', withWww: values['with-www'] === true }
      const find = () => projectOf(store, project.slug)
      const add = await claimDomain(parts, find, request, { actor, nowMs: Date.now() })
      const row = store.write(add)
      const added = rowsOf(store, project.id).filter((one) => one.createdAt === row.createdAt)
      const tables = added.map((one) => recordTable(show(project, one, parts.platform), terminal))
      const next = nextSteps(added.map(({ hostname }) => hostname))
      printDomains(invocation, show(project, row, parts.platform), [...tables, next].join('\n'))
      return 0
    }),
}

/** A command checks one name. */
function nextSteps(hostnames: readonly string[]): string {
  const commands = hostnames.map((hostname) => `petstore domains verify ${hostname}`)
  const start = 'Create these records at your DNS provider, then run:'
  return commands.length === 1 ? `${start} ${commands[0]}` : [start, ...commands.map((one) => `  ${one}`)].join('\n')
}

export const domainsList: Command = {
  name: 'domains list',
  summary: 'list the domains of every project',
  options: projectOption('all'),
  examples: ['domains list', 'domains list --project paws --json'],
  run: (invocation: Invocation) =>
    withDomains(invocation, ({ store, show }) => {
      const slug = text(invocation.values, 'project')
      const rows =
        slug === undefined
          ? allPages((after, limit) => store.domains.all(after, limit))
          : rowsOf(store, projectOf(store, slug).id)
      const found = rows.flatMap((row) => {
        const project = store.projects.find(row.projectId)
        return project ? [{ project, domain: show(project, row) }] : []
      })
      printDomains(
        invocation,
        found.map(({ domain }) => domain),
        domainTable(found, invocation.terminal),
      )
      return 0
    }),
}

export const domainsVerify: Command = {
  name: 'domains verify',
  summary: 'check the DNS of a domain now, and store the result',
  details:
    'Does what the button Verify and the API do. Exits with 1 if the domain is not verified or has another fault, and says what to change. It takes at most 45 seconds. A domain that is not verified is then checked by the running server for another 48 hours; one that is gets another attempt for its certificate at once.',
  operands: 'HOST',
  arity: [1, 1],
  options: { ...projectOption('the only one that has the domain'), ...storedDnsOptions },
  changesStore: true,
  examples: ['domains verify www.shop.example', 'domains verify shop.example --project paws --json'],
  run: (invocation: Invocation) =>
    withDomains(invocation, async ({ store, show, hosting, certificates }) => {
      const { project, row } = findDomain(store, invocation)
      if (!hosting) throw hostingIsOff()
      const parts = await checkParts(store, hosting, certificates)
      const outcome = await checkClaim(parts, row.id, parts.signal, () => true)
      const after = store.domains.findById(row.id)
      if (!after) throw new AppError('not_found', `${row.hostname} was removed meanwhile.`)
      const codes = after.findings.map(({ code }) => code)
      if (outcome === 'proven') store.write(() => certificates?.retry(after.hostname, codes))
      const domain = show(project, after)
      printDomains(invocation, domain, describeDomain(domain, invocation.terminal))
      const isFaulty = domain.findings.some(({ severity }) => severity === 'error')
      return domain.dns.status === 'verified' && !isFaulty ? 0 : 1
    }),
}

export const domainsRemove: Command = {
  name: 'domains remove',
  summary: 'remove a domain from its project',
  details: 'A running server stops serving it within a second. Its DNS records should be deleted too.',
  operands: 'HOST',
  arity: [1, 1],
  options: projectOption('the only one that has the domain'),
  changesStore: true,
  examples: ['domains remove www.shop.example', 'domains remove www.shop.example --project paws --json'],
  run: (invocation: Invocation) =>
    withDomains(invocation, ({ store, show, isActive }) => {
      const { project, row } = findDomain(store, invocation)
      const domain = show(project, row)
      store.write(() => {
        const current = store.domains.findById(row.id)
        if (current) removeDomain(store, project, current, isActive, { actor, nowMs: Date.now() })
      })
      const removed = `Removed ${domain.hostname} from the project ${project.slug}. Delete its DNS records too.`
      const isPair = (one: string, other: string) => one === `www.${other}` || other === `www.${one}`
      const pair = rowsOf(store, project.id).find(({ hostname }) => isPair(hostname, domain.hostname))
      const stays = pair && `${pair.hostname} stays: remove it too if you no longer need it.`
      printDomains(invocation, domain, stays === undefined ? removed : `${removed}\n${stays}`)
      return 0
    }),
}

interface DomainContext {
  readonly store: CommandStore
  readonly hosting: HostingConfig | undefined
  readonly show: (project: ProjectRow, row: DomainRow, platform?: ViewParts['platform']) => Domain
  readonly isActive: (row: DomainSummary) => boolean
  readonly certificates: ReturnType<typeof readCertificates>
}

/** The parts of the checks of a command, which makes them itself. Resolves the public addresses if they are not among the options. */
async function checkParts(store: CommandStore, hosting: HostingConfig, certificates: DomainContext['certificates']) {
  const signal = AbortSignal.timeout(maximumMs)
  const options = { ...queryOptions(hosting), signal }
  const { publicAddresses, platformDomain } = hosting
  const resolved = async () => (await import('../dns/platform.ts')).resolveAddresses(platformDomain, options)
  const addresses = publicAddresses.length > 0 ? publicAddresses : await resolved()
  const platform = createPlatform(hosting, {
    publicAddresses: () => addresses,
    acceptedAddresses: () => addresses,
    checkOptions: () => options,
    caa: certificates?.caa,
  })
  const parts = { ...store, platform, clock: systemClock, signal }
  return {
    ...parts,
    checks: { yieldingHolder: (hostname: string) => yieldingHolder(parts, hostname, signal) },
  }
}

async function withDomains(
  { values }: Invocation,
  use: (context: DomainContext) => number | Promise<number>,
): Promise<number> {
  return await withStore(storeConfig(values), (store) => {
    const hosting = hostingOf(store.tables, values)
    const certificates = readCertificates(store.tables, hosting)
    const { certificateOf, certificateFindings } = certificates ?? {}
    const { domains } = store
    const given = hosting && { platformDomain: hosting.platformDomain, publicAddresses: () => hosting.publicAddresses }
    const show: DomainContext['show'] = (project, row, platform = given) => {
      return toDomain({ domains, platform, certificateOf, certificateFindings }, project, row, Date.now())
    }
    const isActive = (row: DomainSummary) => stateOf(row, certificateOf?.(row.hostname), Date.now()) === 'active'
    return use({ store, hosting, show, isActive, certificates })
  })
}

function rowsOf({ domains }: CommandStore, projectId: number): DomainRow[] {
  return domains.page(projectId, 0, maximumDomains)
}

function missingProject(): never {
  throw new UsageError('--project is required: --project SLUG.')
}

/** The domain that the operand names. Several projects may claim one hostname. */
function findDomain(store: CommandStore, { values, positionals }: Invocation) {
  const given = positionals[0] ?? ''
  const hostname = aLabelForm(given) ?? given
  const slug = text(values, 'project')
  const only = slug === undefined ? undefined : projectOf(store, slug)
  const claims = store.domains.claimsOf(hostname).filter(({ projectId }) => only === undefined || only.id === projectId)
  const [row, second] = claims
  const project = row && store.projects.find(row.projectId)
  if (!row || !project) {
    throw new AppError(
      'not_found',
      `${only ? `The project ${only.slug} has no` : 'No project has a'} domain ${hostname}. See: petstore domains list`,
    )
  }
  if (second) throw new AppError('conflict', `Several projects claim ${hostname}: choose one with --project SLUG.`)
  return { project, row }
}
