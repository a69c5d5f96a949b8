/** The database that a restore replaces: locked against every other process, and kept as a backup. */

import { Database } from 'bun:sqlite'
import { closeSync, existsSync, lstatSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { lockCreation } from '../../database/create.ts'
import { hasMoved } from '../../database/files.ts'
import { AppError } from '../../lib/error.ts'
import { giveToOwner } from '../../lib/file-owner.ts'
import { flush } from '../../lib/flush.ts'
import { codeOf } from '../../lib/system-error.ts'
import { completeCopy } from './create.ts'
import { copyFileTo, copyTo, firstFree } from './files.ts'
import type { BackupFolder, StorePlace } from './folder.ts'

export interface Previous {
  /** Whether it is the store with this id, and not a restored one on hold. */
  isStore(cookieId: string): boolean
  /**
   * Makes a backup of the database, or a copy of its bytes and logs if it is damaged. Returns the path, or null if there
   * is no database.
   */
  keepAside(folder: BackupFolder, createdAt: number): string | null
  /**
   * Puts the complete database at `incoming` in place and removes the logs of the previous one, or keeps those of a
   * lost one aside. Returns the paths of the logs that it keeps.
   */
  replaceBy(incoming: string): string[]
  release(): void
}

/** Files that SQLite keeps beside a database and would apply to another database of the same name. */
const logs = ['-wal', '-journal']

/** Whether a database that is gone has left its log: a store is damaged there, and a restore keeps the log aside. */
export function isLogLeft(databasePath: string): boolean {
  return logsOf(databasePath).length > 0
}

/** The endings of the logs that are beside the database. */
function logsOf(databasePath: string): string[] {
  return logs.filter((ending) => existsSync(databasePath + ending))
}

/** Locks the database against every other process until `release`. Throws `conflict` if another process has it open. */
export function holdDatabase(place: StorePlace): Previous {
  return isLost(place.databasePath) ? holdLost(place.databasePath) : holdPresent(place)
}

function isLost(databasePath: string): boolean {
  return (statSync(databasePath, { throwIfNoEntry: false })?.size ?? 0) === 0
}

/** How long a restore waits for a command that creates the database, in milliseconds. */
const creationTimeoutMs = 10_000

/** Holds the place of a database that is missing or empty, so that no other process creates one there. */
function holdLost(databasePath: string): Previous {
  const { connection, incoming: reserved } = lockCreation(databasePath, creationTimeoutMs)
  const release = () => {
    if (!hasMoved(connection)) rmSync(reserved)
    connection.close()
  }
  if (!isLost(databasePath)) {
    release()
    throw new AppError('conflict', inUse(databasePath))
  }
  return {
    isStore: () => false,
    keepAside: () => null,
    replaceBy(incoming) {
      const undo: (() => void)[] = []
      const kept: string[] = []
      try {
        // Every command refuses an empty file: if this process is killed, none creates a store in the lost one's place.
        if (!lstatSync(databasePath, { throwIfNoEntry: false })) {
          closeSync(openSync(databasePath, 'wx', 0o600))
          undo.push(() => rmSync(databasePath))
          giveToOwner(databasePath)
        }
        rmSync(reserved)
        // The log belongs to the database that is lost, and must not be applied to another one.
        for (const ending of logsOf(databasePath)) {
          const log = databasePath + ending
          const aside = firstFree((number) => `${log}-without-database${number === 1 ? '' : `-${number}`}`)
          renameSync(log, aside)
          undo.push(() => renameSync(aside, log))
          kept.push(aside)
        }
        putInPlace(incoming, databasePath)
        return kept
      } catch (error) {
        for (const step of undo.reverse()) step()
        throw error
      }
    },
    release,
  }
}

/** Moves the log of the database into its file and locks it. */
function holdPresent({ databasePath, environment }: StorePlace): Previous {
  const connection = new Database(databasePath, { create: false, readwrite: true })
  const isSound = lock(connection, databasePath)
  // Closing a file gives up every lock that this process has on it, so it stays open until the end.
  const file = openSync(databasePath, 'r')
  return {
    isStore(cookieId) {
      const found = isSound ? installationOf(connection) : undefined
      return found?.cookie_id === cookieId && (found.restored_at ?? null) === null
    },
    keepAside(folder, createdAt) {
      copyTo(folder.unfinished, file)
      if (isSound) {
        try {
          completeCopy(folder.unfinished, databasePath, createdAt, 'Nothing was restored')
        } catch (error) {
          if (!isDamage(error)) throw error
          for (const ending of ['', ...logs]) rmSync(folder.unfinished + ending, { force: true })
          copyTo(folder.unfinished, file)
        }
      }
      const left = logsOf(databasePath)
      for (const ending of left) {
        copyFileTo(folder.unfinished + ending, databasePath + ending)
        giveToOwner(folder.unfinished + ending)
      }
      const kept = folder.keep({ environment, reason: 'before-restore', createdAt })
      for (const ending of left) renameSync(folder.unfinished + ending, kept + ending)
      flush(dirname(kept))
      return kept
    },
    replaceBy(incoming) {
      for (const ending of [...logs, '-shm']) rmSync(databasePath + ending, { force: true })
      putInPlace(incoming, databasePath)
      return []
    },
    release(): void {
      connection.close()
      closeSync(file)
    },
  }
}

/** Undefined if it cannot be read. Databases from before mail have no `restored_at`. */
function installationOf(connection: Database) {
  type Row = { readonly cookie_id: string; readonly restored_at?: number | null }
  try {
    return connection.query<Row, []>('SELECT * FROM installation').get() ?? undefined
  } catch {
    return undefined
  }
}

/** The caller flushes the directory afterwards: an error of that can't be undone. */
function putInPlace(incoming: string, databasePath: string): void {
  // The removal of the old log must be on the disk first: after a power cut SQLite would apply it to the new file.
  flush(dirname(databasePath))
  renameSync(incoming, databasePath)
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
    if (isDamage(cause)) return false
    connection.close()
    if (/^SQLITE_(BUSY|LOCKED)/.test(codeOf(cause))) throw new AppError('conflict', inUse(databasePath), { cause })
    throw cause
  }
}

const isDamage = (error: unknown) => /^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error))

function inUse(databasePath: string): string {
  return `Nothing was restored: another petstore command is using ${databasePath}. Wait for it, then try again.`
}
