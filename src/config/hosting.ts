/** The configuration of hosting. Without a platform domain hosting is off. */

import { resolve } from 'node:path'
import { type Endpoint, parseEndpoint, systemResolvers } from '../dns/wire/endpoint.ts'
import { canonicalAddress, reservedUse } from '../dns/wire/global-address.ts'
import type { Environment } from '../lib/environment.ts'
import { isMailbox, mailboxRule } from '../lib/mailbox.ts'
import { hostingOptions } from './hosting-options.ts'
import { list, type OptionValues, text, UsageError, wholeNumber } from './values.ts'

export interface HostingConfig {
  /** In lower case, without final dot, like every name here. */
  readonly platformDomain: string
  /** The domain whose labels are the slugs; it may be the platform's own. */
  readonly sitesDomain: string
  /** Whether the names are below `.localhost`, to try hosting out on this machine: over HTTP, on loopback alone. */
  readonly isLocal?: boolean
  /** The address of the public listeners. */
  readonly publicHost: string
  /** 0 picks a free one. */
  readonly httpPort: number
  /** `off`: a trusted proxy ends TLS, or `isLocal`, and no certificates are ordered. */
  readonly httpsPort: number | 'off'
  /** Absolute path of a wildcard certificate for the slugs, in PEM. */
  readonly platformCert?: string | undefined
  /** Absolute path of its private key. */
  readonly platformKey?: string | undefined
  /** The given public addresses of this machine; if empty, those of the platform domain count. */
  readonly publicAddresses: readonly string[]
  /** The given recursive resolvers; if empty, those of the system count (`resolversOf`). */
  readonly dnsResolvers: readonly Endpoint[]
  readonly allowPrivateAddresses: boolean
  /** URL of the ACME directory (RFC 8555 section 7.1.1). */
  readonly acmeDirectory: string
  readonly acmeEmail?: string | undefined
  /** External account binding (RFC 8555 section 7.3.4); `key` is base64url. */
  readonly acmeEab?: { readonly kid: string; readonly key: string } | undefined
  /** The given CAA names of the certificate authority; if empty, those of its directory count. */
  readonly caaIdentities: readonly string[]
}

/** The default ports of the public listeners. */
export const publicPorts: Readonly<Record<Environment, { readonly http: number; readonly https: number }>> = {
  production: { http: 80, https: 443 },
  staging: { http: 8082, https: 8443 },
}

const acmeDirectories: Readonly<Record<Environment, string>> = {
  production: 'https://acme-v02.api.letsencrypt.org/directory',
  staging: 'https://acme-staging-v02.api.letsencrypt.org/directory',
}

/** The default port below `.localhost`, which needs no privilege. */
const localPorts: Readonly<Record<Environment, number>> = { production: 8088, staging: 8089 }

/** Whether browsers find a name on their own machine, without DNS (RFC 6761, section 6.3). */
const isLocalName = (name: string) => name.endsWith('.localhost')

/** Below `.localhost` there is no network, and so neither a certificate nor a public address. */
function checkLocal(values: OptionValues, sitesDomain: string): void {
  const [useless] = ['public-host', 'https-port', 'platform-cert', 'platform-key'].filter((name) => values[name])
  if (useless !== undefined) {
    throw new UsageError(
      `--${useless} has no use with a --platform-domain below .localhost, which is for this machine.`,
    )
  }
  if (!isLocalName(sitesDomain))
    throw new UsageError('--sites-domain must be below .localhost, like --platform-domain.')
  if (text(values, 'http-port') === '0') throw new UsageError('--http-port must not be 0 below .localhost.')
}

/** Whether `--platform-domain off` turns hosting off. */
export function isHostingOff(values: OptionValues): boolean {
  return text(values, 'platform-domain')?.toLowerCase() === 'off'
}

/** The platform domain; undefined without one. Throws `UsageError` for a value that is not a domain name. */
export function platformDomainOf(values: OptionValues): string | undefined {
  return isHostingOff(values) ? undefined : domainOf(values, 'platform-domain')
}

/**
 * Undefined without `--platform-domain`, or if that is off: then the other options have no effect. Throws `UsageError`
 * with the name of the first invalid option.
 */
export function hostingConfig(values: OptionValues, environment: Environment): HostingConfig | undefined {
  const platformDomain = platformDomainOf(values)
  if (platformDomain === undefined) {
    if (isHostingOff(values)) return undefined
    const stray = Object.keys(hostingOptions).find((name) => values[name] !== undefined && values[name] !== false)
    if (stray === undefined) return undefined
    throw new UsageError(`--${stray} needs --platform-domain, which turns hosting on.`)
  }
  const sitesDomain = domainOf(values, 'sites-domain') ?? platformDomain
  checkDomains(platformDomain, sitesDomain)
  const isLocal = isLocalName(platformDomain)
  if (isLocal) checkLocal(values, sitesDomain)
  const httpPort = portOf(values, 'http-port', isLocal ? localPorts[environment] : publicPorts[environment].http)
  const httpsPort = isLocal ? 'off' : httpsPortOf(values, publicPorts[environment].https)
  if (httpPort !== 0 && httpPort === httpsPort) {
    throw new UsageError('--http-port and --https-port must be different ports.')
  }
  return Object.freeze({
    platformDomain,
    sitesDomain,
    isLocal,
    publicHost: isLocal ? '127.0.0.1' : publicHostOf(values),
    httpPort,
    httpsPort,
    ...wildcardOf(values, httpsPort),
    publicAddresses: publicAddressesOf(values),
    dnsResolvers: dnsResolversOf(values),
    allowPrivateAddresses: values['allow-private-addresses'] === true,
    acmeDirectory: acmeDirectoryOf(values, environment),
    acmeEmail: emailOf(values),
    acmeEab: bindingOf(values),
    caaIdentities: domainsOf(values, 'caa-identity'),
  })
}

/** The recursive resolvers to use: the given ones, or else those of the system. */
export function resolversOf({ dnsResolvers }: Pick<HostingConfig, 'dnsResolvers'>): readonly Endpoint[] {
  return dnsResolvers.length > 0 ? dnsResolvers : systemResolvers()
}

/** The values of `--dns-resolver`. Throws `UsageError` for one that is not an address. */
export function dnsResolversOf(values: OptionValues): Endpoint[] {
  return list(values, 'dns-resolver').map((one) => {
    const endpoint = parseEndpoint(one)
    if (endpoint) return endpoint
    throw new UsageError(`--dns-resolver must be an address such as 1.1.1.1 or [::1]:5353, not "${one}".`)
  })
}

/**
 * The values of `--public-address`. Throws `UsageError` for one that is not an address, or that visitors can't reach.
 */
export function publicAddressesOf(values: OptionValues): string[] {
  return list(values, 'public-address').map((one) => {
    const address = canonicalAddress(one)
    const use = address === undefined ? undefined : reservedUse(address)
    if (use !== undefined && values['allow-private-addresses'] !== true) {
      throw new UsageError(
        `--public-address must be an address that the internet reaches, not ${one} (${use}). In a private network, add --allow-private-addresses.`,
      )
    }
    if (address !== undefined) return address
    throw new UsageError(`--public-address must be an IP address, not "${one}".`)
  })
}

/** The value of an option that is a domain name, in lower case. Throws `UsageError` for any other value. */
export function domainOf(values: OptionValues, option: string): string | undefined {
  const given = text(values, option)
  return given === undefined ? undefined : domainName(option, given)
}

/** Like `domainOf` for a repeatable option. */
export function domainsOf(values: OptionValues, option: string): string[] {
  return list(values, option).map((one) => domainName(option, one))
}

function domainName(option: string, given: string): string {
  const name = given.trim().toLowerCase().replace(/\.$/, '')
  const isDomain = /^([a-z0-9_](-*[a-z0-9_]){0,62}\.)+[a-z0-9](-*[a-z0-9]){0,62}$/.test(name)
  const fits = name.length <= 253 && name.split('.').every((label) => label.length <= 63)
  if (isDomain && fits && !/^[\d.]+$/.test(name)) return name
  throw new UsageError(`--${option} must be a domain name such as stores.example, not "${given}".`)
}

/** The names of the platform must differ from those of the sites of others. */
function checkDomains(platformDomain: string, sitesDomain: string): void {
  if (sitesDomain === platformDomain) return
  const own = ['api', 'edge'].map((label) => `${label}.${platformDomain}`)
  if (own.some((name) => name === sitesDomain || sitesDomain.endsWith(`.${name}`))) {
    throw new UsageError(`--sites-domain must not be ${sitesDomain}: this name belongs to the platform itself.`)
  }
  if (platformDomain.endsWith(`.${sitesDomain}`)) {
    throw new UsageError('--sites-domain must not contain the platform domain: a project could have its name.')
  }
}

function publicHostOf(values: OptionValues): string {
  const given = text(values, 'public-host') ?? '::'
  const address = canonicalAddress(given)
  if (address !== undefined) return address
  throw new UsageError(`--public-host must be an IP address such as 0.0.0.0 or ::, not "${given}".`)
}

function portOf(values: OptionValues, option: string, fallback: number): number {
  return wholeNumber(`--${option}`, text(values, option) ?? String(fallback), 0, 65_535)
}

function httpsPortOf(values: OptionValues, fallback: number): number | 'off' {
  const given = text(values, 'https-port')
  if (given?.toLowerCase() === 'off') return 'off'
  if (given === undefined || /^\d+$/.test(given)) return portOf(values, 'https-port', fallback)
  throw new UsageError(`--https-port must be a whole number from 0 to 65535 or off, not "${given}".`)
}

function wildcardOf(values: OptionValues, httpsPort: number | 'off') {
  const cert = text(values, 'platform-cert')
  const key = text(values, 'platform-key')
  if (cert === undefined && key === undefined) return {}
  if (cert === undefined || key === undefined) {
    throw new UsageError('--platform-cert and --platform-key must be given together.')
  }
  if (httpsPort === 'off') throw new UsageError('--platform-cert has no use with --https-port off.')
  return { platformCert: resolve(cert), platformKey: resolve(key) }
}

/** The directory of the certificate authority. Throws `UsageError` for an address that is none. */
function acmeDirectoryOf(values: OptionValues, environment: Environment): string {
  const given = text(values, 'acme-directory')
  if (given === undefined) return acmeDirectories[environment]
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isLocal = url !== undefined && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return given
  throw new UsageError(`--acme-directory must be an https address, not "${given}".`)
}

function emailOf(values: OptionValues): string | undefined {
  const given = text(values, 'acme-email')
  if (given === undefined || isMailbox(given)) return given
  throw new UsageError(`--acme-email ${mailboxRule}.`)
}

function bindingOf(values: OptionValues): HostingConfig['acmeEab'] {
  const kid = text(values, 'acme-eab-kid')
  const key = text(values, 'acme-eab-key')
  if (kid === undefined && key === undefined) return undefined
  if (kid === undefined || key === undefined) {
    throw new UsageError('--acme-eab-kid and --acme-eab-key must be given together.')
  }
  // The key is a secret: the message must not repeat it.
  if (!/^[A-Za-z0-9_-]+={0,2}$/.test(key)) throw new UsageError('--acme-eab-key must be in base64url (RFC 4648).')
  return { kid, key }
}
