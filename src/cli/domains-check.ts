/** `petstore domains check HOST`: diagnoses the DNS of any name. Needs no store and no project. */

import type { OptionSpecs } from '../config/options.ts'
import { list, type OptionValues, text, UsageError } from '../config/values.ts'
import type { CheckOptions, CheckRequest } from '../dns/request.ts'
import { normalName } from '../dns/target.ts'
import { parseEndpoint, systemResolvers } from '../dns/wire/endpoint.ts'
import { canonicalAddress } from '../dns/wire/global-address.ts'
import type { Command, Invocation } from './command.ts'
import { describeReport } from './domains-report.ts'

/** The time limit of the whole command: resolving the platform's addresses, and the check. */
const maximumMs = 15_000

const repeatable = { type: 'string', multiple: true, commas: true } as const

/** The resolvers to use, and the records that the platform expects of a domain. */
export const dnsOptions = {
  'platform-domain': {
    type: 'string',
    value: 'NAME',
    help: 'the domain of the projects: CNAMEs must lead to a name below edge.NAME',
    default: 'none',
  },
  'cname-target': {
    ...repeatable,
    value: 'NAME',
    help: 'the name that the CNAME must have as its value; repeatable',
    default: 'any below edge. of the platform domain',
  },
  'public-address': {
    ...repeatable,
    value: 'IP',
    help: 'a public address of the service, for domains without a CNAME; repeatable',
    default: 'those of the platform domain',
  },
  'dns-resolver': {
    ...repeatable,
    value: 'IP[:PORT]',
    help: 'a recursive resolver; repeatable',
    default: "the system's",
  },
  'allow-private-addresses': {
    type: 'boolean',
    help: 'accept private and loopback addresses, and send queries to them',
    default: 'off',
  },
  'caa-identity': {
    ...repeatable,
    value: 'NAME',
    help: 'the certificate authority that CAA records must allow, such as letsencrypt.org; repeatable',
    default: 'none',
  },
} as const satisfies OptionSpecs

export const domainsCheck: Command = {
  name: 'domains check',
  summary: 'check the DNS of a domain and say how to fix it',
  details:
    'Queries every name server of the domain and each resolver, and changes nothing. Any name can be checked; no ' +
    'store, project or key is needed. Without --platform-domain it does not check where the domain leads. It takes at ' +
    'most 15 seconds and exits with 1 if there is a fault. The terms are explained in docs/dns.md.',
  operands: 'HOST',
  arity: [1, 1],
  options: dnsOptions,
  examples: [
    'domains check www.shop.example',
    'domains check shop.example --platform-domain stores.example --json',
    'domains check www.shop.example --dns-resolver 1.1.1.1 --caa-identity letsencrypt.org',
  ],
  async run({ values, positionals, terminal }: Invocation) {
    const options = { ...checkOptions(values), signal: AbortSignal.timeout(maximumMs) }
    const platformDomain = platformDomainOf(values)
    const given = checkRequest(values, positionals[0] ?? '', platformDomain)
    // Loaded here, because the Public Suffix List would double the time that every other command takes to start.
    const [{ checkDomain }, { checkPlatform, resolveAddresses }] = await Promise.all([
      import('../dns/check.ts'),
      import('../dns/platform.ts'),
    ])
    const isResolved = platformDomain !== undefined && given.publicAddresses?.length === 0
    const publicAddresses = isResolved ? await resolveAddresses(platformDomain, options) : (given.publicAddresses ?? [])
    const request = { ...given, publicAddresses }
    const [checked, platform] = await Promise.all([
      checkDomain(request, options),
      platformDomain === undefined ? [] : checkPlatform(platformDomain, publicAddresses, options),
    ])
    const report = { ...checked, findings: [...checked.findings, ...platform] }
    terminal.out(values['json'] ? `${JSON.stringify(report)}\n` : describeReport(report, terminal))
    return report.findings.some(({ severity }) => severity === 'error') ? 1 : 0
  },
}

/** The resolvers of the command line, or else those of the system. Throws `UsageError` for an invalid address. */
export function checkOptions(values: OptionValues): CheckOptions {
  const given = list(values, 'dns-resolver').map((one) => {
    const endpoint = parseEndpoint(one)
    if (!endpoint)
      throw new UsageError(`--dns-resolver must be an address such as 1.1.1.1 or [::1]:5353, not "${one}".`)
    return endpoint
  })
  return {
    resolvers: given.length > 0 ? given : systemResolvers(),
    allowPrivateAddresses: values['allow-private-addresses'] === true,
  }
}

function checkRequest(values: OptionValues, hostname: string, platformDomain: string | undefined): CheckRequest {
  const publicAddresses = list(values, 'public-address').map((one) => {
    const address = canonicalAddress(one)
    if (address === undefined) throw new UsageError(`--public-address must be an IP address, not "${one}".`)
    return address
  })
  const targets = list(values, 'cname-target').map((one) => domainOption('cname-target', one))
  const identities = list(values, 'caa-identity').map((one) => domainOption('caa-identity', one))
  const fallback = platformDomain === undefined ? [] : [`*.edge.${platformDomain}`]
  return {
    hostname,
    cnameTargets: targets.length > 0 ? targets : fallback,
    publicAddresses,
    platformDomains: platformDomain === undefined ? [] : [platformDomain],
    ...(identities.length > 0 ? { caa: { identities, method: 'http-01' } } : {}),
  }
}

function platformDomainOf(values: OptionValues): string | undefined {
  const given = text(values, 'platform-domain')
  return given === undefined ? undefined : domainOption('platform-domain', given)
}

function domainOption(option: string, given: string): string {
  const name = normalName(given)
  if (!/^([a-z0-9_](-*[a-z0-9_])*\.)+[a-z0-9](-*[a-z0-9])*$/.test(name) || name.length > 253) {
    throw new UsageError(`--${option} must be a domain name such as stores.example, not "${given}".`)
  }
  return name
}
