/** Declarations of the options of `serve`. */

import { logLevels } from '../lib/log.ts'
import { clockModes } from '../lib/movable-clock.ts'
import { bucketOptions } from './bucket.ts'
import { hostingOptions } from './hosting-options.ts'
import { type OptionSpecs, repeatable } from './options.ts'

/** Where the service listens, and the addresses that the OpenAPI document lists. */
export const addressOptions = {
  host: { value: 'ADDRESS', help: 'the address to listen on', default: '127.0.0.1' },
  port: { value: 'N', help: 'the port to listen on; 0 picks a free one', default: '8080, staging 8081' },
  'base-url': {
    value: 'URL',
    help: 'the public address of the production API; ends in /v1',
    default: 'api. of the platform domain, or from host and port',
  },
  'staging-base-url': {
    value: 'URL',
    help: 'the public address of the staging API; ends in /v1',
    default: 'api. of the platform domain, or from host and port',
  },
} as const satisfies OptionSpecs

/** The mail server that sends the owner what needs attention. */
const mailOptions = {
  smtp: {
    value: 'URL',
    help: 'the mail server: smtps://USER@HOST:465, or smtp://USER@HOST:587 for STARTTLS',
    default: 'the one in the settings',
  },
  'mail-from': { value: 'EMAIL', help: 'the address of the sender', default: 'the user of --smtp' },
  'smtp-password-file': {
    value: 'FILE',
    help: 'the file with the password of --smtp; read again for each mail',
    default: 'none',
    path: 'file',
  },
  'smtp-password': {
    help: 'the password of --smtp; only as a variable, since others can read command lines',
    default: 'none',
    isVariableOnly: true,
  },
} as const satisfies OptionSpecs

/** The schedule of backups, and which are kept. */
const backupOptions = {
  'backup-at': {
    value: 'TIME',
    help: "when a backup is made each day, in the machine's time zone, or off",
    default: 'the settings, else 03:15',
  },
  'backup-keep': {
    value: 'LIST',
    help: 'how many days, weeks and months that have a backup keep their newest one',
    default: 'the settings, else 7d,4w,6m',
  },
  'heartbeat-url': {
    value: 'URL',
    help: 'an address that is requested after each successful daily backup: a monitoring service that alerts you when the requests stop',
    default: 'none',
  },
} as const satisfies OptionSpecs

export const serveOptions = {
  ...addressOptions,
  'cors-origin': {
    ...repeatable,
    value: 'ORIGIN',
    help: 'an origin whose pages may call the API from a browser; repeatable',
    default: 'none',
  },
  'trusted-proxy': {
    ...repeatable,
    value: 'CIDR',
    help: 'a proxy whose X-Forwarded-For and -Proto are trusted; repeatable',
    default: 'none',
  },
  'webhook-network': {
    ...repeatable,
    value: 'CIDR',
    help: 'a network besides the public internet to which webhooks may go, also with http://; repeatable',
    default: 'none',
  },
  ephemeral: {
    help: 'keep everything in memory and delete it at exit, for test suites; no PETSTORE_ variable is read then',
    default: 'off',
  },
  key: { value: 'KEY', help: 'the key of an ephemeral store', default: 'a new one', hasVariable: false },
  clock: {
    value: 'MODE',
    help: 'the clock of an ephemeral store; a manual one moves only with POST /test/clock',
    default: 'running',
    choices: clockModes,
    hasVariable: false,
  },
  'exit-with-parent': {
    help: 'end an ephemeral store when its standard input ends or its parent process is gone',
    default: 'off',
    hasVariable: false,
  },
  'log-level': {
    value: 'LEVEL',
    help: 'the lowest severity of the log lines that are printed',
    default: 'info',
    choices: logLevels,
  },
  'log-file': {
    value: 'FILE',
    help: 'write the log to this file instead of standard error; five files of 10 MiB are kept',
    default: 'none',
    path: 'file',
  },
  'store-id': {
    value: 'ID',
    help: 'serve only the store with this id, and never create a new one; the unit of a service sets it',
    default: 'none',
  },
  new: {
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
