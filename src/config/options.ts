/** Declarations of options: parsing, `petstore help` and the completions are all generated from them. */

import { environments } from '../environment.ts'
import { logLevels } from '../lib/log.ts'

export interface OptionSpec {
  readonly type: 'string' | 'boolean'
  /** The option may be repeated. */
  readonly multiple?: boolean
  /** A value is a list, separated by commas. */
  readonly commas?: boolean
  /** The name of the value in the help, in capitals. */
  readonly value?: string
  /** A description of the option, without its default and choices. */
  readonly help: string
  /** The default as the help shows it, such as `./data`, `none` or `off`; `required` if there is none. */
  readonly default: string
  /** The accepted values, for the help and the completions. */
  readonly choices?: readonly string[]
  /** The value is a path: completions offer files or directories. */
  readonly path?: 'file' | 'directory'
}
export type OptionSpecs = Readonly<Record<string, OptionSpec>>

/** Options of every command. */
export const commonOptions = {
  data: { type: 'string', value: 'DIR', help: 'the data directory', default: './data', path: 'directory' },
  environment: {
    type: 'string',
    value: 'NAME',
    help: 'the environment',
    default: 'production',
    choices: environments,
  },
  json: { type: 'boolean', help: 'print one JSON document instead of text', default: 'off' },
} as const satisfies OptionSpecs

/** Where the service listens, and the addresses that the OpenAPI document lists. */
export const addressOptions = {
  host: { type: 'string', value: 'ADDRESS', help: 'the address to listen on', default: '127.0.0.1' },
  port: {
    type: 'string',
    value: 'N',
    help: 'the port to listen on; 0 picks a free one',
    default: '8080, staging 8081',
  },
  'base-url': {
    type: 'string',
    value: 'URL',
    help: 'the public address of the production API; ends in /v1',
    default: 'from host and port',
  },
  'staging-base-url': {
    type: 'string',
    value: 'URL',
    help: 'the public address of the staging API; ends in /v1',
    default: 'from host and port',
  },
} as const satisfies OptionSpecs

export const serveOptions = {
  ...addressOptions,
  'cors-origin': {
    type: 'string',
    multiple: true,
    commas: true,
    value: 'ORIGIN',
    help: 'an origin whose pages may call the API from a browser; repeatable',
    default: 'none',
  },
  'trusted-proxy': {
    type: 'string',
    multiple: true,
    commas: true,
    value: 'CIDR',
    help: 'a proxy whose X-Forwarded-For header is trusted; repeatable',
    default: 'none',
  },
  ephemeral: {
    type: 'boolean',
    help: 'keep everything in memory and delete it at exit, for test suites',
    default: 'off',
  },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    help: 'the lowest severity of the log lines that are printed',
    default: 'info',
    choices: logLevels,
  },
} as const satisfies OptionSpecs
