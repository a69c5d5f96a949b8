/**
 * Brings a database to the schema of this executable. The migrations are compiled in;
 * `PRAGMA user_version` counts the ones a file has had.
 */

import type { Database } from 'bun:sqlite'
import { AppError } from '../lib/error.ts'
import init from './migrations/0000_init.sql' with { type: 'text' }
import store from './migrations/0001_store.sql' with { type: 'text' }
import rollAndProbe from './migrations/0002_roll_and_probe.sql' with { type: 'text' }
import totalsOfTheStore from './migrations/0003_totals_of_the_store.sql' with { type: 'text' }
import orderAccounts from './migrations/0004_order_accounts.sql' with { type: 'text' }
import imports from './migrations/0005_imports.sql' with { type: 'text' }
import limits from './migrations/0006_limits.sql' with { type: 'text' }

const migrations: readonly string[] = [init, store, rollAndProbe, totalsOfTheStore, orderAccounts, imports, limits]

/** Whether the schema is of an older petstore. Throws `storage_unavailable` if it is of a newer one. */
export function needsMigration(connection: Database): boolean {
  const version = versionOf(connection)
  if (version <= migrations.length) return version < migrations.length
  throw new AppError(
    'storage_unavailable',
    `The database is of version ${version}, and this petstore knows version ${migrations.length}: run the newer petstore.`,
  )
}

export interface MigrateOptions {
  /** Whether the file has just been made; an older one without tables has lost its content. */
  readonly isNew: boolean
}

/**
 * Applies what is missing, all or nothing, safe against a second process that does the same. Throws
 * `storage_unavailable` if the file is of a newer petstore, of another program, or has lost its content.
 */
export function migrate(connection: Database, { isNew }: MigrateOptions): void {
  if (!needsMigration(connection)) return
  // Foreign keys can't be switched inside a transaction, and rebuilding a table needs them off.
  connection.run('PRAGMA foreign_keys = OFF')
  connection.run('BEGIN IMMEDIATE')
  try {
    if (needsMigration(connection)) {
      const version = versionOf(connection)
      if (version === 0) assertFillable(connection, isNew)
      for (const migration of migrations.slice(version)) connection.run(migration)
      const broken = connection.query('PRAGMA foreign_key_check').get()
      if (broken) throw new Error(`a migration broke a foreign key: ${JSON.stringify(broken)}`)
      connection.run(`PRAGMA user_version = ${migrations.length}`)
    }
    connection.run('COMMIT')
  } catch (error) {
    if (connection.inTransaction) connection.run('ROLLBACK')
    throw error
  } finally {
    connection.run('PRAGMA foreign_keys = ON')
  }
}

/** Another program's database is not ours to fill. */
function assertFillable(connection: Database, isNew: boolean): void {
  if (connection.query('SELECT 1 FROM sqlite_schema').get()) {
    throw new AppError(
      'storage_unavailable',
      'The database belongs to another program: move it away, or use another --data.',
    )
  }
  if (!isNew) throw emptyDatabase(connection.filename)
}

/** The error for a database that is there and holds nothing. */
export function emptyDatabase(path: string): AppError {
  const advice = 'Restore a backup (petstore backup restore FILE), or move the file away to begin a new store.'
  return new AppError('storage_unavailable', `The database ${path} is empty: what it held is lost. ${advice}`)
}

function versionOf(connection: Database): number {
  return connection.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
}
