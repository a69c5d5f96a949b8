/** Checks the DNS of any name and stores nothing: for a domain of a project, against the records of that project. */

import {
  dnsResolversOf,
  domainOf,
  domainsOf,
  platformDomainOf,
  publicAddressesOf,
  resolversOf,
} from '../../../config/hosting.ts'
import { type OptionValues, UsageError } from '../../../config/values.ts'
import { type HttpProbe, probeFindings } from '../../../dns/http-probe.ts'
import type { Report } from '../../../dns/report.ts'
import type { CaaExpectation, CheckOptions, CheckRequest } from '../../../dns/request.ts'
import { AppError } from '../../../lib/error.ts'
import type { ProjectStore } from '../../projects/store.ts'
import { cnameTargetOf } from '../../projects/view.ts'
import { aLabelForm } from '../hostname.ts'
import type { NewDomainCheck } from '../schemas.ts'
import type { DomainStore } from '../store.ts'
import type { Platform } from './platform.ts'

/** The time limit of a whole check: resolving the platform's addresses, DNS and the probe. */
const maximumMs = 15_000

export interface DomainCheck extends Report {
  readonly platformDomain: string | null
  /** Empty if they are not known: then it is not checked whether addresses lead here. */
  readonly publicAddresses: readonly string[]
  readonly caaIdentities: readonly string[]
  /** Whether a page was fetched from the public addresses, as it is for a name that leads here. */
  readonly isProbed: boolean
}

/** The options of `petstore domains check` by the members of the request. */
export const optionOf = {
  cnameTargets: 'cname-target',
  platformDomain: 'platform-domain',
  sitesDomain: 'sites-domain',
  publicAddresses: 'public-address',
  dnsResolvers: 'dns-resolver',
  allowPrivateAddresses: 'allow-private-addresses',
  caaIdentities: 'caa-identity',
} as const satisfies Readonly<Record<Exclude<keyof NewDomainCheck, 'hostname'>, string>>

/** The facts that a service has about a name and about itself. */
export interface Known {
  /** Of the project that holds the name, or else of each that claims it; empty if none does. */
  readonly cnameTokens: readonly string[]
  /** The value of the TXT record, if the name needs one. */
  readonly ownershipToken?: string | undefined
  readonly caa?: CaaExpectation | undefined
  /** Undefined where no service listens. */
  readonly probe?: HttpProbe | undefined
  /** Replaces how servers are queried, for tests. */
  readonly dns?: Partial<CheckOptions> | undefined
}

export interface AnyNameParts {
  readonly domains: Pick<DomainStore, 'claimsOf' | 'wasHeldByAnother' | 'tokenOf'>
  readonly projects: Pick<ProjectStore, 'find'>
  readonly hostingSettings: { read(): OptionValues }
  readonly platform: Pick<Platform, 'caa' | 'probe'> | undefined
  readonly dns?: Partial<CheckOptions> | undefined
}

/** The check by a service. Throws `invalid_body` for an invalid option. */
export async function checkAnyName(parts: AnyNameParts, { hostname, ...given }: NewDomainCheck): Promise<DomainCheck> {
  const options = Object.entries(given).map(([member, value]) => [optionOf[member as keyof typeof optionOf], value])
  const values = { ...parts.hostingSettings.read(), ...Object.fromEntries(options) }
  const { platform, dns } = parts
  try {
    const known = { ...knownOf(parts, hostname), caa: platform?.caa(), probe: platform?.probe, dns }
    return await diagnose(hostname, values, known)
  } catch (error) {
    throw error instanceof UsageError ? invalidMember(error) : error
  }
}

/** The message of an invalid option begins with its name. */
function invalidMember(error: UsageError): AppError {
  const members = new Map(Object.entries(optionOf).map(([member, option]) => [`--${option}`, member]))
  const message = error.message.replace(/^--[a-z-]+/, (option) => members.get(option) ?? option)
  return new AppError('invalid_body', message, { cause: error })
}

function knownOf({ domains, projects }: AnyNameParts, given: string): Known {
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

/** Checks a name with the options `values`. Throws `UsageError` for an invalid one. */
export async function diagnose(hostname: string, values: OptionValues, known: Known): Promise<DomainCheck> {
  const platformDomain = platformDomainOf(values)
  const sitesDomain = domainOf(values, 'sites-domain')
  const caa = caaOf(values, known.caa)
  const request = requestFor(hostname, values, known)
  const signal = AbortSignal.timeout(maximumMs)
  const options: CheckOptions = {
    resolvers: resolversOf({ dnsResolvers: dnsResolversOf(values) }),
    allowPrivateAddresses: values['allow-private-addresses'] === true,
    ...known.dns,
    signal,
  }
  // Loaded here, because the Public Suffix List would double the time that every start takes.
  const [{ checkDomain }, { checkPlatform, resolveAddresses }] = await Promise.all([
    import('../../../dns/check.ts'),
    import('../../../dns/platform.ts'),
  ])
  const given = publicAddressesOf(values)
  const isGiven = given.length > 0 || platformDomain === undefined
  const publicAddresses = isGiven ? given : await resolveAddresses(platformDomain, options)
  const [report, platformFindings] = await Promise.all([
    checkDomain({ ...request, publicAddresses, ...(caa ? { caa } : {}) }, options),
    platformDomain === undefined ? [] : checkPlatform(platformDomain, publicAddresses, options, sitesDomain),
  ])
  const probe = report.routing === 'verified' ? known.probe : undefined
  const probed = probe ? await probeFindings(probe, report.hostname, publicAddresses, signal) : []
  return {
    ...report,
    findings: [...report.findings, ...probed, ...platformFindings],
    platformDomain: platformDomain ?? null,
    publicAddresses,
    caaIdentities: caa?.identities ?? [],
    isProbed: probe !== undefined,
  }
}

/** The authority that is known, but with the names that the options give. */
function caaOf(values: OptionValues, known: CaaExpectation | undefined): CaaExpectation | undefined {
  const identities = domainsOf(values, 'caa-identity')
  return identities.length > 0 ? { method: 'http-01', ...known, identities } : known
}

function requestFor(hostname: string, values: OptionValues, { cnameTokens, ownershipToken }: Known): CheckRequest {
  const platformDomain = platformDomainOf(values)
  const targets = domainsOf(values, 'cname-target')
  const tokens = cnameTokens.length > 0 ? cnameTokens : ['*']
  const fallback = platformDomain === undefined ? [] : tokens.map((token) => cnameTargetOf(token, platformDomain))
  return {
    hostname,
    cnameTargets: targets.length > 0 ? targets : fallback,
    platformDomains: [platformDomain, domainOf(values, 'sites-domain')].filter((name) => name !== undefined),
    ...(ownershipToken === undefined ? {} : { ownershipToken }),
  }
}
