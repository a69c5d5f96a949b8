/**
 * The directory of backups, `<data>/backups`. Only its owner can read it, one process at a time changes it, and a file
 * has the name of a backup only once it is complete.
 */

import { closeSync, existsSync, lstatSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readStoreId } from '../../access/owner/store-id.ts'
import { lockFile } from '../../database/lock.ts'
import { openImmutable } from '../../database/open.ts'
import type { Environment } from '../../lib/environment.ts'
import { AppError } from '../../lib/error.ts'
import { giveToOwner, makeDirectory } from '../../lib/file-owner.ts'
import { flush } from '../../lib/flush.ts'
import { codeOf, systemReason } from '../../lib/system-error.ts'
import { firstFree, flushInPieces } from './files.ts'
import { type BackupName, type BackupReason, backupName, hasCome, newestFirst, readBackupName } from './rules.ts'

/** A store's database and its environment. */
export interface StorePlace {
  /** Absolute. */
  readonly databasePath: string
  readonly environment: Environment
}

export interface Backup {
  /** Absolute. */
  readonly file: string
  readonly bytes: number
  /** RFC 3339. */
  readonly createdAt: string
}

/** How long one process waits for another to finish, in milliseconds. */
const lockTimeoutMs = 60_000
const unfinished = '.unfinished'

const folderOf = (databasePath: string) => join(dirname(databasePath), 'backups')
/** Path at which a restore writes the new database: beside the old one, as a rename can't cross file systems. */
const incomingOf = (databasePath: string) => `${databasePath}-restoring`

/** Path of the directory with the copy of the store on which an upgrade tries a newer petstore. */
export const trialDirectory = (databasePath: string): string => databasePath.replace(/\.db$/, '-trial')

/** The backups of an environment, newest first. Creates and changes nothing. Throws like `pageOfBackups`. */
export function listBackups(place: StorePlace): Backup[] {
  return pageOfBackups(place, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY).backups
}

/**
 * Like `listBackups`, without the copies that restores have made, and without those of other stores than the one with
 * the id.
 */
export function madeBackups(place: StorePlace, storeId?: string): Backup[] {
  return listBackups(place).filter(
    ({ file }) =>
      readBackupName(basename(file))?.reason !== 'before-restore' &&
      (storeId === undefined || !isOfOtherStore(file, storeId)),
  )
}

/** Whether a backup is of another store than the one with this id. One that can't be read is not. */
export function isOfOtherStore(file: string, storeId: string): boolean {
  try {
    return readStoreId(file, openImmutable) !== storeId
  } catch {
    return false
  }
}

/**
 * At most `limit` backups of an environment with positions below `before`, newest first. Positions count from the
 * oldest, 1, so that a new backup does not shift those of others. Throws `storage_unavailable` if the directory can't
 * be read.
 */
export function pageOfBackups(place: StorePlace, before: number, limit: number) {
  const names = namesIn(place).sort(newestFirst)
  const page = names
    .map((name, i) => ({ name, position: names.length - i }))
    .filter(({ position }) => position < before)
    .slice(0, limit)
    .flatMap(({ name, position }) => {
      const backup = describe(folderOf(place.databasePath), name)
      return backup ? [{ backup, position }] : []
    })
  return { backups: page.map(({ backup }) => backup), positions: page.map(({ position }) => position) }
}

/**
 * The backup of an environment with a name; undefined if the name is none, or if there is no such file. Throws
 * `storage_unavailable` if the directory can't be read.
 */
export function findBackup({ databasePath, environment }: StorePlace, name: string): Backup | undefined {
  const parsed = readBackupName(name)
  return parsed?.environment === environment ? describe(folderOf(databasePath), parsed) : undefined
}

/**
 * The last backup whose time has come at `nowMs`, without the copies that restores have made, or the last with one of
 * `reasons`; undefined if there is none. Throws `storage_unavailable` if the directory can't be read.
 */
export function lastBackup(
  place: StorePlace,
  nowMs: number,
  reasons: readonly BackupReason[] = ['backup', 'scheduled', 'before-upgrade'],
): BackupName | undefined {
  return namesIn(place)
    .filter(({ reason, createdAt }) => reasons.includes(reason) && hasCome(createdAt, nowMs))
    .sort(newestFirst)[0]
}

function namesIn({ databasePath, environment }: StorePlace): BackupName[] {
  return namesOf(folderOf(databasePath)).filter((name) => name.environment === environment)
}

/** The backups of both environments. */
function namesOf(folder: string): BackupName[] {
  return read(folder, () => readdirSync(folder), []).flatMap((name) => readBackupName(name) ?? [])
}

/** Returns undefined if the file has been removed meanwhile. */
function describe(folder: string, name: BackupName): Backup | undefined {
  const file = join(folder, backupName(name))
  const stats = read(folder, () => lstatSync(file), undefined)
  return stats?.isFile() ? { file, bytes: stats.size, createdAt: new Date(name.createdAt).toISOString() } : undefined
}

/** The result of a system call in the directory, or `absent` if the file or the directory does not exist. */
function read<T>(folder: string, call: () => T, absent: T): T {
  try {
    return call()
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return absent
    const message = `The directory ${folder} can't be read: ${systemReason(cause)}. Correct that, then try again.`
    throw new AppError('storage_unavailable', message, { cause, retryAfterSeconds: 10 })
  }
}

/**
 * Creates the directory if it is missing, locks it against other processes until it is disposed of, and removes the
 * unfinished files of a killed one. Throws `conflict` if another process keeps the lock for a minute.
 */
export function openBackupFolder(databasePath: string) {
  const folder = folderOf(databasePath)
  makeDirectory(folder)
  giveToOwner(folder)
  const unlock = lockFolder(folder, lockTimeoutMs)
  const incoming = incomingOf(databasePath)

  function sweep(): void {
    removeUnfinished(folder)
    removeIncoming(databasePath)
  }

  sweep()
  return {
    path: folder,
    /** The backups of both environments. */
    names: () => namesOf(folder),
    /**
     * Path at which a backup is written before it gets its final name. All files whose names begin with its name are removed at the end.
     */
    unfinished: join(folder, unfinished),
    incoming,
    /**
     * Flushes the unfinished file to the disk, then renames it, with a number if the name is taken. Returns its path.
     */
    keep(name: Omit<BackupName, 'number'>): string {
      giveToOwner(join(folder, unfinished))
      flushInPieces(join(folder, unfinished))
      const file = firstFree((number) => join(folder, backupName({ ...name, number })))
      renameSync(join(folder, unfinished), file)
      flush(folder)
      return file
    },
    /** Deletes backups. They are gone from the disk when it returns. */
    remove(names: readonly BackupName[]): void {
      for (const name of names) rmSync(join(folder, backupName(name)), { force: true })
      flush(folder)
    },
    [Symbol.dispose](): void {
      sweep()
      unlock()
    },
  }
}
export type BackupFolder = ReturnType<typeof openBackupFolder>

/**
 * Removes what a killed backup, restore or upgrade has left, which can be as large as the database. Called only by the
 * holder of the lock for serving, which a restore holds too; a backup that runs is left alone. Throws what the system
 * throws.
 */
export function sweepLeftovers(databasePath: string): void {
  removeIncoming(databasePath)
  rmSync(trialDirectory(databasePath), { recursive: true, force: true })
  const folder = folderOf(databasePath)
  if (!existsSync(folder) || unfinishedIn(folder).length === 0) return
  try {
    const unlock = lockFolder(folder, 0)
    try {
      removeUnfinished(folder)
    } finally {
      unlock()
    }
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'conflict') throw cause
  }
}

/** A journal or a log that stays would be applied to the next file of that name. */
function removeIncoming(databasePath: string): void {
  for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(incomingOf(databasePath) + ending, { force: true })
}

function unfinishedIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith(unfinished))
}

function removeUnfinished(folder: string): void {
  for (const name of unfinishedIn(folder)) rmSync(join(folder, name), { recursive: true })
}

/** Locks the directory. Throws `conflict` if another process keeps the lock for `timeoutMs`. */
function lockFolder(folder: string, timeoutMs: number): () => void {
  const lock = join(folder, '.lock')
  // Only if it is missing: closing a file gives up every lock that this process has on it.
  if (!existsSync(lock)) closeSync(openSync(lock, 'a', 0o600))
  return lockFile(lock, {
    timeoutMs,
    message: `Another petstore command is working in ${folder}. Wait until it has finished, then try again.`,
  })
}
