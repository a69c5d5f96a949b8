/**
 * Flags and environment, made one validated, frozen configuration. Nothing else reads the environment.
 */

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultPorts, type Environment, environments } from './environment.ts'
import { messageOf } from './lib/error.ts'
import { type LogLevel, logLevels } from './lib/log.ts'
import { type Network, parseNetwork } from './lib/network.ts'

/** A command line that makes no sense; its message says in one line what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export interface OptionSpec {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
  /** Stands for the value in the help. */
  readonly value?: string
  readonly help: string
}
export type OptionSpecs = Readonly<Record<string, OptionSpec>>

export type OptionValue = string | boolean | readonly string[] | undefined
export type OptionValues = Readonly<Record<string, OptionValue>>
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

export const commonOptions = {
  data: { type: 'string', value: 'DIR', help: 'where everything lives (default ./data)' },
  environment: { type: 'string', value: 'NAME', help: 'production (default) or staging' },
  json: { type: 'boolean', help: 'print one JSON document instead of text' },
} as const satisfies OptionSpecs

export const serveOptions = {
  host: { type: 'string', value: 'ADDRESS', help: 'address to listen on (default 127.0.0.1)' },
  port: { type: 'string', value: 'N', help: 'port to listen on, 0 for a free one (default 8080, staging 8081)' },
  'base-url': { type: 'string', value: 'URL', help: 'public address of the production API, ends in /v1' },
  'staging-base-url': { type: 'string', value: 'URL', help: 'public address of the staging API, ends in /v1' },
  'cors-origin': {
    type: 'string',
    multiple: true,
    value: 'ORIGIN',
    help: 'origin whose pages may call the API from a browser (repeatable)',
  },
  'trusted-proxy': {
    type: 'string',
    multiple: true,
    value: 'CIDR',
    help: 'proxy whose X-Forwarded-For is believed (repeatable)',
  },
  ephemeral: { type: 'boolean', help: 'keep everything in memory and forget it at exit: for test suites' },
  'log-level': { type: 'string', value: 'LEVEL', help: `one of ${logLevels.join(', ')} (default info)` },
} as const satisfies OptionSpecs

/** Which store a command works on. */
export interface StoreConfig {
  /** Absolute. */
  readonly dataDirectory: string
  readonly environment: Environment
}

export interface ServeConfig extends StoreConfig {
  readonly host: string
  readonly port: number
  readonly baseUrl: string | undefined
  readonly stagingBaseUrl: string | undefined
  readonly corsOrigins: readonly string[]
  readonly trustedProxies: readonly Network[]
  readonly ephemeral: boolean
  readonly json: boolean
  readonly logLevel: LogLevel
}

/**
 * The values of `specs` in a command line, or else in `PETSTORE_…` variables (repeatable ones separated
 * by commas), and what stands beside them. Throws `UsageError` for what is not in `specs`.
 */
export function readOptions(specs: OptionSpecs, args: readonly string[], variables: EnvironmentVariables) {
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  )
  const { values, positionals } = parse()
  const fromEnvironment = Object.entries(specs).flatMap(([name, spec]) => {
    const variable = `PETSTORE_${name.toUpperCase().replaceAll('-', '_')}`
    const text = variables[variable]
    return text === undefined || text === '' ? [] : [[name, readVariable(variable, spec, text)] as const]
  })
  // An unset variable of the shell makes `--data "$DIR"` empty, which must not mean the current folder.
  const empty = Object.keys(values).find((name) => [values[name]].flat().includes(''))
  if (empty !== undefined) throw new UsageError(`--${empty} must not be empty.`)
  return { values: { ...Object.fromEntries(fromEnvironment), ...values } as OptionValues, positionals }

  function parse() {
    try {
      return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    } catch (error) {
      throw new UsageError(
        `${messageOf(error)
          .split(/\. |\n/)[0]
          ?.replace(/\.$/, '')}. See: petstore help`,
      )
    }
  }
}

function readVariable(variable: string, spec: OptionSpec, text: string): OptionValue {
  if (spec.type === 'boolean') {
    if (/^(1|true|yes|on)$/i.test(text)) return true
    if (/^(0|false|no|off)$/i.test(text)) return false
    throw new UsageError(`${variable} must be true or false, not "${text}".`)
  }
  return spec.multiple ? text.split(',').map((part) => part.trim()) : text
}

export function storeConfig(values: OptionValues): StoreConfig {
  return Object.freeze({
    dataDirectory: resolve(text(values, 'data') ?? 'data'),
    environment: oneOf('environment', environments, text(values, 'environment') ?? 'production'),
  })
}

/** Throws `UsageError` naming the option that is wrong. */
export function serveConfig(values: OptionValues): ServeConfig {
  const store = storeConfig(values)
  return Object.freeze({
    ...store,
    host: text(values, 'host') ?? '127.0.0.1',
    port: wholeNumber('--port', text(values, 'port') ?? String(defaultPorts[store.environment]), 0, 65_535),
    baseUrl: baseUrl('base-url', text(values, 'base-url')),
    stagingBaseUrl: baseUrl('staging-base-url', text(values, 'staging-base-url')),
    corsOrigins: list(values, 'cors-origin').map(origin),
    trustedProxies: list(values, 'trusted-proxy').map(network),
    ephemeral: values['ephemeral'] === true,
    json: values['json'] === true,
    logLevel: oneOf('log-level', logLevels, text(values, 'log-level') ?? 'info'),
  })
}

export function text(values: OptionValues, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export function list(values: OptionValues, name: string): readonly string[] {
  const value = values[name]
  return Array.isArray(value) ? value : []
}

/** Throws `UsageError` unless `given` is one of `allowed`. */
export function oneOf<const T extends string>(name: string, allowed: readonly T[], given: string): T {
  const found = allowed.find((value) => value === given.toLowerCase())
  if (found === undefined) throw new UsageError(`--${name} must be one of ${allowed.join(', ')}, not "${given}".`)
  return found
}

/** Throws `UsageError` unless `given` is a whole number in plain digits within the bounds. */
export function wholeNumber(what: string, given: string, minimum: number, maximum: number): number {
  const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
  if (!(number >= minimum && number <= maximum)) {
    throw new UsageError(`${what} must be a whole number from ${minimum} to ${maximum}, not "${given}".`)
  }
  return number
}

function baseUrl(name: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && url.pathname.endsWith('/v1') && !url.search && !url.hash
  if (!isPlain) throw new UsageError(`--${name} must be an http or https address that ends in /v1, not "${given}".`)
  return given
}

function origin(given: string): string {
  if (given === '*') return given
  if (URL.canParse(given) && new URL(given).origin === given) return given
  throw new UsageError(`--cors-origin must be an origin such as https://shop.example, not "${given}".`)
}

function network(given: string): Network {
  const parsed = parseNetwork(given)
  if (!parsed)
    throw new UsageError(`--trusted-proxy must be an address or CIDR block such as 10.0.0.0/8, not "${given}".`)
  return parsed
}
