/**
 * The store of a service on its disk: a new one, one that is there, or a copy of another. All files belong to the user
 * of the service. The database is copied last and gets its name by one rename, so that an interrupted copy is no store.
 */

import { Database } from 'bun:sqlite'
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { databasePath, type StoreLocation } from '../../database/environment.ts'
import { openDatabase } from '../../database/open.ts'
import { AppError } from '../../lib/error.ts'
import { flush } from '../../lib/flush.ts'
import { systemReason } from '../../lib/system-error.ts'
import { lockStore } from '../client/client.ts'
import { runProgram } from './systemd.ts'

/** Makes an empty store. */
export async function makeStore(store: StoreLocation): Promise<void> {
  await withLock(store, async (path) => openDatabase(path, 0).close())
}

/** Gives the files of a store to the user, also those that root has put there. Follows no symbolic link. */
export async function giveStore(store: StoreLocation, user: string): Promise<void> {
  const paths = entriesOf(store).map((name) => join(store.dataDirectory, name))
  await runProgram('chown', '--recursive', '--no-dereference', `${user}:${user}`, '--', ...paths)
}

/**
 * Copies the store of `from`, which stays as it is, into the directory of `to`, which has none. Throws `conflict` if it
 * is in use; what was copied is removed if the copy fails, as on a full disk.
 */
export async function copyStore(from: StoreLocation, to: StoreLocation): Promise<void> {
  await withLock(from, async (path) => {
    emptyLog(path)
    const target = databasePath(to)
    const incoming = `${target}-copied`
    // Such as the backups of an earlier store.
    const there = entriesOf(to)
    const others = entriesOf(from).filter((name) => !isOfProcess(name, path))
    try {
      const paths = others.map((name) => join(from.dataDirectory, name))
      if (paths.length > 0) await runProgram('cp', '--archive', '--', ...paths, `${to.dataDirectory}/`)
      await runProgram('cp', '--dereference', '--preserve=mode,timestamps', '--', path, incoming)
      await runProgram('sync', '--file-system', to.dataDirectory)
      renameSync(incoming, target)
      flush(to.dataDirectory)
    } catch (error) {
      const copied = entriesOf(to).filter((name) => !there.includes(name))
      for (const name of copied) rmSync(join(to.dataDirectory, name), { recursive: true, force: true })
      throw error
    }
  })
}

/**
 * Throws `conflict` if a directory has files that are not of a store, or of Litestream beside it: the service would own
 * them.
 */
export function assertOwnFiles(directory: string): void {
  if (!existsSync(directory)) return
  const foreign = readdirSync(directory).find(
    (name) => !/^(\.?(production|staging)\b|backups$|lost\+found$)/.test(name),
  )
  if (foreign === undefined) return
  throw new AppError(
    'conflict',
    `${directory} has other files, such as ${foreign}: move them away, or choose another directory with --data.`,
  )
}

/** The files and directories of a store; both environments have their backups in one. */
const entriesOf = ({ dataDirectory, environment }: StoreLocation) =>
  readdirSync(dataDirectory).filter((name) => name.startsWith(environment) || name === 'backups')

/** Whether a file beside the database is of a process that uses it, or is the database. */
function isOfProcess(name: string, path: string): boolean {
  const stem = path.slice(path.lastIndexOf('/') + 1, -'.db'.length)
  return name.startsWith(`${stem}.`) || name === `${stem}-sockets`
}

/** Moves the log of a store that nothing uses into its database. */
function emptyLog(path: string): void {
  try {
    const database = new Database(path, { create: false, readwrite: true })
    try {
      database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      database.close(true)
    }
  } catch (cause) {
    throw new AppError('storage_unavailable', `The store ${path} can't be copied: ${systemReason(cause)}.`, { cause })
  }
}

/** Does something to a store that nothing else uses. Throws `conflict` if it is in use. */
export async function withLock(store: StoreLocation, work: (path: string) => Promise<void>): Promise<void> {
  const path = databasePath(store)
  const lock = await lockStore(path)
  if (lock === 'served') throw new AppError('conflict', `A petstore is serving ${path}: stop it, then run this again.`)
  try {
    await work(path)
  } finally {
    lock.unlock()
  }
}
