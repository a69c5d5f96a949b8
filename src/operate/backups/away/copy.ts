/**
 * Copies the backups of the schedule to a bucket, and keeps there what is kept here. If the process ends at any moment,
 * what is complete in the bucket stays so: contents come first, then the backup, then its list; the list is deleted
 * first.
 */

import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { readStoreId } from '../../../access/owner/store-id.ts'
import type { Keep } from '../../../config/backups.ts'
import { type Bucket, bucketAddress } from '../../../config/bucket.ts'
import { AppError } from '../../../lib/error.ts'
import { isSystemError } from '../../../lib/system-error.ts'
import { contentsBeside, contentsOf } from '../contents.ts'
import { checked, explained } from '../files.ts'
import { isOfOtherStore, listBackups, type StorePlace } from '../folder.ts'
import { type BackupName, readBackupName } from '../rules.ts'
import { expired } from '../schedule/keep.ts'
import { type OpenBucket, openBucket } from './bucket.ts'
import { encrypted } from './encryption.ts'
import { type BucketContent, type Copy, newestCopy, readLists } from './lists.ts'
import { backupOfObject, type CopyList, contentName, contentsAt, listNameOf, objectNameOf } from './names.ts'

export interface CopyTask extends StorePlace {
  readonly bucket: Bucket
  readonly recipients: readonly string[]
  readonly keep: Keep
  /** The time of the service in Unix milliseconds. */
  readonly nowMs: number
}

export interface CopyResult {
  /** The names of the backups that were copied. */
  readonly copied: readonly string[]
  /** Whether old copies could be deleted. */
  readonly mayDelete: boolean
}

/** Contents of up to this size are sent side by side: most of the time is spent waiting. */
const smallBytes = 262_144
const smallAtOnce = 4

/**
 * Throws `storage_unavailable` or `invalid_body` with the reason if a backup that belongs there could not be copied.
 */
export async function copyBackups(task: CopyTask, progress: () => void): Promise<CopyResult> {
  const bucket = openBucket(task.bucket, progress)
  const storeId = readStoreId(task.databasePath)
  let content = await readLists(bucket, task.environment)
  assertContinues(task, content, storeId)
  const copied: string[] = []
  for (const { file, name } of missing(task, content)) {
    if (isOfOtherStore(file, storeId) || !(await copyOne(task, bucket, file, name, content, storeId))) continue
    copied.push(basename(file))
    content = await readLists(bucket, task.environment)
  }
  return { copied, mayDelete: await deleteOld(task, bucket, content) }
}

/**
 * Two stores with one prefix would delete each other's copies. An owner who has chosen encryption must not lose it
 * without notice, as after a restore on a new machine.
 */
function assertContinues({ recipients, bucket, nowMs }: CopyTask, content: BucketContent, storeId: string): void {
  const newest = newestCopy(content, nowMs)?.list
  if (newest?.storeId !== undefined && newest.storeId !== storeId) {
    const message = `The copies in ${bucketAddress(bucket)} are of another store: use another prefix.`
    throw new AppError('storage_unavailable', message)
  }
  if (recipients.length > 0 || newest === undefined || newest.recipients.length === 0) return
  const message = `The copies in ${bucketAddress(bucket)} are encrypted, and no recipient is set here: make a new key (petstore backup keys create), start serve with --backup-recipient, or use another prefix.`
  throw new AppError('storage_unavailable', message)
}

/**
 * The backups of the schedule that are here and not there, without those that would be deleted there at once; the
 * newest first.
 */
function missing({ keep, nowMs, ...place }: CopyTask, { copies }: BucketContent) {
  const there = new Set(copies.map(({ name }) => listNameOf(name)))
  const here = listBackups(place).flatMap(({ file }) => {
    const name = readBackupName(basename(file))
    return name?.reason === 'scheduled' && !there.has(listNameOf(name)) ? [{ file, name }] : []
  })
  const all = [...here.map(({ name }) => name), ...copies.map(({ name }) => name)]
  const useless = new Set(expired(all, keep, nowMs))
  return here.filter(({ name }) => !useless.has(name))
}

/** Returns false if the backup was deleted here meanwhile: then it does not belong there either. */
async function copyOne(
  { recipients, environment }: CopyTask,
  bucket: OpenBucket,
  file: string,
  name: BackupName,
  { objects, copies }: BucketContent,
  storeId: string,
): Promise<boolean> {
  const place = { contentsAt: contentsAt(environment, recipients), recipients }
  // One that no complete backup lists may have been sent by a process that was killed before it was read back.
  const known = objectsOf(copies)
  const send = async (object: string, content: AsyncIterable<Uint8Array>) =>
    await bucket.write(object, await encrypted(content, recipients))
  try {
    const contents = [...contentsOf(file)]
    const { pathOf } = contentsBeside(file)
    const lacking = contents.filter(({ hash }) => {
      const name = contentName(place, hash)
      return !known.has(name) || !objects.has(name)
    })
    const sendContent = async ({ hash }: { readonly hash: string }) => {
      const fault = () => new AppError('invalid_body', `A content of a backup is damaged: ${hash}.`)
      await send(contentName(place, hash), checked(Bun.file(pathOf(hash)).stream(), hash, fault))
    }
    const small = lacking.filter(({ bytes }) => bytes <= smallBytes)
    for (let i = 0; i < small.length; i += smallAtOnce) {
      // Once this has failed, no request is in progress.
      const sent = await Promise.allSettled(small.slice(i, i + smallAtOnce).map(sendContent))
      for (const one of sent) if (one.status === 'rejected') throw one.reason
    }
    for (const content of lacking) if (content.bytes > smallBytes) await sendContent(content)
    const object = objectNameOf(name, recipients)
    const stored = await send(object, Bun.file(file).stream())
    const list: CopyList = {
      version: 1,
      storeId,
      file: object,
      ...stored,
      ...place,
      contents: contents.map(({ hash, bytes }) => [hash, bytes] as const),
    }
    await bucket.write(listNameOf(name), new Blob([JSON.stringify(list)]).stream())
    return true
  } catch (cause) {
    if (!existsSync(file)) return false
    throw isSystemError(cause) ? explained(`${basename(file)} could not be copied`, cause) : cause
  }
}

/**
 * Deletes expired copies, and contents that no copy lists. Returns false if the keys may not delete, which is no
 * failure.
 */
async function deleteOld(
  { environment, keep, nowMs }: CopyTask,
  bucket: OpenBucket,
  content: BucketContent,
): Promise<boolean> {
  const { objects, copies, hasUnknown } = content
  const scheduled = copies.map(({ name }) => name).filter(({ reason }) => reason === 'scheduled')
  const gone = new Set(expired(scheduled, keep, nowMs))
  const contents = contentsAt(environment, [])
  const needed = objectsOf(copies.filter(({ name }) => !gone.has(name)))
  for (const { name } of copies) if (gone.has(name) && !(await bucket.remove(listNameOf(name)))) return false
  const unneeded = [...objects.keys()].filter((object) => {
    // A list that is not understood is of a newer petstore: it and what it may need stay.
    const isOurs =
      !object.endsWith('.json') && (backupOfObject(object)?.reason === 'scheduled' || object.startsWith(contents))
    return isOurs && !needed.has(object) && !hasUnknown
  })
  for (let i = 0; i < unneeded.length; i += smallAtOnce) {
    const removed = await Promise.all(unneeded.slice(i, i + smallAtOnce).map(bucket.remove))
    if (removed.includes(false)) return false
  }
  return true
}

/** The names of the objects that copies need, beside their lists. */
function objectsOf(copies: readonly Copy[]): Set<string> {
  const names = new Set<string>()
  for (const { list, contents } of copies) {
    names.add(list.file)
    for (const name of contents) names.add(name)
  }
  return names
}
