/** Declarations of the options of `serve`. */

import { logLevels } from '../lib/log.ts'
import { clockModes } from '../lib/movable-clock.ts'
import { bucketOptions } from './bucket.ts'
import { hostingOptions } from './hosting-options.ts'
import type { OptionSpecs } from './options.ts'

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
    default: 'api. of the platform domain, or from host and port',
  },
  'staging-base-url': {
    type: 'string',
    value: 'URL',
    help: 'the public address of the staging API; ends in /v1',
    default: 'api. of the platform domain, or from host and port',
  },
} as const satisfies OptionSpecs

/** The mail server that sends the owner what needs attention. */
const mailOptions = {
  smtp: {
    type: 'string',
    value: 'URL',
    help: 'the mail server: smtps://USER@HOST:465, or smtp://USER@HOST:587 for STARTTLS',
    default: 'the one of the settings',
  },
  'mail-from': {
    type: 'string',
    value: 'EMAIL',
    help: 'the address of the sender',
    default: 'the user of --smtp',
  },
  'smtp-password-file': {
    type: 'string',
    value: 'FILE',
    help: 'the file with the password of --smtp; read again for each mail',
    default: 'none',
    path: 'file',
  },
  'smtp-password': {
    type: 'string',
    help: 'the password of --smtp; only as a variable, since others can read command lines',
    default: 'none',
    isVariableOnly: true,
  },
} as const satisfies OptionSpecs

/** The schedule of backups, and which are kept. */
const backupOptions = {
  'backup-at': {
    type: 'string',
    value: 'TIME',
    help: "when a backup is made each day, in the machine's time zone, or off",
    default: 'the settings, else 03:15',
  },
  'backup-keep': {
    type: 'string',
    value: 'LIST',
    help: 'how many days, weeks and months that have a backup keep their newest one',
    default: 'the settings, else 7d,4w,6m',
  },
  'heartbeat-url': {
    type: 'string',
    value: 'URL',
    help: 'an address to request after each successful daily backup, of a service that alerts you when the requests stop',
    default: 'none',
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
    help: 'a proxy whose X-Forwarded-For and -Proto are trusted; repeatable',
    default: 'none',
  },
  'webhook-network': {
    type: 'string',
    multiple: true,
    commas: true,
    value: 'CIDR',
    help: 'a network besides the public internet to which webhooks may go, also with http://; repeatable',
    default: 'none',
  },
  ephemeral: {
    type: 'boolean',
    help: 'keep everything in memory and delete it at exit, for test suites; no PETSTORE_ variable is read then',
    default: 'off',
  },
  key: {
    type: 'string',
    value: 'KEY',
    help: 'the key of an ephemeral store',
    default: 'a new one',
    hasVariable: false,
  },
  clock: {
    type: 'string',
    value: 'MODE',
    help: 'the clock of an ephemeral store; a manual one moves with POST /test/clock alone',
    default: 'running',
    choices: clockModes,
    hasVariable: false,
  },
  'exit-with-parent': {
    type: 'boolean',
    help: 'end an ephemeral store when its standard input ends or its parent process is gone',
    default: 'off',
    hasVariable: false,
  },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    help: 'the lowest severity of the log lines that are printed',
    default: 'info',
    choices: logLevels,
  },
  'log-file': {
    type: 'string',
    value: 'FILE',
    help: 'write the log to this file instead of standard error; five files of 10 MiB are kept',
    default: 'none',
    path: 'file',
  },
  'store-id': {
    type: 'string',
    value: 'ID',
    help: 'serve only the store with this id, and never create a new one; the unit of a service has it',
    default: 'none',
  },
  new: {
    type: 'boolean',
    help: 'create a new, empty store in place of one that has lost its database',
    default: 'off',
    hasVariable: false,
    excludes: ['ephemeral', 'store-id'],
  },
  ...mailOptions,
  ...backupOptions,
  ...bucketOptions,
  ...hostingOptions,
} as const satisfies OptionSpecs
