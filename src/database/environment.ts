/**
 * The environment of a database is stored in the file itself, so that a file with a wrong name is detected before
 * anything is written to it. https://sqlite.org/pragma.html#pragma_application_id
 */

import type { Database } from 'bun:sqlite'
import { basename, join } from 'node:path'
import { type Environment, environments } from '../lib/environment.ts'
import { AppError } from '../lib/error.ts'

/** "PETL" and "PETT" in ASCII, as in `pet_live_` and `pet_test_`. */
const applicationIds: Readonly<Record<Environment, number>> = { production: 0x5045544c, staging: 0x50455454 }

export interface StoreLocation {
  /** Absolute. */
  readonly dataDirectory: string
  readonly environment: Environment
}

/** The database file of an environment. */
export function databasePath({ dataDirectory, environment }: StoreLocation): string {
  return join(dataDirectory, `${environment}.db`)
}

/** The header of a database file has this many bytes. https://sqlite.org/fileformat2.html#the_database_header */
export const databaseHeaderBytes = 100

/** Whether a file that begins with these bytes is the database of a store, or a backup of one. */
export function isStoreHeader(start: Buffer): boolean {
  if (start.length < databaseHeaderBytes || start.toString('latin1', 0, 16) !== 'SQLite format 3\0') return false
  return Object.values(applicationIds).includes(start.readUInt32BE(68))
}

const secretPath = new RegExp(`(^|/)(${environments.join('|')})(-certificates/.+\\.(key|pem)|-secrets\\.json$)`)

/** Whether a path is one of the keys of certificates or the secrets that lie beside the database of a store. */
export function isStoreSecret(path: string): boolean {
  return secretPath.test(path)
}

/** `unmarked`: a new database, or one of an early version of petstore. `foreign`: a database of another program. */
export function environmentOf(connection: Database): Environment | 'unmarked' | 'foreign' {
  const id = connection.query<{ application_id: number }, []>('PRAGMA application_id').get()?.application_id ?? 0
  if (id === 0) return 'unmarked'
  return environments.find((environment) => applicationIds[environment] === id) ?? 'foreign'
}

/** Throws `storage_unavailable` if the database at `path` belongs to another environment than its name states. */
export function assertEnvironment(connection: Database, path: string): void {
  const found = environmentOf(connection)
  const named = environmentNamedBy(path)
  if (found === 'unmarked' || found === named) return
  if (found === 'foreign') {
    throw new AppError('storage_unavailable', `The database ${path} can't be opened: it is not a pet store database.`)
  }
  if (named === undefined) return
  throw new AppError(
    'storage_unavailable',
    `The database ${path} can't be opened: it belongs to ${found}, not to ${named}. Rename it to ${found}.db.`,
  )
}

/** Marks an unmarked database with the environment that its name states. */
export function markEnvironment(connection: Database, path: string): void {
  const named = environmentNamedBy(path)
  if (named === undefined || environmentOf(connection) !== 'unmarked') return
  connection.run(`PRAGMA application_id = ${applicationIds[named]}`)
}

/** Names other than `production.db` and `staging.db` state no environment. */
function environmentNamedBy(path: string): Environment | undefined {
  return environments.find((environment) => basename(path) === `${environment}.db`)
}
