/** Stores as older versions of petstore have left them, with rows in every table, for tests of upgrades. */

import { Database } from 'bun:sqlite'
import { markEnvironment } from '../environment.ts'
import { migrate, migrations } from '../migrate.ts'

/** The versions that stores of released petstores have, without the one of this petstore. */
export const olderVersions: readonly number[] = migrations.slice(1).map((_, i) => 27 + i)

/** The rows of each table as text that can be compared, by the name of the table. */
export type Rows = Readonly<Record<string, readonly string[]>>

const rowsOfEach = 3

/**
 * Creates a store of a version at `path`, whose tables all have made-up rows, or only those that `isFilled` accepts.
 * Returns all rows.
 */
export function createOldStore(path: string, version: number, isFilled = (_table: string) => true): Rows {
  const connection = new Database(path, { create: true, readwrite: true })
  connection.run('PRAGMA journal_mode = WAL')
  migrate(connection, { isNew: true, all: migrations.slice(0, version - 26) })
  markEnvironment(connection, path)
  connection.run('PRAGMA foreign_keys = OFF')
  for (const table of tablesOf(connection).filter(isFilled)) fill(connection, table)
  const rows = readRows(connection)
  connection.close(true)
  return rows
}

/** The rows of a database; of the columns in `like` if it is given, and of its tables that the database still has. */
export function readRows(connection: Database, like?: Rows): Rows {
  const tables = tablesOf(connection).filter((table) => like === undefined || like[table] !== undefined)
  return Object.fromEntries(
    tables.map((table) => {
      const columns = like
        ? Object.keys(JSON.parse(like[table]?.[0] ?? '{}'))
        : columnsOf(connection, table).map(({ name }) => name)
      const members = columns.map(
        (name) => `'${name}', CASE typeof(\`${name}\`) WHEN 'blob' THEN hex(\`${name}\`) ELSE \`${name}\` END`,
      )
      const rows = connection.query(`SELECT json_object(${members.join(', ')}) FROM \`${table}\``).values()
      return [table, (rows as [string][]).map(([row]) => row).sort()]
    }),
  )
}

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
}

interface ForeignKey {
  readonly table: string
  readonly from: string
  readonly to: string
}

const columnsOf = (connection: Database, table: string) =>
  connection.query<Column, [string]>('SELECT name, type, "notnull" FROM pragma_table_info(?)').all(table)

/** Without those of SQLite, and of the search index that versions up to 34 have. */
function tablesOf(connection: Database): string[] {
  const sql =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'pet_search%'"
  return connection
    .query<{ name: string }, []>(sql)
    .all()
    .map(({ name }) => name)
}

function fill(connection: Database, table: string): void {
  const parents = connection
    .query<ForeignKey, [string]>('SELECT "table", "from", "to" FROM pragma_foreign_key_list(?)')
    .all(table)
  const columns = columnsOf(connection, table)
  const insert = connection.query(
    `INSERT OR REPLACE INTO \`${table}\` (${columns.map(({ name }) => `\`${name}\``)}) VALUES (${columns.map(() => '?')})`,
  )
  for (let row = 1; row <= rowsOfEach; row++) {
    const values = columns.map(({ name, type, notnull }) => {
      // The last row has a value in every column, the others only where one is needed.
      if (!notnull && row < rowsOfEach) return null
      const parent = parents.find(({ from }) => from === name)
      return parent ? madeUp(parent.table, parent.to, type, row) : madeUp(table, name, type, row)
    })
    insert.run(...values)
  }
}

function madeUp(table: string, column: string, type: string, row: number) {
  if (type.toLowerCase() === 'integer') return row
  const text = `${table} ${column} ${row} ñ🐈`
  return type.toLowerCase() === 'blob' ? Buffer.from(text) : text
}
