/**
 * Fetches a backup from a bucket into a directory, decrypts and checks it. What was fetched whole before stays: a fetch
 * that was interrupted goes on. An object has its name here only once it is whole and on disk.
 */

import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { type Bucket, bucketAddress } from '../../../config/bucket.ts'
import type { Environment } from '../../../lib/environment.ts'
import { AppError } from '../../../lib/error.ts'
import { makeDirectory } from '../../../lib/file-owner.ts'
import { flush } from '../../../lib/flush.ts'
import { contentsBeside, contentsOf, saveContent } from '../contents.ts'
import { assertSpace, checked, explained, hashOf, save } from '../files.ts'
import { unusableFile } from '../inspect.ts'
import { backupName } from '../rules.ts'
import { type OpenBucket, openBucket } from './bucket.ts'
import { decrypted } from './encryption.ts'
import { type Copy, newestCopy, readLists } from './lists.ts'
import { contentName } from './names.ts'

export interface FetchTask {
  readonly bucket: Bucket
  readonly environment: Environment
  /** The name of the object of the backup; undefined for the newest backup of the environment. */
  readonly object: string | undefined
  readonly identities: readonly string[]
  /** Unix milliseconds. */
  readonly nowMs: number
  /** Absolute; it is made if it is missing. */
  readonly directory: string
}

export interface Fetched {
  /** Absolute. */
  readonly file: string
  /** The address of the object. */
  readonly address: string
}

/** Throws `not_found`, `invalid_body` or `storage_unavailable` with the reason. */
export async function fetchBackup(task: FetchTask, progress: () => void): Promise<Fetched> {
  const bucket = openBucket(task.bucket, progress)
  const copy = await find(task, bucket)
  const address = bucketAddress(task.bucket, copy.list.file)
  const { list } = copy
  if (list.recipients.length > 0 && task.identities.length === 0) {
    throw new AppError('invalid_body', `${address} is encrypted: name the file of the identity with --identity FILE.`)
  }
  const plain = (object: string, content: AsyncIterable<Uint8Array>) =>
    list.recipients.length === 0 ? content : decrypted(content, task.identities, bucketAddress(task.bucket, object))
  try {
    makeDirectory(task.directory)
    const file = join(task.directory, backupName(copy.name))
    const unfinished = join(task.directory, '.unfinished-fetched')
    assertSpace(task.directory, list.bytes, 'Nothing was fetched')
    const sent = checked(bucket.read(list.file), list.sha256, () => damaged(address))
    await save(unfinished, plain(list.file, sent))
    const layout = contentsBeside(file)
    for (const { hash, bytes } of contentsOf(unfinished)) {
      progress()
      if (hashOf(layout.pathOf(hash)) === hash) continue
      assertSpace(task.directory, bytes, 'Nothing was fetched')
      const object = contentName(list, hash)
      const isWhole = await saveContent(layout, hash, plain(object, bucket.read(object)))
      if (!isWhole) throw damaged(bucketAddress(task.bucket, object))
    }
    renameSync(unfinished, file)
    flush(task.directory)
    return { file, address }
  } catch (cause) {
    throw explained(`${address} could not be fetched`, cause)
  }
}

async function find({ bucket: place, environment, object, nowMs }: FetchTask, bucket: OpenBucket): Promise<Copy> {
  const content = await readLists(bucket, environment)
  const found =
    object === undefined ? newestCopy(content, nowMs) : content.copies.find(({ list }) => list.file === object)
  if (found !== undefined) return found
  const what =
    object === undefined ? `no complete backup of ${environment}` : `no complete backup ${object} of ${environment}`
  throw new AppError('not_found', `There is ${what} in ${bucketAddress(place)}. See: petstore backup list`)
}

function damaged(name: string): AppError {
  return unusableFile(name, 'it is damaged: its content does not match its checksum')
}
