/** Opens the store for a command. A server may use the same file at the same time. */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { createStores } from '../app/stores.ts'
import type { StoreConfig } from '../config/config.ts'
import { databasePath } from '../database/environment.ts'
import { faultOf, mayBeSaved, StorageUnavailable } from '../database/faults/fault.ts'
import { openDatabase } from '../database/open.ts'
import { makeDirectory } from '../database/owner.ts'
import { AppError } from '../lib/error.ts'
import { systemReason } from '../lib/system-error.ts'
import { isLogLeft } from '../operate/backups/previous.ts'

/** The time that a command waits for the write lock, in milliseconds. */
const lockTimeoutMs = 5_000

/** Whether the database file exists. Throws `storage_unavailable` if it cannot be read. */
export function storeExists(config: StoreConfig): boolean {
  try {
    return statSync(databasePath(config)).isFile()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    // A file in the place of the data directory is reported when the directory is made.
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw new AppError('storage_unavailable', `${databasePath(config)} can't be read: ${systemReason(cause)}.`, {
      cause,
    })
  }
}

/** Whether there is nothing of a store: neither a database nor the log of one that is gone. */
export function isWithoutStore(config: StoreConfig): boolean {
  return !storeExists(config) && !isLogLeft(databasePath(config))
}

/** The error of a command that needs a store where there is none; `advice` says what to do. */
export function missingStore(
  config: StoreConfig,
  advice = 'Check --data and --environment, or create a store with: petstore serve',
): AppError {
  return new AppError('not_found', `There is no store at ${databasePath(config)}. ${advice}`)
}

/** A line on the store that a command has created or changed; undefined for a change of the default store. */
export function describeStore(config: StoreConfig, isNew: boolean): string | undefined {
  const path = databasePath(config)
  if (isNew) return `Created a new store: ${path}`
  const defaultPath = databasePath({ dataDirectory: resolve('data'), environment: 'production' })
  return path !== defaultPath ? `The store is ${path}` : undefined
}

/** Creates the data directory, readable by its owner alone. Throws `storage_unavailable` if that fails. */
export function ensureDataDirectory({ dataDirectory }: StoreConfig): void {
  try {
    makeDirectory(dataDirectory)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    const reason = code === 'EEXIST' ? 'it is not a directory' : systemReason(cause)
    const message = `The data directory ${dataDirectory} can't be used: ${reason}. Choose another with --data.`
    throw new AppError('storage_unavailable', message, { cause })
  }
}

type Use<T> = (store: CommandStore) => T | Promise<T>

/** Calls `use` with the open store and closes it afterwards. Throws `not_found` where there is no store. */
export async function withStore<T>(config: StoreConfig, use: Use<T>): Promise<T> {
  if (!storeExists(config)) throw missingStore(config)
  return await open(config, use)
}

/** Like `withStore`, but creates the store where there is none. */
export async function withNewStore<T>(config: StoreConfig, use: Use<T>): Promise<T> {
  ensureDataDirectory(config)
  return await open(config, use)
}

async function open<T>(config: StoreConfig, use: Use<T>): Promise<T> {
  const database = openDatabase(databasePath(config), lockTimeoutMs)
  try {
    return await use(createCommandStore(config, database))
  } finally {
    database.close()
  }
}

export type CommandStore = ReturnType<typeof createCommandStore>

function createCommandStore({ environment }: StoreConfig, database: ReturnType<typeof openDatabase>) {
  const { tables, connection } = database
  return {
    ...createStores(database),
    environment,
    connection,
    tables,
    /** Runs `work` in one durable transaction. Throws `storage_unavailable` if the lock or the disk is unavailable. */
    write<T>(work: () => T): T {
      try {
        return connection.transaction(work).immediate()
      } catch (error) {
        throw withFault(error)
      }
    },
  }
}

/** The error of a failed write: `storage_unavailable` if it is a fault of the storage. */
function withFault(error: unknown): unknown {
  // Its cause may be a fault of something else, such as the disk of the output.
  const fault = error instanceof AppError ? undefined : faultOf(error)
  if (fault === undefined) return error
  return new StorageUnavailable(fault, mayBeSaved(error) ? 'unknown_command' : 'unchanged', error)
}

/** All rows of a list that is read by pages. */
export function allPages<T extends { readonly id: number }>(page: (after: number, limit: number) => T[]): T[] {
  const size = 1_000
  const all: T[] = []
  for (let after = 0; ; ) {
    const rows = page(after, size)
    all.push(...rows)
    const last = rows.at(-1)
    if (rows.length < size || !last) return all
    after = last.id
  }
}
