/** How commands reach the store: the same file as the server, whether that is running or not. */

import { mkdirSync } from 'node:fs'
import type { StoreConfig } from '../config.ts'
import { databasePath } from '../database/environment.ts'
import { openDatabase } from '../database/open.ts'
import { isBusy, isStorageFault } from '../database/writer.ts'
import { AppError, messageOf } from '../lib/error.ts'
import { createStores } from '../stores.ts'

/** How long a command waits for another process's write, in milliseconds. */
const patienceMs = 15_000

/** Creates the data directory, for its owner alone. Throws `storage_unavailable` if that can't be. */
export function ensureDataDirectory({ dataDirectory }: StoreConfig): void {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new AppError('storage_unavailable', `The data directory can't be used: ${messageOf(cause)}.`, { cause })
  }
}

/** Opens the store, making it if it isn't there, for the time of `use`. */
export async function withStore<T>(config: StoreConfig, use: (store: CommandStore) => T | Promise<T>): Promise<T> {
  ensureDataDirectory(config)
  const database = openDatabase(databasePath(config), patienceMs)
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
    /** Runs `work` in one durable transaction; throws `storage_unavailable` if the lock or the disk can't be had. */
    write<T>(work: () => T): T {
      try {
        return connection.transaction(work).immediate()
      } catch (cause) {
        const fault = writeFault(cause)
        throw fault === undefined
          ? cause
          : new AppError('storage_unavailable', `${fault} Nothing was changed.`, { cause })
      }
    },
  }
}

function writeFault(cause: unknown): string | undefined {
  if (isBusy(cause)) return 'Another process keeps the database locked: try again.'
  if (isStorageFault(cause)) return 'The database can not be written: the disk is full or refuses.'
  return undefined
}

/** Everything that a paged list holds. */
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
