/**
 * Migrates a database to the schema of this executable, which contains the migrations. `PRAGMA user_version` of a file
 * is the number of the last migration that was applied to it. A migration that is part of a release is never changed,
 * and never merged with another: there are files to which it was applied.
 */

import type { Database } from 'bun:sqlite'
import { AppError } from '../lib/error.ts'
import schema from './migrations/0000_schema.sql' with { type: 'text' }
import oneWriter from './migrations/0001_one_writer.sql' with { type: 'text' }
import mail from './migrations/0002_mail.sql' with { type: 'text' }
import events from './migrations/0003_events.sql' with { type: 'text' }
import backups from './migrations/0004_backups.sql' with { type: 'text' }
import webhooks from './migrations/0005_webhooks.sql' with { type: 'text' }
import petsByName from './migrations/0006_pets_by_name.sql' with { type: 'text' }
import counter from './migrations/0007_counter.sql' with { type: 'text' }
import searchWithoutIndex from './migrations/0008_search_without_index.sql' with { type: 'text' }
import animalsHaveProfiles from './migrations/0009_animals_have_profiles.sql' with { type: 'text' }
import ordersKeepPrices from './migrations/0010_orders_keep_prices.sql' with { type: 'text' }
import animalsHavePhotos from './migrations/0011_animals_have_photos.sql' with { type: 'text' }
import namesWithoutIndex from './migrations/0012_names_without_index.sql' with { type: 'text' }
import importsAreOneTransaction from './migrations/0013_imports_are_one_transaction.sql' with { type: 'text' }
import thereIsAWebShop from './migrations/0014_there_is_a_web_shop.sql' with { type: 'text' }
import importsChangeAnimals from './migrations/0015_imports_change_animals.sql' with { type: 'text' }
import photosHaveHashes from './migrations/0016_photos_have_hashes.sql' with { type: 'text' }

/** In the order in which they are applied; their numbers follow `lastUnreleased`. */
export const migrations: readonly string[] = [
  schema,
  oneWriter,
  mail,
  events,
  backups,
  webhooks,
  petsByName,
  counter,
  searchWithoutIndex,
  animalsHaveProfiles,
  ordersKeepPrices,
  animalsHavePhotos,
  namesWithoutIndex,
  importsAreOneTransaction,
  thereIsAWebShop,
  importsChangeAnimals,
  photosHaveHashes,
]

/** Versions up to this one were in use before the first release. Their migrations are no longer part of petstore. */
const lastUnreleased = 26

/** The version of the schema of this petstore. */
export const currentVersion = lastUnreleased + migrations.length

/** The commit whose petstore is the last that can read such a database. */
const lastReader = '2f73b8c'

/** The error of a database whose schema is newer than this petstore. */
export class NewerSchema extends AppError {
  constructor(version: number, supported: number) {
    const message = `The database has version ${version}, and this petstore supports version ${supported}: run the newer petstore`
    super('storage_unavailable', `${message}, whose petstore version prints ${version}.`)
  }
}

/**
 * Whether the schema is older than this petstore. Throws `NewerSchema` if it is newer, and `storage_unavailable` if it
 * is too old.
 */
export function needsMigration(connection: Database, all = migrations): boolean {
  const version = versionOf(connection)
  const current = lastUnreleased + all.length
  if (isUnreleased(version)) {
    const path = connection.filename
    throw new AppError('storage_unavailable', `The database ${path} can't be used: ${unreleasedVersion(version)}.`)
  }
  if (version <= current) return version < current
  throw new NewerSchema(version, current)
}

/** Whether a version is one from before the first release. */
export const isUnreleased = (version: number): boolean => version > 0 && version <= lastUnreleased

/** What to do with a database of such a version, without the full stop at its end. */
export const unreleasedAdvice = `Export its animals with the petstore of commit ${lastReader} (petstore pets export), and import them into a new store (petstore pets import)`

/** Why it can't be used, and what to do, likewise. */
export const unreleasedVersion = (version: number): string =>
  `it has version ${version}, from before the first release of petstore. ${unreleasedAdvice}`

export interface MigrateOptions {
  /** Whether the file was created just now. An older file without tables has lost its content. */
  readonly isNew: boolean
  /** Others than those of this petstore, for tests of an upgrade. */
  readonly all?: readonly string[] | undefined
}

/**
 * Applies the missing migrations, all or none. Two processes may do it at the same time. Throws `storage_unavailable`
 * if the file belongs to a newer petstore or another program, is too old, or has lost its content.
 */
export function migrate(connection: Database, { isNew, all = migrations }: MigrateOptions): void {
  if (!needsMigration(connection, all)) return
  // Rebuilding a table needs foreign keys off, which is impossible inside a transaction.
  connection.run('PRAGMA foreign_keys = OFF')
  connection.run('BEGIN IMMEDIATE')
  try {
    if (needsMigration(connection, all)) {
      const version = versionOf(connection)
      if (version === 0) assertNew(connection, isNew)
      for (const migration of all.slice(Math.max(0, version - lastUnreleased))) connection.run(migration)
      const broken = connection.query('PRAGMA foreign_key_check').get()
      if (broken) throw new Error(`a migration broke a foreign key: ${JSON.stringify(broken)}`)
      connection.run(`PRAGMA user_version = ${lastUnreleased + all.length}`)
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

/** The number of the last migration that was applied to a database; 0 for one without tables. */
export function versionOf(connection: Database): number {
  return connection.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
}
