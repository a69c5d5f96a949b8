/** Prepared statements over orders, and over their totals, which are written in the same transaction. */

import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, gt, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { lazily, limitParameter, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { createSearch, type IdWindow } from '../../database/search.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { IdRange, Matches } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { type OrderStatus, orderStatuses } from './rules.ts'
import { type OrderFilter, type OrderRow, orderDays, orders, orderTotals } from './table.ts'

export type NewOrderRow = Pick<
  OrderRow,
  'accountId' | 'petId' | 'petName' | 'price' | 'currency' | 'note' | 'shipDate' | 'createdAt'
>

/** An order that waits to be approved. */
type WaitingOrder = Pick<OrderRow, 'id' | 'petName' | 'createdAt'>

/** The column with the time of the change to a status. */
const timeOf = { approved: 'approvedAt', delivered: 'deliveredAt', cancelled: 'cancelledAt' } as const

/** `monotonic` is the clock in milliseconds by which a search is limited. */
export function createOrderStore(
  tables: Tables,
  connection: Database,
  declare: Declare = declareNothing,
  { monotonic }: Pick<Clock, 'monotonic'> = systemClock,
) {
  const rows = rowsOf(tables, orders)
  const openByPet = lazily(() =>
    tables
      .select({ id: orders.id })
      .from(orders)
      .where(and(eq(orders.petId, sql.placeholder('petId')), inArray(orders.status, ['placed', 'approved'])))
      .prepare(),
  )
  const delivered = connection.prepare<Pick<OrderRow, 'id'>, [number]>(
    "SELECT id FROM orders WHERE pet_id = ?1 AND status = 'delivered' ORDER BY id DESC LIMIT 1",
  )
  const waiting = connection.prepare<WaitingOrder, [number, number]>(
    // Otherwise SQLite would choose the index of statuses and sort all placed orders.
    `SELECT id, pet_name AS petName, created_at AS createdAt FROM orders INDEXED BY placed_orders_by_time
     WHERE status = 'placed' AND created_at <= ?1 ORDER BY created_at LIMIT ?2`,
  )
  const search = createOrderSearch(tables, monotonic)
  const totals = createOrderTotals(tables, connection)

  return {
    find: (id: number): OrderRow | undefined => rows.find({ id }),
    /** The id of the open order for an animal. */
    openOrderOf: (petId: number): number | undefined => openByPet.get({ petId })?.id,
    /**
     * At most `limit` orders of a range that match the filter, in its order. With `q` a search stops after a few
     * milliseconds: the page can then be short, and has `searchedTo`.
     */
    page({ q = '', ...filter }: OrderFilter, range: IdRange, limit: number): Matches<OrderRow> {
      // A text that folds to nothing is part of any name.
      if (foldedText(q) !== '') return search(q, filter, range, limit)
      const { order, above, below } = range
      const records = rows.list(filter, { orderBy: 'id', descending: order === 'desc', above, below, limit })
      return { records, searchedTo: undefined }
    },
    /** The numbers of orders of an account, or of all, by status. */
    counts: totals.counts,
    /**
     * The days from `first` to `last` (UTC days since the epoch) on which orders were placed or delivered, or animals
     * sold.
     */
    days: totals.days,
    addSold: totals.addSold,
    /** The last order with which an animal was delivered. */
    lastDelivered(petId: number): OrderRow | undefined {
      const found = delivered.get(petId)
      return found ? rows.find(found) : undefined
    },
    /** At most `limit` orders that were placed until `until` (Unix milliseconds) and still wait, the oldest first. */
    waitingSince: (until: number, limit: number) => waiting.all(until, limit),
    /** Adds an order with the status `placed`; times in Unix milliseconds. */
    add(order: NewOrderRow): OrderRow {
      declare('orders')
      totals.wasPlaced(order.accountId, order.createdAt)
      return rows.insert({ ...order, status: 'placed', updatedAt: order.createdAt })
    },
    /** Changes an order at `nowMs` (Unix milliseconds), but not its status. */
    change(
      order: OrderRow,
      change: Partial<Pick<OrderRow, 'note' | 'shipDate' | 'returnedAt'>>,
      nowMs: number,
    ): OrderRow {
      declare('orders')
      const changes = { ...change, updatedAt: nowMs }
      rows.update({ id: order.id }, changes)
      return { ...order, ...changes }
    },
    /** Changes the status of an order at `nowMs` (Unix milliseconds). */
    setStatus(order: OrderRow, status: Exclude<OrderStatus, 'placed'>, nowMs: number): OrderRow {
      declare('orders')
      const changes = { status, updatedAt: nowMs, [timeOf[status]]: nowMs }
      rows.update({ id: order.id }, changes)
      totals.wasMoved(order.accountId, order.status, status, nowMs)
      return { ...order, ...changes }
    },
  }
}
export type OrderStore = ReturnType<typeof createOrderStore>

/** The account of the totals of the whole store; ids of accounts are not negative. */
const wholeStore = -1

interface OrderDay {
  /** Whole UTC days since the Unix epoch. */
  readonly day: number
  readonly placed: number
  readonly delivered: number
  /** Animals that were sold without an order, less those that came back on that day. */
  readonly sold: number
}

type OrderCounts = Readonly<Record<OrderStatus, number>>

const dayMs = 86_400_000

/**
 * Keeps the numbers of orders by account and status, of the orders that were placed and delivered on each day, and of
 * the animals that were sold without an order, in the transactions of these changes. Reading them costs the same for
 * any number of orders.
 */
function createOrderTotals(tables: Tables, connection: Database) {
  const { placeholder } = sql
  const rows = rowsOf(tables, orderTotals)
  const days = rowsOf(tables, orderDays)
  const add = lazily(() =>
    tables
      .insert(orderTotals)
      .values({ accountId: placeholder('accountId'), status: placeholder('status'), orders: placeholder('orders') })
      .onConflictDoUpdate({
        target: [orderTotals.accountId, orderTotals.status],
        set: { orders: sql`${orderTotals.orders} + excluded.orders` },
      })
      .prepare(),
  )
  const addToDay = connection.prepare<never, [day: number, placed: number, delivered: number, sold: number]>(
    `INSERT INTO order_days (day, placed, delivered, sold) VALUES (?1, ?2, ?3, max(0, ?4))
     ON CONFLICT DO UPDATE SET placed = placed + ?2, delivered = delivered + ?3, sold = max(0, sold + ?4)`,
  )
  const dayOf = (nowMs: number) => Math.floor(nowMs / dayMs)

  function change(accountId: number, status: OrderStatus, orders: number): void {
    for (const id of [accountId, wholeStore]) add.run({ accountId: id, status, orders })
  }

  return {
    /** Called in the transaction in which an order is placed at `nowMs` (Unix milliseconds). */
    wasPlaced(accountId: number, nowMs: number): void {
      change(accountId, 'placed', 1)
      addToDay.run(dayOf(nowMs), 1, 0, 0)
    },
    /** Called in the transaction in which the status of an order changes. */
    wasMoved(accountId: number, from: OrderStatus, to: OrderStatus, nowMs: number): void {
      change(accountId, from, -1)
      change(accountId, to, 1)
      if (to === 'delivered') addToDay.run(dayOf(nowMs), 0, 1, 0)
    },
    /** Adds to the animals that were sold without an order on the day of `nowMs`. */
    addSold(animals: 1 | -1, nowMs: number): void {
      addToDay.run(dayOf(nowMs), 0, 0, animals)
    },
    /** The numbers of orders of an account, or of all, by status. */
    counts(accountId: number = wholeStore): OrderCounts {
      const found = new Map(rows.list({ accountId }).map(({ status, orders }) => [status, orders]))
      return Object.fromEntries(orderStatuses.map((status) => [status, found.get(status) ?? 0])) as OrderCounts
    },
    /** The days from `first` to `last` with orders or sales, in order. */
    days: (first: number, last: number): OrderDay[] =>
      days.list({}, { orderBy: 'day', above: first - 1, below: last + 1 }),
  }
}

/** The number of ids that are examined at a time, in about a millisecond. */
const windowSize = 4_096

/**
 * Returns a function that finds at most `limit` orders of a range whose number is, or whose animal's name or note
 * contains, a text. A search that runs out of time returns the last id that it has examined.
 */
function createOrderSearch(tables: Tables, monotonic: () => number) {
  const search = createSearch(tables, orders, windowSize, monotonic)
  const statements = new Map<string, ReturnType<typeof prepare>>()

  function prepare({ accountId, status, petId }: OrderFilter, order: IdRange['order']) {
    const conditions: (SQL | undefined)[] = [
      gt(orders.id, sql.placeholder('low')),
      lt(orders.id, sql.placeholder('high')),
    ]
    if (accountId !== undefined) conditions.push(eq(orders.accountId, sql.placeholder('accountId')))
    if (status !== undefined) conditions.push(eq(orders.status, sql.placeholder('status')))
    if (petId !== undefined) conditions.push(eq(orders.petId, sql.placeholder('petId')))
    conditions.push(or(eq(orders.id, sql.placeholder('number')), mayContain(orders.petName), mayContain(orders.note)))
    return tables
      .select()
      .from(orders)
      .where(and(...conditions))
      .orderBy(order === 'asc' ? asc(orders.id) : desc(orders.id))
      .limit(limitParameter('most'))
      .prepare()
  }

  return (q: string, filter: OrderFilter, range: IdRange, limit: number): Matches<OrderRow> => {
    const { accountId, status, petId } = filter
    const combination = `${range.order} ${accountId !== undefined} ${status !== undefined} ${petId !== undefined}`
    const statement = statements.get(combination) ?? prepare(filter, range.order)
    statements.set(combination, statement)
    const folded = foldedText(q)
    const number = numberOf(q)
    const read = (window: IdWindow) => statement.all({ accountId, status, petId, folded, number, ...window })
    const contains = (text: string | null) => text !== null && foldedText(text).includes(folded)
    const isMatch = ({ id, petName, note }: OrderRow) => id === number || contains(petName) || contains(note)
    return search(read, range, limit, isMatch)
  }
}

/** SQLite's lower() folds ASCII texts completely. Every order with another text is a candidate. */
const mayContain = (column: SQLiteColumn): SQL =>
  sql`instr(lower(${column}), ${sql.placeholder('folded')}) > 0 OR octet_length(${column}) <> length(${column})`

/** The number that a text such as `12` or `#12` is, 0 if it is none. */
function numberOf(q: string): number {
  return Number(/^\s*#?([1-9][0-9]{0,14})\s*$/.exec(q)?.[1] ?? 0)
}
