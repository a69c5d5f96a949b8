/** The usual statements over one table, so that a store writes out only the others. */

import { and, asc, count, desc, getTableColumns, gt, lt, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { limitParameter, type Prepared, type Tables } from './open.ts'

/** How many rows an update or a removal has changed. bun:sqlite's `run` returns it, but drizzle's type is void. */
const changesOf = (result: unknown) => (result as { readonly changes: number }).changes

/** The names of the members that have a value. */
const namesIn = (values: object) => Object.keys(values).filter((name) => values[name as never] !== undefined)

/** So that the condition and the change of one update can have the same column. */
const changed = (name: string) => `new ${name}`

export interface ListOptions<Row> {
  readonly orderBy?: keyof Row & string
  readonly descending?: boolean
  /** Exclusive bounds of the column `orderBy`. */
  readonly above?: number
  readonly below?: number
  readonly limit?: number
}

/**
 * Statements over `table`, each prepared when its combination of columns is first used. They read whole rows: a hot
 * path that needs few columns prepares its statement by hand.
 *
 * @example
 * const sessions = rowsOf(tables, ownerSessions)
 * const { id } = sessions.insert({ sha256, createdAt, lastActiveAt, userAgent, network })
 * sessions.find({ sha256 })?.lastActiveAt
 * sessions.list({}, { orderBy: 'id', descending: true, limit: 50 })
 * sessions.update({ id }, { lastActiveAt })
 * const wasThere = sessions.remove({ id }) > 0
 */
export function rowsOf<T extends SQLiteTable>(tables: Tables, typedTable: T) {
  type Row = T['$inferSelect']
  /** The values that columns must have. */
  type Where = { readonly [K in keyof Row]?: NonNullable<Row[K]> }
  /** A member that is undefined does not filter. */
  type Filter = { readonly [K in keyof Row]?: NonNullable<Row[K]> | undefined }

  const table: SQLiteTable = typedTable
  const columns: Readonly<Record<string, SQLiteColumn>> = getTableColumns(table)
  const column = (name: string) => columns[name] as SQLiteColumn
  const statements = new Map<string, Prepared>()

  function prepared(key: string, prepare: () => Prepared): Prepared {
    const statement = statements.get(key) ?? prepare()
    statements.set(key, statement)
    return statement
  }

  function parameter(name: string, placeholder = name) {
    // drizzle would encode null too, as false for example.
    const mapToDriverValue = (value: unknown) => (value === null ? null : column(name).mapToDriverValue(value))
    return sql`${sql.param(sql.placeholder(placeholder), { mapToDriverValue })}`
  }
  const parameters = (names: readonly string[], placeholderOf = (name: string) => name) =>
    Object.fromEntries(names.map((name) => [name, parameter(name, placeholderOf(name))]))
  const matches = (names: readonly string[]) => and(...names.map((name) => sql`${column(name)} = ${parameter(name)}`))

  return {
    /** The row with these values, of which there is at most one. */
    find(where: Where): Row | undefined {
      const names = namesIn(where)
      const statement = prepared(`find ${names}`, () => tables.select().from(table).where(matches(names)).prepare())
      return statement.get(where) as Row | undefined
    },
    list(filter: Filter = {}, options: ListOptions<Row> = {}): Row[] {
      const { orderBy, descending = false, above, below, limit = -1 } = options
      const names = namesIn(filter)
      const bounds = namesIn({ above, below })
      const statement = prepared(`list ${names} ${orderBy} ${descending} ${bounds}`, () => {
        const by = column(orderBy ?? '')
        const isWithin = bounds.map((bound) => (bound === 'above' ? gt : lt)(by, sql.placeholder(bound)))
        const query = tables
          .select()
          .from(table)
          .where(and(matches(names), ...isWithin))
          .limit(limitParameter('limit'))
        return orderBy === undefined ? query.prepare() : query.orderBy((descending ? desc : asc)(by)).prepare()
      })
      return statement.all({ ...filter, above, below, limit }) as Row[]
    },
    count(where: Where): number {
      const names = namesIn(where)
      const statement = prepared(`count ${names}`, () =>
        tables.select({ count: count() }).from(table).where(matches(names)).prepare(),
      )
      return (statement.get(where) as { count: number }).count
    },
    insert(row: T['$inferInsert']): Row {
      const names = namesIn(row)
      const statement = prepared(`insert ${names}`, () =>
        tables.insert(table).values(parameters(names)).returning().prepare(),
      )
      return statement.get(row) as Row
    },
    /** Inserts a row, or replaces the values of the one that has the same `key`, which must be unique. */
    put(row: T['$inferInsert'], ...key: (keyof Row & string)[]): Row {
      const names = namesIn(row)
      const statement = prepared(`put ${names} ${key}`, () =>
        tables
          .insert(table)
          .values(parameters(names))
          .onConflictDoUpdate({ target: key.map(column), set: parameters(names.filter((name) => !key.includes(name))) })
          .returning()
          .prepare(),
      )
      return statement.get(row) as Row
    },
    /** Returns the number of rows that it changed. */
    update(where: Where, changes: Partial<Row>): number {
      const [names, columnNames] = [namesIn(where), namesIn(changes)]
      if (columnNames.length === 0) return 0
      const statement = prepared(`update ${columnNames} where ${names}`, () =>
        tables.update(table).set(parameters(columnNames, changed)).where(matches(names)).prepare(),
      )
      const values = Object.fromEntries(Object.entries(changes).map(([name, value]) => [changed(name), value]))
      return changesOf(statement.run({ ...where, ...values }))
    },
    /** Returns the number of rows that it removed. */
    remove(where: Where): number {
      const names = namesIn(where)
      const statement = prepared(`remove ${names}`, () => tables.delete(table).where(matches(names)).prepare())
      return changesOf(statement.run(where))
    },
  }
}
