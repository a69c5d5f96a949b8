/**
 * The part of `petstore serve` that concerns hosting: the public listeners, their faults, and the lines of the start.
 */

import { type Hosting, type HostingApp, startHosting } from '../../app/start-hosting.ts'
import type { RunningServer } from '../../app/start-server.ts'
import type { ServeConfig } from '../../config/config.ts'
import type { HostingConfig } from '../../config/hosting.ts'
import type { OptionValues } from '../../config/values.ts'
import type { StartOptions } from '../../hosting/settings.ts'
import type { Environment } from '../../lib/environment.ts'
import { AppError } from '../../lib/error.ts'
import type { Log } from '../../lib/log.ts'
import { shellWord } from '../../lib/shell-words.ts'
import { codeOf, systemReason } from '../../lib/system-error.ts'
import { ListenError } from '../../server/public-listeners.ts'
import { plural } from '../terminal/output.ts'

/** Starts hosting if it is on. Throws an `AppError` that says why it can't, and what to do. */
export async function openHosting(
  { hosting, trustedProxies }: Pick<ServeConfig, 'hosting' | 'trustedProxies'>,
  app: HostingApp,
  { platform, handler, port }: RunningServer,
): Promise<Hosting | undefined> {
  if (hosting === undefined) return undefined
  try {
    return await startHosting(app, { hosting, trustedProxies, platform, handler })
  } catch (error) {
    throw explainedListenError(error, port)
  }
}

/** The error itself, but a `ListenError` as an `AppError` that says what to do. `apiPort` is the one of `--port`. */
export function explainedListenError(error: unknown, apiPort: number | undefined): unknown {
  return error instanceof ListenError ? new AppError('conflict', explain(error, apiPort), { cause: error }) : error
}

/** One line: the cause, and every way out. */
function explain({ host, port, option, cause }: ListenError, apiPort: number | undefined): string {
  const at = `Can't listen on the public port ${port}`
  const code = codeOf(cause)
  if (code === 'EACCES') {
    const other = option === 'http-port' ? 8000 : 8443
    return (
      `${at}: ports below 1024 need a privilege. Grant it with "sudo setcap cap_net_bind_service=+ep PATH-OF-PETSTORE", ` +
      `or with "sudo petstore service install", which makes a service that has it, or let the router forward port ${port} to another ` +
      `one of this machine: --${option} ${other}.`
    )
  }
  if (code === 'EADDRINUSE' && port === apiPort) {
    return `${at}: it is the port of --port. Choose another one with --${option} or --port.`
  }
  if (code === 'EADDRINUSE') {
    return (
      `${at}: it is in use, perhaps by another web server. Stop that, or choose another port with --${option}; a router ` +
      `or proxy must then forward port ${option === 'http-port' ? 80 : 443} of the public address to it.`
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL') {
    return `${at} of ${host}: it is not an address of this machine. Choose another with --public-host.`
  }
  return `${at} of ${host}: ${systemReason(cause)}. Choose others with --public-host and --${option}.`
}

/** The lines of the start message, with a column of `width` characters for the names. */
export function hostingLines(
  app: HostingApp,
  hosting: HostingConfig,
  { host, httpPort, httpsPort }: Hosting,
  width: number,
): string[] {
  const line = (name: string, value: string) => `  ${name.padEnd(width)}${value}`
  if (hosting.isLocal) return [line('Sites', `http://*.${hosting.sitesDomain}:${httpPort}, on this machine alone`)]
  const { sitesDomain, platformDomain, publicAddresses } = hosting
  const addresses =
    publicAddresses.length > 0 ? publicAddresses.join(', ') : `the addresses that ${platformDomain} has in the DNS`
  const ports = `HTTP on ${httpPort}, ${httpsPort === undefined ? 'HTTPS by a proxy' : `HTTPS on ${httpsPort}`}`
  return [
    line('Sites', `https://*.${sitesDomain}`),
    line(
      'Public',
      `https://api.${platformDomain} (${ports}${host === '::' ? '' : ` of ${host}`})${lacksCertificate(app, hosting) ? `, ${onceCertified}` : ''}`,
    ),
    line('Addresses', addresses),
  ]
}

const onceCertified = 'once it has its certificate'

/** Whether browsers can't open the address of the API over HTTPS yet. */
function lacksCertificate({ hostingParts }: HostingApp, { platformCert, platformDomain }: HostingConfig): boolean {
  const { certificates } = hostingParts
  if (certificates === undefined || platformCert !== undefined) return false
  return ![...certificates.usable()].some(({ serverName }) => serverName === `api.${platformDomain}`)
}

/** The address of the dashboard for the start message: that of the listener while the public one has no certificate. */
export function dashboardLine(
  app: HostingApp,
  hosting: HostingConfig | undefined,
  address: string,
  url: string,
): string {
  const isWaiting =
    hosting && new URL(address).hostname === `api.${hosting.platformDomain}` && lacksCertificate(app, hosting)
  return isWaiting ? `${url}/dashboard/ (${address}/ ${onceCertified})` : `${address}/`
}

/** Lines on what an owner might not expect of this start. */
export function hostingNotes(
  environment: Environment,
  app: HostingApp,
  hosting: Hosting | undefined,
  { reused, dropped }: StartOptions,
): string[] {
  const offline = hosting === undefined && app.projects.hasPublished()
  const ports = hosting && portLine(environment, app, hosting)
  return [
    ...(hasAny(reused)
      ? [`Hosting uses these options of the last start: ${optionWords(reused)}. --platform-domain off turns it off.`]
      : []),
    ...(hosting && hasAny(dropped) ? [`Options of the last start that no longer apply: ${optionWords(dropped)}.`] : []),
    ...(hosting === undefined && hasAny(dropped) ? [turnedOff(app, dropped)] : []),
    ...(offline ? ['Hosting is off: no website is served. Turn it on with --platform-domain NAME.'] : []),
    ...(ports === undefined ? [] : [ports]),
  ]
}

/** What `--platform-domain off` has ended. */
function turnedOff({ projects, domains }: HostingApp, options: OptionValues): string {
  const sites = projects.published().length
  const names = domains
    .countsByStatus()
    .filter(({ status }) => status === 'verified' || status === 'drifted')
    .reduce((sum, { count }) => sum + count, 0)
  const offline = `${plural(sites, 'website')} and ${plural(names, 'domain')} are offline`
  return `--platform-domain off has turned hosting off. Its options were: ${optionWords(options)}. ${offline}.`
}

/** The error of a start that can't open its public ports: it may not know that it has any. */
export function withReused(error: unknown, { reused }: StartOptions): unknown {
  if (!(error instanceof AppError) || !hasAny(reused)) return error
  const note = `Hosting uses the options of the last start (${optionWords(reused)}); --platform-domain off turns it off.`
  return new AppError(error.code, `${error.message} ${note}`, { cause: error })
}

const hasAny = (options: OptionValues) => Object.keys(options).length > 0

/** Options as a command line has them. */
function optionWords(options: OptionValues): string {
  return Object.entries(options)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => ({ name, one })))
    .map(({ name, one }) => (one === true ? `--${name}` : `--${name} ${shellWord(String(one))}`))
    .join(' ')
}

/**
 * A line about a staging environment that gets no certificates beside production: the authority connects to port 80
 * (RFC 8555, section 8.3). Undefined if that is its port, or it orders none.
 */
function portLine(environment: Environment, { hostingParts }: HostingApp, { httpPort }: Hosting): string | undefined {
  if (environment !== 'staging' || hostingParts.certificates === undefined || httpPort === 80) return undefined
  return (
    `Staging gets certificates only if port 80 of its public address is forwarded to port ${httpPort} of this machine. ` +
    "Port 80 of production's address is for production: give staging its own address or machine."
  )
}

/** The note on the terms of the certificate authority, with their address if it is known from an earlier start. */
export function termsLines(hosting: HostingConfig, { hostingParts }: HostingApp): string[] {
  const { certificates } = hostingParts
  if (certificates === undefined) return []
  const authority = new URL(hosting.acmeDirectory).host
  const terms = certificates.authority().termsOfService
  const where = terms === undefined ? 'its terms of service' : `its terms of service: ${terms}`
  return [`Certificates come from ${authority}. Using it means accepting ${where}`, '']
}

/** Logs the address of the terms once the authority has published it. Never rejects. */
export async function logTerms({ hostingParts }: HostingApp, log: Log): Promise<void> {
  const { certificates } = hostingParts
  const known = certificates?.authority().termsOfService
  if (certificates === undefined) return
  try {
    const { termsOfService } = await certificates.fetchAuthority(AbortSignal.timeout(30_000))
    if (termsOfService === undefined || termsOfService === known) return
    log.info('using the certificate authority means accepting its terms of service', { terms: termsOfService })
  } catch {
    // The orders report an authority that can't be reached.
  }
}
