/**
 * The bucket and the recipients: those of the options, else those that the owner has set. The latter lie with the
 * secrets, in no backup: a store that is restored elsewhere must not write into the bucket of the old machine.
 */

import {
  type Bucket,
  type BucketConfig,
  type BucketPlace,
  bucketAddress,
  isRecipient,
  parseBucket,
} from '../../../config/bucket.ts'
import { AppError } from '../../../lib/error.ts'
import type { Secrets, SecretsFile } from '../../secrets.ts'
import { assertNotGiven } from '../rules.ts'

const bucketName = 'bucket of backups'
const recipientsName = 'recipients of backups'

/** What the owner enters. */
export interface NewBucket {
  readonly address: string
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
  readonly accessKeyId: string
  /** Without it, the one that is stored for the same bucket and key remains. */
  readonly secretAccessKey?: string | undefined
}

export function createCopySettings(secrets: SecretsFile, given: BucketConfig | undefined) {
  function bucketOf(all: Secrets): Bucket | undefined {
    const text = all[bucketName]
    return text === undefined ? undefined : (JSON.parse(text) as Bucket)
  }

  function change(name: string, value: string | undefined): void {
    const { [name]: _, ...others } = secrets.read()
    secrets.write(value === undefined ? others : { ...others, [name]: value })
  }

  return {
    /** Whether options name it, so that it cannot be changed here. */
    isBucketGiven: given?.bucket !== undefined,
    areRecipientsGiven: given?.recipients !== undefined,
    /** Without a bucket, nothing is copied. Throws `storage_unavailable` if the secrets cannot be read. */
    current(): { readonly bucket: Bucket | undefined; readonly recipients: readonly string[] } {
      if (given?.bucket !== undefined && given.recipients !== undefined)
        return { bucket: given.bucket, recipients: given.recipients }
      const all = secrets.read()
      const kept = all[recipientsName]?.split(',').filter(isRecipient) ?? []
      return { bucket: given?.bucket ?? bucketOf(all), recipients: given?.recipients ?? kept }
    },
    /** Undefined turns copying off. Throws `invalid_body`, `conflict` or `storage_unavailable`. */
    save(entered: NewBucket | undefined): void {
      assertNotGiven(given?.bucket, 'backup-s3')
      if (entered === undefined) {
        change(bucketName, undefined)
        return
      }
      const place = parseBucket({ ...entered, address: entered.address.trim() })
      if (typeof place === 'string') throw new AppError('invalid_body', place)
      const before = bucketOf(secrets.read())
      const accessKeyId = entered.accessKeyId.trim()
      // A secret is only for the service for which it was entered.
      const kept =
        before && isSameService(before, place) && before.accessKeyId === accessKeyId ? before.secretAccessKey : ''
      const secretAccessKey = entered.secretAccessKey?.trim() || kept
      if (!/^[\x21-\x7e]{1,200}$/.test(accessKeyId))
        throw new AppError('invalid_body', 'accessKeyId must be the name of a key.')
      if (!/^[\x21-\x7e]{1,1000}$/.test(secretAccessKey)) {
        throw new AppError('invalid_body', 'secretAccessKey is needed for a new bucket or key.')
      }
      change(bucketName, JSON.stringify({ ...place, accessKeyId, secretAccessKey }))
    },
    /** Sets what `current` had. */
    restoreRecipients(recipients: readonly string[]): void {
      change(recipientsName, recipients.length === 0 ? undefined : recipients.join(','))
    },
    /** Throws like `save`. */
    saveRecipient(recipient: string): void {
      assertNotGiven(given?.recipients, 'backup-recipient')
      change(recipientsName, recipient)
    },
  }
}
const isSameService = (a: BucketPlace, b: BucketPlace) => a.endpoint === b.endpoint && a.bucket === b.bucket

/** What may be shown of a bucket. */
export function describeBucket(bucket: Bucket) {
  const { endpoint = null, region = null, accessKeyId } = bucket
  return { address: bucketAddress(bucket), endpoint, region, accessKeyId }
}
