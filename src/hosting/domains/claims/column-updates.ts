/** The statements that change certain columns of a domain. They are prepared once: each check runs one of a few. */

import { eq, sql } from 'drizzle-orm'
import type { Tables } from '../../../database/open.ts'
import { domains } from '../table.ts'

type Row = typeof domains.$inferSelect
type Changes = Partial<Row>

/** Those of the trigger that writes `routing_changes`. */
const routingColumns: readonly (keyof Row)[] = ['isPrimary', 'redirectStatus', 'hsts', 'holdsName', 'isDegraded']

/** Whether a change may affect which domains are served, and where the others redirect. */
export function affectsRouting(changes: Changes): boolean {
  return routingColumns.some((column) => column in changes)
}

export function createColumnUpdates(tables: Tables) {
  const statements = new Map<string, ReturnType<typeof prepare>>()
  const prepare = (columns: readonly string[]) =>
    tables
      .update(domains)
      .set(Object.fromEntries(columns.map((column) => [column, sql.placeholder(column)])))
      .where(eq(domains.id, sql.placeholder('id')))
      .prepare()

  return (id: number, changes: Changes): void => {
    const columns = Object.keys(changes)
    const key = columns.join()
    const statement = statements.get(key) ?? prepare(columns)
    statements.set(key, statement)
    statement.run({ ...changes, id })
  }
}
