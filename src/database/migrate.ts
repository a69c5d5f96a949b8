/**
 * Migrates a database to the schema of this executable, which contains the migrations. `PRAGMA user_version` counts the
 * migrations that were applied to a file.
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
import projects from './migrations/0007_projects.sql' with { type: 'text' }
import hosting from './migrations/0008_hosting.sql' with { type: 'text' }
import deletedPets from './migrations/0009_deleted_pets.sql' with { type: 'text' }
import certificates from './migrations/0010_certificates.sql' with { type: 'text' }
import domains from './migrations/0011_domains.sql' with { type: 'text' }
import orderDetails from './migrations/0012_order_details.sql' with { type: 'text' }
import deploys from './migrations/0013_deploys.sql' with { type: 'text' }
import adminFilters from './migrations/0014_admin_filters.sql' with { type: 'text' }
import owner from './migrations/0015_owner.sql' with { type: 'text' }
import routingChanges from './migrations/0016_routing_changes.sql' with { type: 'text' }
import importState from './migrations/0017_import_state.sql' with { type: 'text' }
import searchByBlock from './migrations/0018_search_by_block.sql' with { type: 'text' }
import petsWithoutCategoryIndex from './migrations/0019_pets_without_category_index.sql' with { type: 'text' }
import searchSigma from './migrations/0020_search_sigma.sql' with { type: 'text' }
import storeAccount from './migrations/0021_store_account.sql' with { type: 'text' }
import undoingImports from './migrations/0022_undoing_imports.sql' with { type: 'text' }
import systemActor from './migrations/0023_system_actor.sql' with { type: 'text' }
import searchLetters from './migrations/0024_search_letters.sql' with { type: 'text' }
import searchInTransaction from './migrations/0025_search_in_transaction.sql' with { type: 'text' }

const migrations: readonly string[] = [
  init,
  store,
  rollAndProbe,
  totalsOfTheStore,
  orderAccounts,
  imports,
  limits,
  projects,
  hosting,
  deletedPets,
  certificates,
  domains,
  orderDetails,
  deploys,
  adminFilters,
  owner,
  routingChanges,
  importState,
  searchByBlock,
  petsWithoutCategoryIndex,
  searchSigma,
  storeAccount,
  undoingImports,
  systemActor,
  searchLetters,
  searchInTransaction,
]

/** Whether the schema is older than this petstore. Throws `storage_unavailable` if it is newer. */
export function needsMigration(connection: Database): boolean {
  const version = versionOf(connection)
  if (version <= migrations.length) return version < migrations.length
  throw new AppError(
    'storage_unavailable',
    `The database has version ${version}, and this petstore supports version ${migrations.length}: run the newer petstore.`,
  )
}

export interface MigrateOptions {
  /** Whether the file was created just now. An older file without tables has lost its content. */
  readonly isNew: boolean
}

/**
 * Applies the missing migrations, all or none. Two processes may do it at the same time. Throws `storage_unavailable` if
 * the file belongs to a newer petstore or another program, or has lost its content.
 */
export function migrate(connection: Database, { isNew }: MigrateOptions): void {
  if (!needsMigration(connection)) return
  // Rebuilding a table needs foreign keys off, which is impossible inside a transaction.
  connection.run('PRAGMA foreign_keys = OFF')
  connection.run('BEGIN IMMEDIATE')
  try {
    if (needsMigration(connection)) {
      const version = versionOf(connection)
      if (version === 0) assertNew(connection, isNew)
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

/** Throws unless the database is new: other programs' tables, or an emptied file, must not be migrated. */
function assertNew(connection: Database, isNew: boolean): void {
  if (connection.query('SELECT 1 FROM sqlite_schema').get()) {
    throw new AppError(
      'storage_unavailable',
      'The database belongs to another program: move it away, or use another --data.',
    )
  }
  if (!isNew) throw emptyDatabase(connection.filename)
}

/** The error for a database that exists and is empty. */
export function emptyDatabase(path: string): AppError {
  const advice = 'Restore a backup (petstore backup restore FILE), or move the file away to begin a new store.'
  return new AppError('storage_unavailable', `The database ${path} is empty: its content is lost. ${advice}`)
}

function versionOf(connection: Database): number {
  return connection.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
}
