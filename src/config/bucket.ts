/**
 * The bucket to which backups are copied, and the recipients for whom they are encrypted, from options, variables or
 * the settings of the dashboard.
 */

import { bech32 } from '@scure/base'
import { type OptionSpecs, repeatable } from './options.ts'
import { list, type OptionValues, text, UsageError } from './values.ts'

export interface BucketPlace {
  readonly bucket: string
  /** Begins the names of all objects: empty, or ends with a slash. */
  readonly prefix: string
  /** The address of the service; undefined for Amazon's. */
  readonly endpoint: string | undefined
  /** Undefined if the service has none. */
  readonly region: string | undefined
}

interface BucketKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

export interface Bucket extends BucketPlace, BucketKeys {}

export interface BucketConfig {
  /** Undefined if the settings name it. */
  readonly bucket: Bucket | undefined
  /** Undefined if the settings name them. */
  readonly recipients: readonly string[] | undefined
}

/** How the bucket is reached: for `serve`, and for commands that name a copy by its address. */
export const bucketAccessOptions = {
  's3-endpoint': {
    value: 'URL',
    help: 'the address of the service that has the bucket; also AWS_ENDPOINT_URL_S3 and AWS_ENDPOINT_URL',
    default: "Amazon's",
    alsoFrom: ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'],
  },
  's3-region': {
    value: 'REGION',
    help: 'the region of the bucket; also AWS_REGION and AWS_DEFAULT_REGION',
    default: 'none',
    alsoFrom: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
  },
  's3-access-key-id': {
    help: 'the name of the key for the bucket; also AWS_ACCESS_KEY_ID; only as a variable',
    default: 'the one in the settings',
    alsoFrom: ['AWS_ACCESS_KEY_ID'],
    isVariableOnly: true,
  },
  's3-secret-access-key': {
    help: 'the key for the bucket; also AWS_SECRET_ACCESS_KEY; only as a variable, since others can read command lines',
    default: 'the one in the settings',
    alsoFrom: ['AWS_SECRET_ACCESS_KEY'],
    isVariableOnly: true,
  },
  's3-session-token': {
    help: 'the session token of a temporary key; also AWS_SESSION_TOKEN; only as a variable',
    default: 'none',
    alsoFrom: ['AWS_SESSION_TOKEN'],
    isVariableOnly: true,
  },
} as const satisfies OptionSpecs

export const bucketOptions = {
  'backup-s3': {
    value: 'URL',
    help: 'the bucket to which each scheduled backup is copied: s3://BUCKET/PREFIX',
    default: 'the one in the settings',
  },
  ...bucketAccessOptions,
  'backup-recipient': {
    ...repeatable,
    value: 'AGE1…',
    help: 'an age recipient for whom the copies in the bucket are encrypted; repeatable',
    default: 'those in the settings',
  },
} as const satisfies OptionSpecs

/** Throws `UsageError` with the name of the first invalid option. */
export function bucketConfig(values: OptionValues): BucketConfig {
  const recipients = list(values, 'backup-recipient')
  const wrong = recipients.find((one) => !isRecipient(one))
  if (wrong !== undefined) throw new UsageError(`--backup-recipient ${recipientRule(wrong)}.`)
  const given = text(values, 'backup-s3')
  return Object.freeze({
    bucket: given === undefined ? undefined : bucketOf(values, '--backup-s3', given),
    recipients: recipients.length === 0 ? undefined : recipients,
  })
}

/** The bucket at an address with the keys of the variables; undefined if they have none. Throws `UsageError`. */
export function bucketWithKeys(values: OptionValues, address: string): Bucket | undefined {
  const hasKeys = values['s3-access-key-id'] !== undefined || values['s3-secret-access-key'] !== undefined
  return hasKeys ? bucketOf(values, address, address) : undefined
}

function bucketOf(values: OptionValues, name: string, address: string): Bucket {
  const place = parseBucket({ address, endpoint: text(values, 's3-endpoint'), region: text(values, 's3-region') })
  if (typeof place === 'string') throw new UsageError(place)
  const accessKeyId = text(values, 's3-access-key-id')
  const secretAccessKey = text(values, 's3-secret-access-key')
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new UsageError(
      `${name} needs the keys of the bucket: set PETSTORE_S3_ACCESS_KEY_ID and PETSTORE_S3_SECRET_ACCESS_KEY.`,
    )
  }
  return Object.freeze({ ...place, accessKeyId, secretAccessKey, sessionToken: text(values, 's3-session-token') })
}

interface NamedBucket {
  readonly address: string
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
}

/** The place that the strings name, or a sentence with the rule that they break. */
export function parseBucket({ address, endpoint, region }: NamedBucket): BucketPlace | string {
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html, and the older names that have
  // capitals
  const [, bucket, path = ''] = /^s3:\/\/([A-Za-z0-9][A-Za-z0-9._-]{1,62})(?:\/(.*))?$/.exec(address.trim()) ?? []
  const prefix = path.replace(/\/+$/, '')
  if (bucket === undefined || !/^[\w!.*'()/+=@-]{0,500}$/.test(prefix) || /(^|\/)(\.{0,2})(\/|$)/.test(prefix || 'x')) {
    return `A bucket must be s3://BUCKET/PREFIX, with letters, digits, - . _ and / in the prefix, not "${address}".`
  }
  const service = endpoint === undefined || endpoint.trim() === '' ? undefined : URL.parse(endpoint.trim())
  const isService = service && /^https?:$/.test(service.protocol) && service.href === `${service.origin}/`
  if (service !== undefined && !isService) {
    return 'The endpoint of a bucket must be an address such as https://s3.eu-central-1.example, without a path.'
  }
  const name = region?.trim() || undefined
  if (name !== undefined && !/^[A-Za-z0-9-]{1,60}$/.test(name)) {
    return `The region of a bucket must be a name such as eu-central-1, not "${name}".`
  }
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/`, endpoint: service?.origin, region: name }
}

/** The address of a bucket, or of an object in it. */
export function bucketAddress({ bucket, prefix }: Pick<BucketPlace, 'bucket' | 'prefix'>, name = ''): string {
  return `s3://${bucket}/${prefix}${name}`.replace(/\/$/, '')
}

/** Whether a text is an X25519 recipient of age (https://age-encryption.org/v1), such as `age-keygen` prints. */
export function isRecipient(given: string): boolean {
  const decoded = /^age1[a-z0-9]{58}$/.test(given) ? bech32.decodeUnsafe(given) : undefined
  return decoded?.prefix === 'age' && bech32.fromWordsUnsafe(decoded.words)?.length === 32
}

/**
 * What a recipient must be, as text that follows the name of its option or field. It does not repeat a secret identity.
 */
function recipientRule(given: string): string {
  const isSecret = /^age-secret-key-/i.test(given)
  const what = isSecret ? 'this is an identity, which must stay secret' : `not "${given}"`
  return `must be a recipient of age, age1 and 58 more letters and digits, ${what}`
}
