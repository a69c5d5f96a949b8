/**
 * Checks whether a database file is undamaged and belongs to a store that this executable can read, and counts its
 * animals, orders and keys. Changes neither the file nor its directory.
 */

import type { Database } from 'bun:sqlite'
import { environmentOf } from '../../database/environment.ts'
import { isUnreleased, unreleasedVersion } from '../../database/migrate.ts'
import { openDatabase, openImmutable } from '../../database/open.ts'
import type { Environment } from '../../lib/environment.ts'
import { AppError } from '../../lib/error.ts'
import { systemReason } from '../../lib/system-error.ts'

export interface Content {
  /** Null for a file of an old version, which did not store the environment. */
  readonly environment: Environment | null
  readonly animals: number
  readonly orders: number
  readonly keys: number
}

/**
 * Throws `invalid_body` if the database at `path` is damaged, belongs to another environment, or is newer than this
 * executable. `name` is the name of the file in error messages.
 */
export function inspect(path: string, environment: Environment, name: string): Content {
  const database = openImmutable(path)
  try {
    assertReadable(database, environment, name)
    assertUndamaged(database, name)
    return contentOf(database)
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw unusableFile(name, systemReason(cause), cause)
  } finally {
    database.close()
  }
}

export function unusableFile(name: string, fault: string, cause?: unknown): AppError {
  return new AppError('invalid_body', `${name} can't be used: ${fault}.`, { cause })
}

export function otherEnvironment(name: string, found: Environment, environment: Environment): AppError {
  return unusableFile(name, `it belongs to ${found}, not to ${environment}. For ${found}, use --environment ${found}`)
}

function assertReadable(database: Database, environment: Environment, name: string): void {
  const found = environmentOf(database)
  if (found === 'foreign') throw unusableFile(name, 'it is not a pet store database')
  if (found !== 'unmarked' && found !== environment) throw otherEnvironment(name, found, environment)
  const own = ownSchema()
  const { version, objects } = schemaOf(database)
  if (isUnreleased(version)) throw unusableFile(name, unreleasedVersion(version))
  if (version > own.version) {
    throw unusableFile(
      name,
      `it has version ${version}, and this petstore supports ${own.version}. Use a newer version of petstore`,
    )
  }
  const needed = version === own.version ? tablesOf(own.objects) : tablesOfEveryVersion
  const missing = needed.find((table) => !tablesOf(objects).includes(table))
  if (missing !== undefined) throw unusableFile(name, `it is not a pet store database: it has no table "${missing}"`)
}

const tablesOf = (objects: readonly SchemaObject[]) =>
  objects.flatMap(({ type, name }) => (type === 'table' ? [name] : []))

const tablesOfEveryVersion = ['accounts', 'keys', 'categories', 'pets']

function assertUndamaged(database: Database, name: string): void {
  const [fault] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').all()
  if (fault?.integrity_check !== 'ok') {
    throw unusableFile(name, `it is damaged: ${fault?.integrity_check.replaceAll(/\s+/g, ' ')}`)
  }
  const orphan = database.query<{ table: string }, []>('PRAGMA foreign_key_check').get()
  if (orphan) throw unusableFile(name, `it is damaged: a row of ${orphan.table} refers to a missing row`)
}

function contentOf(database: Database): Content {
  const found = environmentOf(database)
  const tables = tablesOf(schemaOf(database).objects)
  const count = (table: string): number => {
    if (!tables.includes(table)) return 0
    return database.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? 0
  }
  return {
    environment: found === 'unmarked' || found === 'foreign' ? null : found,
    animals: count('pets'),
    orders: count('orders'),
    keys: count('keys'),
  }
}

interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly sql: string
}

/** The version of a database, and its tables, indexes and triggers without SQLite's own. */
export function schemaOf(database: Database) {
  const version = database.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
  const objects = database
    .query<SchemaObject, []>(
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite@_%' ESCAPE '@'",
    )
    .all()
  return { version, objects }
}

/** The schema that this executable creates. */
export function ownSchema() {
  const { connection, close } = openDatabase(':memory:', 0)
  try {
    return schemaOf(connection)
  } finally {
    close()
  }
}
