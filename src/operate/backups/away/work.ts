/**
 * The work on a bucket, in separate processes: a request to a bucket that does not respond cannot be ended otherwise.
 */

import { type Bucket, bucketAddress } from '../../../config/bucket.ts'
import type { Environment } from '../../../lib/environment.ts'
import { AppError } from '../../../lib/error.ts'
import { type RunOptions, SubprocessEnded, type Subprocesses } from '../../../lib/subprocess.ts'
import { openBackupFolder, type StorePlace } from '../folder.ts'
import { type Verified, verifyBackup } from '../verify.ts'
import { openBucket } from './bucket.ts'
import { type CopyResult, type CopyTask, copyBackups } from './copy.ts'
import { type Fetched, type FetchTask, fetchBackup } from './fetch.ts'
import { readLists } from './lists.ts'

/** A complete backup in the bucket. */
export interface ListedCopy {
  /** The address of its object. */
  readonly address: string
  readonly bytes: number
  /** RFC 3339. */
  readonly createdAt: string
}

export interface BucketTask {
  readonly bucket: Bucket
  readonly environment: Environment
}

type StoreFetchTask = Omit<FetchTask, 'directory'> & StorePlace
type Progress = () => void

export const bucketTasks = {
  'copy-backups': (task: CopyTask, progress: Progress) => copyBackups(task, progress),
  'list-copies': ({ bucket, environment }: BucketTask, progress: Progress) => listCopies(bucket, environment, progress),
  'test-bucket': ({ bucket }: BucketTask, progress: Progress) => testBucket(bucket, progress),
  'fetch-copy': fetchCopy,
  'verify-copy': verifyCopyThere,
} as const

/** How long a bucket may be silent for somebody who waits, in milliseconds. */
const patienceMs = 30_000

/** All throw the reason as an `AppError`. */
export function createBucketWork(subprocesses: Subprocesses) {
  async function run<T>(
    task: keyof typeof bucketTasks,
    input: { readonly bucket: Bucket },
    options?: RunOptions,
  ): Promise<T> {
    try {
      return await subprocesses.run<T>(task, input, options)
    } catch (error) {
      if (!(error instanceof SubprocessEnded || error instanceof AppError)) throw error
      const isExplained = error instanceof AppError
      if (isExplained && error.code !== 'storage_unavailable') throw error
      const message = isExplained ? error.message : `${bucketAddress(input.bucket)}: ${error.message}.`
      throw new AppError('storage_unavailable', message, { cause: error, retryAfterSeconds: 60 })
    }
  }
  return {
    copy: (task: CopyTask) => run<CopyResult>('copy-backups', task, { inBackground: true }),
    list: (task: BucketTask) => run<ListedCopy[]>('list-copies', task, { silentMs: patienceMs }),
    test: (task: BucketTask) => run<{ mayDelete: boolean }>('test-bucket', task, { silentMs: patienceMs }),
    /** Fetches a backup into the directory of the backups of a store. */
    fetch: (task: StoreFetchTask) => run<Fetched>('fetch-copy', task),
    /** Fetches a backup beside those of a store, checks whether it can be restored, and removes it. */
    verify: (task: StoreFetchTask) => run<Verified & { readonly address: string }>('verify-copy', task),
  }
}

async function listCopies(bucket: Bucket, environment: Environment, progress: Progress): Promise<ListedCopy[]> {
  const { copies } = await readLists(openBucket(bucket, progress), environment)
  return copies.map(({ name, list }) => ({
    address: bucketAddress(bucket, list.file),
    bytes: list.bytes,
    createdAt: new Date(name.createdAt).toISOString(),
  }))
}

const testObject = 'petstore-test'

async function testBucket(place: Bucket, progress: Progress) {
  const bucket = openBucket(place, progress)
  await bucket.list(testObject)
  await bucket.write(testObject, new Blob(['This object was made to test the bucket.\n']).stream())
  return { mayDelete: await bucket.remove(testObject) }
}

async function fetchCopy({ databasePath, ...task }: StoreFetchTask, progress: Progress) {
  using folder = openBackupFolder(databasePath)
  return await fetchBackup({ ...task, directory: folder.path }, progress)
}

async function verifyCopyThere({ databasePath, ...task }: StoreFetchTask, progress: Progress) {
  using folder = openBackupFolder(databasePath)
  const { file, address } = await fetchBackup({ ...task, directory: `${folder.unfinished}-verified` }, progress)
  return { ...verifyBackup(file, task.environment), address }
}
