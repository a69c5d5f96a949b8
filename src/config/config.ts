/** The validated, frozen configuration of the service and the commands. Nothing else reads the environment. */

import { resolve } from 'node:path'
import type { StoreLocation } from '../database/environment.ts'
import { defaultPorts, type Environment, environments } from '../lib/environment.ts'
import { type LogLevel, logLevels } from '../lib/log.ts'
import { type ClockMode, clockModes } from '../lib/movable-clock.ts'
import { type Network, parseNetwork } from '../lib/network.ts'
import { type BackupConfig, backupConfig } from './backups.ts'
import { type BucketConfig, bucketConfig } from './bucket.ts'
import { type HostingConfig, hostingConfig } from './hosting.ts'
import { type MailConfig, mailConfig } from './mail.ts'
import { list, type OptionValues, oneOf, text, UsageError, wholeNumber } from './values.ts'

/** The store that a command works on. */
export type StoreConfig = StoreLocation

export interface ServeConfig extends StoreConfig {
  /** In the spelling of URLs, but an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
  readonly baseUrl: string | undefined
  readonly stagingBaseUrl: string | undefined
  /** The option that names the address of this environment. */
  readonly givenUrl: string | undefined
  readonly corsOrigins: readonly string[]
  readonly trustedProxies: readonly Network[]
  /** The networks besides the public internet to which webhooks may go. */
  readonly webhookNetworks: readonly Network[]
  /** Undefined for a store that is kept. */
  readonly ephemeral: EphemeralConfig | undefined
  readonly json: boolean
  readonly logLevel: LogLevel
  /** Absolute path of the file for the log; undefined for standard error. */
  readonly logFile: string | undefined
  /** The store that must be there; undefined if any store will do, or a new one. */
  readonly storeId: string | undefined
  /** Undefined if hosting is off. */
  readonly hosting: HostingConfig | undefined
  /** Undefined if the settings of the dashboard decide about the mail server. */
  readonly mail: MailConfig | undefined
  readonly backups: BackupConfig
  /**
   * The bucket to which backups are copied, and the recipients for whom they are encrypted, if the options name them.
   */
  readonly bucket: BucketConfig
}

/** The options of a store for tests. */
interface EphemeralConfig {
  /** Undefined for a new one. */
  readonly key: string | undefined
  readonly clock: ClockMode
  readonly exitsWithParent: boolean
}

/** Throws `UsageError` if the environment is unknown. */
export function storeConfig(values: OptionValues): StoreConfig {
  return Object.freeze({
    dataDirectory: resolve(text(values, 'data') ?? 'data'),
    environment: oneOf('environment', environments, text(values, 'environment') ?? 'production'),
  })
}

/** Throws `UsageError` with the name of the first invalid option. */
export function serveConfig(values: OptionValues): ServeConfig {
  const store = storeConfig(values)
  const hosting = hostingConfig(values, store.environment)
  const trustedProxies = list(values, 'trusted-proxy').map(networkOf('trusted-proxy'))
  if (hosting?.httpsPort === 'off' && !hosting.isLocal && trustedProxies.length === 0) {
    throw new UsageError('--https-port off needs --trusted-proxy with the address of the proxy that ends TLS.')
  }
  const hostedUrl = (environment: Environment) =>
    hosting !== undefined && !hosting.isLocal && environment === store.environment
      ? `https://api.${hosting.platformDomain}/v1`
      : undefined
  const given = {
    production: baseUrl('base-url', text(values, 'base-url')),
    staging: baseUrl('staging-base-url', text(values, 'staging-base-url')),
  }
  return Object.freeze({
    ...store,
    host: host(text(values, 'host') ?? '127.0.0.1'),
    port: wholeNumber('--port', text(values, 'port') ?? String(defaultPorts[store.environment]), 0, 65_535),
    baseUrl: given.production ?? hostedUrl('production'),
    stagingBaseUrl: given.staging ?? hostedUrl('staging'),
    givenUrl: given[store.environment],
    corsOrigins: list(values, 'cors-origin').map(origin),
    trustedProxies,
    webhookNetworks: list(values, 'webhook-network').map(networkOf('webhook-network')),
    ephemeral: ephemeralConfig(values),
    json: values['json'] === true,
    logLevel: oneOf('log-level', logLevels, text(values, 'log-level') ?? 'info'),
    logFile: text(values, 'log-file') === undefined ? undefined : resolve(text(values, 'log-file') ?? ''),
    storeId: text(values, 'store-id'),
    hosting,
    mail: mailConfig(values),
    backups: backupConfig(values),
    bucket: bucketConfig(values),
  })
}

function ephemeralConfig(values: OptionValues): EphemeralConfig | undefined {
  if (values['ephemeral'] === true) {
    return {
      key: text(values, 'key'),
      clock: oneOf('clock', clockModes, text(values, 'clock') ?? 'running'),
      exitsWithParent: values['exit-with-parent'] === true,
    }
  }
  const name = ['key', 'clock', 'exit-with-parent'].find((option) => values[option] !== undefined)
  if (name !== undefined) throw new UsageError(`--${name} is for test suites: it needs --ephemeral.`)
  return undefined
}

function host(given: string): string {
  const bare = given.replace(/^\[([^[\]]*)\]$/, '$1')
  // A URL takes a number for an IPv4 address, but except for 0 it is meant as a port.
  const isPort = /^\d+$/.test(bare) && Number(bare) !== 0
  // Anything else could be another part of a URL, such as a port. An address with a zone (fe80::1%eth0) has no URL.
  const url = !isPort && /^[\w.:-]+$/.test(bare) ? URL.parse(`http://${bare.includes(':') ? `[${bare}]` : bare}`) : null
  if (url) return url.hostname.replaceAll(/[[\]]/g, '')
  throw new UsageError(`--host must be an address such as 127.0.0.1 or ::1, or a host name, not "${given}".`)
}

function baseUrl(name: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const url = URL.parse(given)
  const isPlain = url && url.href === url.origin + url.pathname && /^https?:$/.test(url.protocol)
  // The OpenAPI document takes braces for variables.
  if (isPlain && url.pathname.endsWith('/v1') && !/[{}]/.test(given)) return url.href
  const rule = 'must be an http or https address that ends in /v1, without a user name, query or braces'
  throw new UsageError(`--${name} ${rule}, not "${given}".`)
}

function origin(given: string): string {
  if (given === '*' || (!given.includes('*') && URL.parse(given)?.origin === given)) return given
  throw new UsageError(`--cors-origin must be * or an origin such as https://shop.example, not "${given}".`)
}

function networkOf(option: string): (given: string) => Network {
  return (given) => {
    const parsed = parseNetwork(given)
    if (parsed) return parsed
    throw new UsageError(`--${option} must be an address or CIDR block such as 10.0.0.0/8, not "${given}".`)
  }
}
