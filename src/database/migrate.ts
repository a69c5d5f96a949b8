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

/**
 * Applies what is missing, all or nothing, safe against a second process that does the same. Throws
 * `storage_unavailable` if a newer executable has written the file.
 */
export function migrate(connection: Database): void {
  if (versionOf(connection) === migrations.length) return
  // Foreign keys can't be switched inside a transaction, and rebuilding a table needs them off.
  connection.run('PRAGMA foreign_keys = OFF')
  connection.run('BEGIN IMMEDIATE')
  try {
    const version = versionOf(connection)
    if (version === 0) assertEmpty(connection)
    if (version > migrations.length) {
      throw new AppError(
        'storage_unavailable',
        `The database is of version ${version}, this petstore knows ${migrations.length}: run the newer petstore.`,
      )
    }
    for (const migration of migrations.slice(version)) connection.run(migration)
    const broken = connection.query('PRAGMA foreign_key_check').get()
    if (broken) throw new Error(`a migration broke a foreign key: ${JSON.stringify(broken)}`)
    connection.run(`PRAGMA user_version = ${migrations.length}`)
    connection.run('COMMIT')
  } catch (error) {
    if (connection.inTransaction) connection.run('ROLLBACK')
    throw error
  } finally {
    connection.run('PRAGMA foreign_keys = ON')
  }
}

/** Another program's database is not ours to fill. */
function assertEmpty(connection: Database): void {
  if (connection.query('SELECT 1 FROM sqlite_schema').get()) {
    throw new AppError(
      'storage_unavailable',
      'The database belongs to another program: move it away, or use another --data.',
    )
  }
}

function versionOf(connection: Database): number {
  return connection.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
}
