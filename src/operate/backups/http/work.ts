/** Creates and verifies backups in a separate process, because both read the whole database. */

import type { Keep } from '../../../config/backups.ts'
import { AppError } from '../../../lib/error.ts'
import { printable } from '../../../lib/log.ts'
import { type RunOptions, SubprocessEnded, type Subprocesses } from '../../../lib/subprocess.ts'
import { type CreatedBackup, createBackup } from '../create.ts'
import type { StorePlace } from '../folder.ts'
import { makeScheduledBackup, type ScheduledBackup, type ScheduledTask } from '../schedule/make.ts'
import { type Verified, verifyBackup } from '../verify.ts'

/** What the process runs. */
export const backupTasks = {
  'create-backup': (place: StorePlace) => createBackup(place, Date.now),
  'scheduled-backup': makeScheduledBackup,
  'verify-backup': ({ file, environment }: Pick<StorePlace, 'environment'> & { readonly file: string }) =>
    verifyBackup(file, environment),
} as const

/** The most characters of a message that are passed on. */
const longestMessage = 1_000

export type BackupWork = ReturnType<typeof createBackupWork>

export function createBackupWork({ databasePath, environment }: StorePlace, subprocesses: Subprocesses) {
  let isRunning = false

  async function run<T>(task: keyof typeof backupTasks, input: object, options?: RunOptions): Promise<T> {
    if (databasePath === ':memory:') throw new AppError('conflict', 'This store is in memory: it has no backups.')
    // One at a time: each reads the whole database.
    if (isRunning) {
      throw new AppError('conflict', 'A backup is being created or verified: try again when that has finished.')
    }
    isRunning = true
    try {
      return await subprocesses.run<T>(task, input, options)
    } finally {
      isRunning = false
    }
  }

  async function make<T>(task: keyof typeof backupTasks, input: StorePlace, options?: RunOptions): Promise<T> {
    return await run<T>(task, input, options).catch((error) => {
      throw unavailable(error, 'No backup was made')
    })
  }

  return {
    /** Throws `storage_unavailable` with the reason if no backup was made. */
    create: () => make<CreatedBackup>('create-backup', { databasePath, environment }),
    /** Like `create`, for a backup of the schedule at `nowMs` (Unix milliseconds), after which old ones are deleted. */
    schedule(keep: Keep, nowMs: number, options?: RunOptions): Promise<ScheduledBackup> {
      const task: ScheduledTask = { databasePath, environment, keep, nowMs }
      return make('scheduled-backup', task, options)
    },
    /** Returns the content of the backup at the absolute path `file`, or the reason why it can't be restored. */
    async verify(file: string): Promise<Verified | { readonly fault: string }> {
      return await run<Verified>('verify-backup', { file, environment }).catch((error) => {
        // Other errors say nothing about the file, and must not be kept as a result.
        const isFault = error instanceof AppError && ['invalid_body', 'not_found'].includes(error.code)
        if (isFault) return { fault: printable(error.message).slice(0, longestMessage) }
        throw unavailable(error, 'The backup was not verified')
      })
    },
  }
}

/** The error of a task that may succeed later; `what` begins the message of a process that has ended without one. */
function unavailable(error: unknown, what: string): unknown {
  if (error instanceof AppError && error.code === 'conflict') return error
  if (!(error instanceof AppError || error instanceof SubprocessEnded)) return error
  const message = error instanceof SubprocessEnded ? `${what}: ${error.message}.` : error.message
  return new AppError('storage_unavailable', printable(message).slice(0, longestMessage), { retryAfterSeconds: 10 })
}
