/** `petstore domains check HOST`: diagnoses the DNS of any name. Needs no store and no project, but uses the options of a store. */

import { storeConfig } from '../config/config.ts'
import {
  acmeDirectoryOf,
  dnsResolversOf,
  domainOf,
  domainsOf,
  platformDomainOf,
  publicAddressesOf,
  resolversOf,
} from '../config/hosting.ts'
import { storedDnsOptions } from '../config/hosting-options.ts'
import type { OptionSpecs } from '../config/options.ts'
import type { OptionValues } from '../config/values.ts'
import type { CheckOptions, CheckRequest } from '../dns/request.ts'
import { caaExpectation, type KnownAuthority } from '../hosting/certificates/caa.ts'
import { storedAuthority } from '../hosting/certificates/stored.ts'
import { aLabelForm } from '../hosting/domains/hostname.ts'
import { cnameTargetOf } from '../hosting/projects/view.ts'
import { hostingOf, savedSettings } from '../hosting/settings.ts'
import { messageOf } from '../lib/error.ts'
import { printable } from '../lib/log.ts'
import type { Command, Invocation, Terminal } from './command.ts'
import { probeAddresses } from './domains-probe.ts'
import { describeReport } from './domains-report.ts'
import { type CommandStore, storeExists, withStore } from './store.ts'

/** The time limit of the whole command: resolving the platform's addresses, and the check. */
const maximumMs = 15_000

/** The resolvers to use, and the records that the platform expects of a domain. */
const checkOptions = {
  ...storedDnsOptions,
  'cname-target': {
    type: 'string',
    multiple: true,
    commas: true,
    value: 'NAME',
    help: 'the name that the CNAME must have as its value; repeatable',
    default: 'that of the project, or any below edge. of the platform domain',
  },
} as const satisfies OptionSpecs

export const domainsCheck: Command = {
  name: 'domains check',
  summary: 'check the DNS of a domain and say how to fix it',
  details:
    'Queries every name server of the domain and each resolver, and changes nothing. If the name leads here, it also ' +
    'fetches a page over HTTP from the public addresses, which needs a running server. Any name can be checked; no ' +
    'store, project or key is needed. For a domain of a project, it checks the records of that project. Options that are not given are those with which the store was last served. Without ' +
    'a platform domain it does not check where the domain leads. It takes at most 15 seconds and exits with 1 if there ' +
    'is a fault. The terms are explained in docs/guide/dns.md.',
  operands: 'HOST',
  arity: [1, 1],
  options: checkOptions,
  examples: [
    'domains check www.shop.example',
    'domains check shop.example --platform-domain stores.example --json',
    'domains check www.shop.example --dns-resolver 1.1.1.1 --caa-identity letsencrypt.org',
  ],
  async run({ values: given, positionals, terminal }: Invocation) {
    const { values, known, hosting } = await fromStore(given, positionals[0] ?? '', terminal)
    const signal = AbortSignal.timeout(maximumMs)
    const options: CheckOptions = {
      resolvers: resolversOf({ dnsResolvers: dnsResolversOf(values) }),
      allowPrivateAddresses: values['allow-private-addresses'] === true,
      signal,
    }
    const platformDomain = platformDomainOf(values)
    const wanted = checkRequest(values, positionals[0] ?? '', known)
    // Loaded here, because the Public Suffix List would double the time that every other command takes to start.
    const [{ checkDomain }, { checkPlatform, resolveAddresses }] = await Promise.all([
      import('../dns/check.ts'),
      import('../dns/platform.ts'),
    ])
    const isResolved = platformDomain !== undefined && wanted.publicAddresses?.length === 0
    const publicAddresses = isResolved
      ? await resolveAddresses(platformDomain, options)
      : (wanted.publicAddresses ?? [])
    if (isResolved && publicAddresses.length === 0) {
      terminal.err(
        `petstore: The addresses of ${platformDomain} are not known: it has none, or the lookup of A or AAAA fails. Whether an address leads here is not checked.\n`,
      )
    }
    const request = { ...wanted, publicAddresses }
    const [checked, platform] = await Promise.all([
      checkDomain(request, options),
      platformDomain === undefined
        ? []
        : checkPlatform(platformDomain, publicAddresses, options, domainOf(values, 'sites-domain')),
    ])
    const leadsHere = checked.routing === 'verified'
    const probed =
      leadsHere && hosting ? await probeAddresses(checked.hostname, publicAddresses, hosting, signal) : undefined
    if (leadsHere && !probed) {
      terminal.err('petstore: No server with hosting runs here. Whether port 80 leads to it is not checked.\n')
    }
    const report = { ...checked, findings: [...checked.findings, ...(probed ?? []), ...platform] }
    terminal.out(values['json'] ? `${JSON.stringify(report)}\n` : describeReport(report, terminal, request.caa))
    return report.findings.some(({ severity }) => severity === 'error') ? 1 : 0
  },
}

/**
 * The options of the command line, and for all others those with which the store was last served; and the records that its
 * projects and its certificate authority expect. A store that can't be opened is no reason not to check a name.
 */
async function fromStore(values: OptionValues, hostname: string, terminal: Terminal) {
  const config = storeConfig(values)
  const nothing: Known = { cnameTokens: [], authority: unknownAuthority }
  try {
    if (!storeExists(config)) return { values, known: nothing, hosting: undefined }
    return await withStore(config, (store) => {
      const saved = savedSettings(store.tables)
      const hasCertificates = saved['platform-domain'] !== undefined && saved['https-port'] !== 'off'
      const directory = acmeDirectoryOf(saved, config.environment)
      const authority = hasCertificates ? storedAuthority(store.tables, directory) : unknownAuthority
      const known = { ...knownDomain(store, hostname), authority }
      return { values: { ...saved, ...values }, known, hosting: hostingOf(store.tables, values) }
    })
  } catch (error) {
    terminal.err(`petstore: The saved options of hosting are not used. ${printable(messageOf(error))}\n`)
    return { values, known: nothing, hosting: undefined }
  }
}

/** The records that the projects of a store expect of a name. */
interface KnownDomain {
  /** Those of the project that holds the name, or else of each that claims it. */
  readonly cnameTokens: readonly string[]
  /** The value of the TXT record, if the name needs one. */
  readonly ownershipToken?: string | undefined
}

interface Known extends KnownDomain {
  readonly authority: KnownAuthority
}

const unknownAuthority: KnownAuthority = { caaIdentities: [], accountUri: undefined }

function knownDomain({ domains, projects }: CommandStore, given: string): KnownDomain {
  const hostname = aLabelForm(given) ?? given
  const claims = domains.claimsOf(hostname)
  const holder = claims.find(({ holdsName }) => holdsName)
  const owners = (holder ? [holder] : claims).flatMap(({ projectId }) => projects.find(projectId) ?? [])
  const [owner, ...others] = owners
  const needsToken =
    claims.some(({ zone }) => zone === hostname) || domains.wasHeldByAnother(hostname, owner?.accountId ?? 0)
  return {
    cnameTokens: owners.map(({ cnameToken }) => cnameToken),
    ownershipToken: owner && others.length === 0 && needsToken ? domains.tokenOf(owner.accountId) : undefined,
  }
}

function checkRequest(values: OptionValues, hostname: string, known: Known): CheckRequest {
  const platformDomain = platformDomainOf(values)
  const targets = domainsOf(values, 'cname-target')
  const { cnameTokens, ownershipToken, authority } = known
  const caa = caaExpectation({ caaIdentities: domainsOf(values, 'caa-identity') }, authority)
  const tokens = cnameTokens.length > 0 ? cnameTokens : ['*']
  const fallback = platformDomain === undefined ? [] : tokens.map((token) => cnameTargetOf(token, platformDomain))
  return {
    hostname,
    cnameTargets: targets.length > 0 ? targets : fallback,
    publicAddresses: publicAddressesOf(values),
    platformDomains: [platformDomain, domainOf(values, 'sites-domain')].filter((name) => name !== undefined),
    ...(ownershipToken === undefined ? {} : { ownershipToken }),
    ...(caa ? { caa } : {}),
  }
}
