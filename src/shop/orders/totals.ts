/**
 * The numbers of orders by account and status, of the orders that were placed and delivered on each day, and of the
 * animals that were sold without an order. They are kept in the transactions of these changes, so that reading them
 * costs the same for any number of orders.
 */

import type { Database } from 'bun:sqlite'
import { and, asc, eq, gte, lte, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../../database/open.ts'
import { type OrderStatus, orderStatuses } from './rules.ts'
import { orderDays, orderTotals } from './table.ts'

/** The account of the totals of the whole store; ids of accounts are not negative. */
const wholeStore = -1

export interface OrderDay {
  /** Whole UTC days since the Unix epoch. */
  readonly day: number
  readonly placed: number
  readonly delivered: number
  /** Animals that were sold without an order, less those that came back on that day. */
  readonly sold: number
}

export type OrderCounts = Readonly<Record<OrderStatus, number>>

const dayMs = 86_400_000

export function createOrderTotals(tables: Tables, connection: Database) {
  const { placeholder } = sql
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
  const ofAccount = lazily(() =>
    tables
      .select({ status: orderTotals.status, orders: orderTotals.orders })
      .from(orderTotals)
      .where(eq(orderTotals.accountId, placeholder('accountId')))
      .prepare(),
  )
  const addDay = lazily(() =>
    tables
      .insert(orderDays)
      .values({ day: placeholder('day'), placed: placeholder('placed'), delivered: placeholder('delivered') })
      .onConflictDoUpdate({
        target: orderDays.day,
        set: {
          placed: sql`${orderDays.placed} + excluded.placed`,
          delivered: sql`${orderDays.delivered} + excluded.delivered`,
        },
      })
      .prepare(),
  )
  const addSold = connection.prepare<never, [number, number]>(
    `INSERT INTO order_days (day, placed, delivered, sold) VALUES (?1, 0, 0, max(0, ?2))
     ON CONFLICT DO UPDATE SET sold = max(0, sold + ?2)`,
  )
  const days = lazily(() =>
    tables
      .select()
      .from(orderDays)
      .where(and(gte(orderDays.day, placeholder('first')), lte(orderDays.day, placeholder('last'))))
      .orderBy(asc(orderDays.day))
      .prepare(),
  )

  function change(accountId: number, status: OrderStatus, orders: number): void {
    for (const id of [accountId, wholeStore]) add.run({ accountId: id, status, orders })
  }

  return {
    /** Called in the transaction in which an order is placed at `nowMs` (Unix milliseconds). */
    wasPlaced(accountId: number, nowMs: number): void {
      change(accountId, 'placed', 1)
      addDay.run({ day: Math.floor(nowMs / dayMs), placed: 1, delivered: 0 })
    },
    /** Called in the transaction in which the status of an order changes. */
    wasMoved(accountId: number, from: OrderStatus, to: OrderStatus, nowMs: number): void {
      change(accountId, from, -1)
      change(accountId, to, 1)
      if (to === 'delivered') addDay.run({ day: Math.floor(nowMs / dayMs), placed: 0, delivered: 1 })
    },
    /** Adds to the animals that were sold without an order on the day of `nowMs`. */
    addSold(animals: 1 | -1, nowMs: number): void {
      addSold.run(Math.floor(nowMs / dayMs), animals)
    },
    /** The numbers of orders of an account, or of all, by status. */
    counts(accountId: number = wholeStore): OrderCounts {
      const found = new Map(ofAccount.all({ accountId }).map(({ status, orders }) => [status, orders]))
      return Object.fromEntries(orderStatuses.map((status) => [status, found.get(status) ?? 0])) as OrderCounts
    },
    /** The days from `first` to `last` with orders or sales, in order. */
    days: (first: number, last: number): OrderDay[] => days.all({ first, last }),
  }
}
