/** The database that a restore replaces: locked against every other process, and kept as a backup. */

import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { openDatabase } from '../database/open.ts'
import { giveToOwner } from '../database/owner.ts'
import { AppError } from '../lib/error.ts'
import { attachFiles } from './attached.ts'
import { copyFileTo, copyTo, flush } from './files.ts'
import type { BackupFolder, StorePlace } from './folder.ts'
import { seal } from './seal.ts'

export type Previous = ReturnType<typeof holdDatabase>

/** Files that SQLite keeps beside a database and would apply to another database of the same name. */
const logs = ['-wal', '-journal']

/** Whether a database that is gone has left its log: a store is damaged there, and a restore keeps the log aside. */
export function isLogLeft(databasePath: string): boolean {
  return logs.some((ending) => existsSync(databasePath + ending))
}

/**
 * Moves the log of the database into its file and locks it until `release`. Throws `conflict` if another process has it
 * open.
 */
export function holdDatabase({ databasePath, environment }: StorePlace) {
  // There must be a file to lock, or a command could create a database in the moment before the replacement.
  const isNew = (statSync(databasePath, { throwIfNoEntry: false })?.size ?? 0) === 0
  // A log without its database: it belongs to a database that is gone, and must not be applied to another one.
  const orphans = isNew ? logs.filter((ending) => existsSync(databasePath + ending)) : []
  if (isNew) {
    for (const ending of orphans) renameSync(databasePath + ending, orphanOf(databasePath, ending))
    try {
      rmSync(databasePath, { force: true })
      openDatabase(databasePath, 0).close()
    } catch (error) {
      for (const ending of orphans) renameSync(orphanOf(databasePath, ending), databasePath + ending)
      throw error
    }
  }
  const connection = new Database(databasePath, { create: false, readwrite: true })
  const isSound = lock(connection, databasePath)
  // Closing a file gives up every lock that this process has on it, so it stays open until the end.
  const file = openSync(databasePath, 'r')
  return {
    /**
     * Copies the database and the files beside it to the backups, with its logs if it is too damaged for SQLite to move them into it, and
     * removes the logs. Returns the path of the copy, or null if there was no database.
     */
    keepAside(folder: BackupFolder, createdAt: number): string | null {
      if (isNew) return null
      copyTo(folder.unfinished, file)
      if (isSound) {
        attachFiles(folder.unfinished, databasePath)
        seal(folder.unfinished, createdAt)
      }
      const left = logs.filter((ending) => existsSync(databasePath + ending))
      for (const ending of left) {
        copyFileTo(folder.unfinished + ending, databasePath + ending)
        giveToOwner(folder.unfinished + ending)
      }
      const kept = folder.keep({ environment, reason: 'before-restore', createdAt })
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

/** Where a log without its database is kept. */
function orphanOf(databasePath: string, ending: string): string {
  return `${databasePath}${ending}-without-database`
}

/**
 * Locks the database. Returns false for one that is too damaged to be locked, which no other process can open either.
 * Rollback mode has no log, and its lock excludes readers too. https://sqlite.org/wal.html#persistence_of_wal_mode
 */
function lock(connection: Database, databasePath: string): boolean {
  try {
    connection.run('PRAGMA journal_mode = DELETE')
    connection.run('BEGIN EXCLUSIVE')
    // Another process may have switched the mode back between the two statements.
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
