/**
 * Backups in a bucket, as commands name them: `s3://BUCKET/PREFIX/NAME`, or `s3://BUCKET/PREFIX` for the newest one.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bucket, bucketAccessOptions, bucketWithKeys } from '../../config/bucket.ts'
import { type StoreConfig, storeConfig } from '../../config/config.ts'
import type { OptionSpecs } from '../../config/options.ts'
import { type OptionValues, text, UsageError } from '../../config/values.ts'
import { databasePath } from '../../database/environment.ts'
import { systemClock } from '../../lib/clock.ts'
import { createSubprocesses } from '../../lib/subprocess.ts'
import { createAgeKeys, readIdentities } from '../../operate/backups/away/encryption.ts'
import { createCopySettings } from '../../operate/backups/away/settings.ts'
import { createBucketWork, type ListedCopy } from '../../operate/backups/away/work.ts'
import type { StorePlace } from '../../operate/backups/folder.ts'
import { openSecrets } from '../../operate/secrets.ts'
import { assertStore, placeOf, storeExists } from '../client/local.ts'
import type { Command, Invocation, Terminal } from '../command.ts'
import { assertShown, printOnce } from '../terminal/print-once.ts'

export const isInBucket = (given: string): boolean => given.startsWith('s3://')

/** The options of a command that takes the address of a backup in a bucket. */
export const copyOptions = {
  identity: {
    value: 'FILE',
    help: 'the file of the age identity that reads an encrypted backup',
    default: 'none',
    path: 'file',
  },
  ...bucketAccessOptions,
} as const satisfies OptionSpecs

/** Where a backup is, and how it is read. Throws `UsageError` if there are no keys for its bucket. */
async function copyAt(address: string, { values }: Pick<Invocation, 'values'>) {
  const config = storeConfig(values)
  const [, parent = address, name] = /^(s3:\/\/.+)\/([^/]+\.db(?:\.age)?)$/.exec(address) ?? []
  return {
    bucket: bucketWithKeys(values, parent) ?? storedBucket(config, parent),
    environment: config.environment,
    object: name,
    nowMs: systemClock.now(),
    identities: await identitiesOf(values),
  }
}

/** The identities that --identity names. */
export async function identitiesOf(values: OptionValues): Promise<string[]> {
  const file = text(values, 'identity')
  return file === undefined ? [] : await readIdentities(file)
}

/** The bucket of the settings, if it is the one of the address. */
function storedBucket(config: StoreConfig, address: string): Bucket {
  const [, bucket, path = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/*$/.exec(address) ?? []
  const { bucket: stored } = settingsOf(config).current()
  if (stored !== undefined && stored.bucket === bucket) return { ...stored, prefix: path === '' ? '' : `${path}/` }
  const advice =
    'set PETSTORE_S3_ACCESS_KEY_ID, PETSTORE_S3_SECRET_ACCESS_KEY and, unless it is at Amazon, PETSTORE_S3_ENDPOINT'
  throw new UsageError(`There are no keys for ${address}: ${advice}.`)
}

/** Fetches a backup into the directory of the backups of the store. Returns its path. */
export async function fetchCopy(address: string, invocation: Invocation): Promise<string> {
  const place = { databasePath: databasePath(storeConfig(invocation.values)) }
  return (await workOf(invocation.terminal).fetch({ ...(await copyAt(address, invocation)), ...place })).file
}

export async function verifyCopy(address: string, invocation: Invocation) {
  return await besideStore(storeConfig(invocation.values), async (place) => {
    const found = await workOf(invocation.terminal).verify({ ...(await copyAt(address, invocation)), ...place })
    return { ...found, file: found.address }
  })
}

/**
 * Calls `verify` with the place of the store, beside which it may write, or with one in a temporary directory if there
 * is none. A store removes what a process that was killed has left beside it.
 */
export async function besideStore<T>(config: StoreConfig, verify: (place: StorePlace) => Promise<T>): Promise<T> {
  if (storeExists(config)) return await verify(placeOf(config))
  const dataDirectory = mkdtempSync(join(tmpdir(), 'petstore-verify-'))
  try {
    return await verify(placeOf({ ...config, dataDirectory }))
  } finally {
    rmSync(dataDirectory, { recursive: true })
  }
}

/** The copies in the bucket of the settings, for a store that has lost its database. */
export async function storedCopies({ values, terminal }: Invocation): Promise<ListedCopy[]> {
  const config = storeConfig(values)
  const { bucket } = settingsOf(config).current()
  return bucket === undefined ? [] : await workOf(terminal).list({ bucket, environment: config.environment })
}

/** The settings of the store, without the options of its server. */
const settingsOf = (config: StoreConfig) => createCopySettings(openSecrets(databasePath(config)), undefined)

const workOf = ({ self }: Terminal) => createBucketWork(createSubprocesses(self, systemClock))

export const backupKeys: Command = {
  name: 'backup keys',
  isLocal: true,
  summary: 'create a key that encrypts the copies in the bucket',
  details:
    'Prints an age identity, once. Put it on paper, and keep it away from the store: without it nobody can read the copies, not even the store. From then on new copies in the bucket are encrypted for it, unless serve has --backup-recipient. Existing copies stay as they are: unencrypted, or readable with the identity that was in use when they were made.',
  operands: 'create',
  arity: [1, 1],
  completes: ['create'],
  examples: ['backup keys create', 'backup keys create --json'],
  async run({ values, positionals, terminal }: Invocation) {
    if (positionals[0] !== 'create') throw new UsageError('It is: petstore backup keys create.')
    const config = storeConfig(values)
    assertStore(config)
    assertShown(terminal, 'the identity')
    const settings = settingsOf(config)
    const before = settings.current().recipients
    const keys = await createAgeKeys()
    settings.saveRecipient(keys.recipient)
    const text = values['json'] ? JSON.stringify(keys) : describeKeys(keys.identity, keys.recipient)
    const undo = () => settings.restoreRecipients(before)
    await printOnce(terminal, `${text}\n`, undo, 'The recipients are unchanged.')
    return 0
  },
}

/** The output may become the file of the identity: to `age`, too, lines that begin with # are comments. */
function describeKeys(identity: string, recipient: string): string {
  return [
    identity,
    '',
    '# Print this line on paper and keep it away from this machine: it is not shown again, and nothing in the bucket can be read without it.',
    `# New copies in the bucket are encrypted from now on, for ${recipient}`,
    '# To restore: write the line to a file, then petstore backup restore s3://BUCKET/PREFIX --identity FILE',
  ].join('\n')
}
