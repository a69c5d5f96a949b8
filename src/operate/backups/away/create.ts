/**
 * Copies the backups of the schedule to the bucket after each, reports failures, and does what the dashboard requests.
 */

import { DashboardError } from '../../../access/owner/error.ts'
import type { Hold } from '../../../access/owner/hold.ts'
import type { Attention } from '../../../api/attention.ts'
import type { Keep } from '../../../config/backups.ts'
import type { BucketConfig } from '../../../config/bucket.ts'
import type { Writer } from '../../../database/writer.ts'
import type { Clock } from '../../../lib/clock.ts'
import { AppError, messageOf } from '../../../lib/error.ts'
import { type Log, printable } from '../../../lib/log.ts'
import type { Job } from '../../../lib/scheduler.ts'
import type { Subprocesses } from '../../../lib/subprocess.ts'
import { retryWaitMs } from '../../retry-schedule.ts'
import { openSecrets } from '../../secrets.ts'
import { lastBackup, type StorePlace } from '../folder.ts'
import { createLastResult, resultAttention } from '../last-result.ts'
import { backupName } from '../rules.ts'
import type { BackupStore } from '../schedule/store.ts'
import { createAgeKeys } from './encryption.ts'
import { createCopySettings, describeBucket, type NewBucket } from './settings.ts'
import { createBucketWork, type ListedCopy } from './work.ts'

const lookMs = 60_000
/** The most characters of an error that are kept. */
const longestError = 300

export interface BackupCopyParts extends StorePlace {
  readonly backups: BackupStore
  /** Which backups are kept. */
  readonly keep: () => Keep
  readonly hold: Pick<Hold, 'isOnHold'>
  readonly writer: Pick<Writer, 'write'>
  readonly attention: Attention
  readonly subprocesses: Subprocesses
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly log: Log
  /** The options of the start. */
  readonly given: BucketConfig | undefined
}

export function createBackupCopies(parts: BackupCopyParts) {
  const { hold, writer, attention, clock, log, databasePath, environment, given } = parts
  const isInMemory = databasePath === ':memory:'
  const settings = createCopySettings(openSecrets(databasePath), given)
  const work = createBucketWork(parts.subprocesses)
  const last = createLastResult(parts, 'copy')
  /** The newest backup here when the bucket was last complete; undefined if that is not known. */
  let copied: string | undefined
  let failures = 0
  let retryElapsedMs = Number.NEGATIVE_INFINITY
  let mayDelete = true
  const startedMs = clock.now()

  function newest(): string | undefined {
    const found = lastBackup(parts, clock.now(), ['scheduled'])
    return found && backupName(found)
  }

  async function copy(newestHere: string, signal: AbortSignal): Promise<void> {
    const { bucket, recipients } = settings.current()
    if (bucket === undefined) return
    try {
      const task = { databasePath, environment, bucket, recipients, keep: parts.keep(), nowMs: clock.now() }
      const result = await work.copy(task)
      if (result.copied.length > 0) log.info('copied backups to the bucket', { backups: result.copied })
      if (!result.mayDelete && mayDelete) log.info('the keys of the bucket may not delete: old copies stay in it')
      mayDelete = result.mayDelete
      failures = 0
      copied = newestHere
      if (result.copied.length > 0 || last.find()?.error !== null) await last.keep(newestHere, null)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof AppError)) throw error
      failures++
      retryElapsedMs = clock.monotonic() + retryWaitMs(failures)
      const reason = printable(messageOf(error)).slice(0, longestError).toWellFormed()
      log.error('backups could not be copied to the bucket; it is tried again', { reason, failures })
      await last.keep(null, reason)
    }
  }

  const job: Job = {
    name: 'copy backups to the bucket',
    everyMs: lookMs,
    async run(signal) {
      if (clock.monotonic() < retryElapsedMs || hold.isOnHold()) return
      if (settings.current().bucket === undefined) return
      const name = newest()
      if (name !== undefined && name !== copied) await copy(name, signal)
    },
  }

  attention.add(() => {
    if (isInMemory) return []
    try {
      return settings.current().bucket === undefined ? [] : resultAttention(last.find())
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return [{ kind: 'backup_copy_failed', id: null, name: error.message, sinceMs: startedMs }]
    }
  })

  /** Forgets the results of another bucket, so that the next run copies. */
  async function changed(record: () => void): Promise<void> {
    copied = undefined
    failures = 0
    retryElapsedMs = Number.NEGATIVE_INFINITY
    await writer.write(() => {
      last.forget()
      record()
    })
  }

  return {
    jobs: isInMemory ? [] : [job],
    /**
     * The complete backups in the bucket, the newest first; undefined if there is no bucket. Throws the reason if it
     * cannot be read.
     */
    async list(): Promise<readonly ListedCopy[] | undefined> {
      const { bucket } = isInMemory ? { bucket: undefined } : settings.current()
      return bucket && (await work.list({ bucket, environment }))
    },
    /** Those for whom what leaves the machine is encrypted. Throws `storage_unavailable` if that cannot be read. */
    recipients: () => settings.current().recipients,
    /** What may be shown; undefined if this store has no backups: it is in memory. */
    view() {
      if (isInMemory) return undefined
      const { bucket, recipients } = settings.current()
      return {
        bucket: bucket === undefined ? null : describeBucket(bucket),
        /** Whether options of the start name the bucket, or the recipients: then they cannot be changed here. */
        isBucketGiven: settings.isBucketGiven,
        areRecipientsGiven: settings.areRecipientsGiven,
        /** Those for whom copies are encrypted; empty if copies are not encrypted. */
        recipients,
        last: last.view(),
      }
    },
    /**
     * Undefined turns copying off. `record` runs in a transaction. Throws `invalid_body`, `conflict`,
     * `storage_unavailable`.
     */
    async save(entered: NewBucket | undefined, record: () => void): Promise<void> {
      settings.save(entered)
      await changed(record)
    },
    /** Writes, reads and deletes an object. Throws the reason as a `DashboardError`. */
    async test(): Promise<{ readonly mayDelete: boolean }> {
      const { bucket } = settings.current()
      if (bucket === undefined) throw new DashboardError('bucket_failed', 'There is no bucket.')
      try {
        return await work.test({ bucket, environment })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        throw new DashboardError('bucket_failed', error.message)
      }
    },
    /** Encrypts copies for a new key from now on. Returns its secret part, which is not kept. Throws like `save`. */
    async createKeys(record: () => void) {
      const keys = await createAgeKeys()
      settings.saveRecipient(keys.recipient)
      await changed(record)
      return keys
    },
  }
}
export type BackupCopies = ReturnType<typeof createBackupCopies>
