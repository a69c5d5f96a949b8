/** Pages of the orders whose number is, or whose animal's name or note contains, a text. */

import { and, asc, desc, eq, gt, lt, max, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { lazily, type Tables } from '../../database/open.ts'
import { collectMatches, type IdRange, type Matches, windowScan } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { type OrderFilter, type OrderRow, orders } from './table.ts'

/** The number of ids that are examined at a time, in about a millisecond. */
const windowSize = 4_096

/**
 * Returns a function that finds at most `limit` orders of a range that match the filter, in its order. A search that runs
 * out of time returns the last id that it has examined. `monotonic` is a clock in milliseconds.
 */
export function createOrderSearch(tables: Tables, monotonic: () => number) {
  const { placeholder } = sql
  const highestId = lazily(() =>
    tables
      .select({ id: max(orders.id) })
      .from(orders)
      .prepare(),
  )
  const statements = new Map<string, ReturnType<typeof prepare>>()

  function prepare({ accountId, status, petId }: OrderFilter, order: IdRange['order']) {
    const conditions: (SQL | undefined)[] = [gt(orders.id, placeholder('low')), lt(orders.id, placeholder('high'))]
    if (accountId !== undefined) conditions.push(eq(orders.accountId, placeholder('accountId')))
    if (status !== undefined) conditions.push(eq(orders.status, placeholder('status')))
    if (petId !== undefined) conditions.push(eq(orders.petId, placeholder('petId')))
    conditions.push(or(eq(orders.id, placeholder('number')), mayContain(orders.petName), mayContain(orders.note)))
    return tables
      .select()
      .from(orders)
      .where(and(...conditions))
      .orderBy(order === 'asc' ? asc(orders.id) : desc(orders.id))
      .limit(placeholder('most'))
      .prepare()
  }

  function scanOf({ q: _, ...filter }: OrderFilter, order: IdRange['order'], folded: string, number: number) {
    const { accountId, status, petId } = filter
    const combination = `${order} ${accountId !== undefined} ${status !== undefined} ${petId !== undefined}`
    const statement = statements.get(combination) ?? prepare(filter, order)
    statements.set(combination, statement)
    return windowScan(windowSize, (window) => statement.all({ ...filter, folded, number, ...window }))
  }

  return (q: string, filter: OrderFilter, range: IdRange, limit: number): Matches<OrderRow> => {
    const folded = foldedText(q)
    const number = numberOf(q)
    const existing = { ...range, below: Math.min(range.below, (highestId.get({})?.id ?? 0) + 1) }
    const contains = (text: string | null) => text !== null && foldedText(text).includes(folded)
    const isMatch = ({ id, petName, note }: OrderRow) => id === number || contains(petName) || contains(note)
    return collectMatches(scanOf(filter, range.order, folded, number), existing, limit, isMatch, monotonic)
  }
}

/** SQLite's lower() folds ASCII texts completely. Every order with another text is a candidate. */
const mayContain = (column: SQLiteColumn): SQL =>
  sql`instr(lower(${column}), ${sql.placeholder('folded')}) > 0 OR octet_length(${column}) <> length(${column})`

/** The number that a text such as `12` or `#12` is, 0 if it is none. */
function numberOf(q: string): number {
  return Number(/^\s*#?([1-9][0-9]{0,14})\s*$/.exec(q)?.[1] ?? 0)
}
