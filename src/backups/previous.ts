/** The database that a restore replaces: held, so that nobody else can have it open, and kept aside. */

import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { openDatabase } from '../database/open.ts'
import { giveToOwner } from '../database/owner.ts'
import { AppError } from '../lib/error.ts'
import { copyFileTo, copyTo, flush } from './files.ts'
import type { BackupFolder, StorePlace } from './folder.ts'
import { seal } from './seal.ts'

export type Previous = ReturnType<typeof holdDatabase>

/** What SQLite keeps beside a database, and would apply to another one under the same name. */
const logs = ['-wal', '-journal']

/**
 * Makes the database one file without a log, and locks it until `release`. Throws `conflict` if another process
 * has it open.
 */
export function holdDatabase({ databasePath, environment }: StorePlace) {
  // Something must be there to lock, or a command could make a database in the moment before the swap.
  const isNew = (statSync(databasePath, { throwIfNoEntry: false })?.size ?? 0) === 0
  if (isNew) {
    rmSync(databasePath, { force: true })
    openDatabase(databasePath, 0).close()
  }
  const connection = new Database(databasePath, { create: false, readwrite: true })
  const isSound = lock(connection, databasePath)
  // Closing a file gives up all locks that this process has on it, so it stays open until the end.
  const file = openSync(databasePath, 'r')
  return {
    /**
     * Copies what is held to the backups, and takes away the logs of a database that is too damaged for SQLite to
     * do that. Gives the copy's path, or null if there was nothing before.
     */
    keepAside(folder: BackupFolder, createdAt: number): string | null {
      if (isNew) return null
      copyTo(folder.unfinished, file)
      if (isSound) seal(folder.unfinished, createdAt)
      const left = logs.filter((ending) => existsSync(databasePath + ending))
      for (const ending of left) {
        copyFileTo(folder.unfinished + ending, databasePath + ending)
        giveToOwner(folder.unfinished + ending)
      }
      const kept = folder.keep({ environment, occasion: 'before-restore', createdAt })
      for (const ending of left) renameSync(folder.unfinished + ending, kept + ending)
      flush(dirname(kept))
      for (const ending of [...logs, '-shm']) rmSync(databasePath + ending, { force: true })
      return kept
    },
    release(): void {
      connection.close()
      closeSync(file)
    },
  }
}

/**
 * Whether the lock was to be had: nobody can open a database whose first page can't be read. Rollback mode
 * has no log, and its lock keeps readers out too. https://sqlite.org/wal.html#persistence_of_wal_mode
 */
function lock(connection: Database, databasePath: string): boolean {
  try {
    connection.run('PRAGMA journal_mode = DELETE')
    connection.run('BEGIN EXCLUSIVE')
    // Someone may have been quick enough to turn it back between the two.
    const found = connection.query<{ journal_mode: string }, []>('PRAGMA journal_mode').get()
    if (found?.journal_mode === 'delete') return true
    throw new AppError('conflict', inUse(databasePath))
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return false
    connection.close()
    if (/^SQLITE_(BUSY|LOCKED)/.test(code)) throw new AppError('conflict', inUse(databasePath), { cause })
    throw cause
  }
}

function inUse(databasePath: string): string {
  return `Nothing was restored: another petstore command is using ${databasePath}. Wait for it, then try again.`
}
