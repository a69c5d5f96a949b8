/**
 * The numbers of orders by account and status, and of the orders that were placed and delivered on each day. They are kept
 * in the transactions that change orders, so that reading them costs the same for any number of orders.
 */

import type { Database } from 'bun:sqlite'
import { type OrderStatus, orderStatuses } from './rules.ts'

/** The account of the totals of the whole store; ids of accounts are not negative. */
const wholeStore = -1

export interface OrderDay {
  /** Whole UTC days since the Unix epoch. */
  readonly day: number
  readonly placed: number
  readonly delivered: number
}

export type OrderCounts = Readonly<Record<OrderStatus, number>>

const dayMs = 86_400_000

export function createOrderTotals(connection: Database) {
  const add = connection.prepare(
    `INSERT INTO order_totals (account_id, status, orders) VALUES (?1, ?2, ?3)
     ON CONFLICT (account_id, status) DO UPDATE SET orders = orders + excluded.orders`,
  )
  const ofAccount = connection.prepare<{ status: OrderStatus; orders: number }, [number]>(
    'SELECT status, orders FROM order_totals WHERE account_id = ?1',
  )
  const addDay = connection.prepare(
    `INSERT INTO order_days (day, placed, delivered) VALUES (?1, ?2, ?3)
     ON CONFLICT (day) DO UPDATE SET placed = placed + excluded.placed, delivered = delivered + excluded.delivered`,
  )
  const days = connection.prepare<OrderDay, [number, number]>(
    'SELECT day, placed, delivered FROM order_days WHERE day >= ?1 AND day <= ?2 ORDER BY day',
  )

  function change(accountId: number, status: OrderStatus, orders: number): void {
    for (const id of [accountId, wholeStore]) add.run(id, status, orders)
  }

  return {
    /** Called in the transaction in which an order is placed at `nowMs` (Unix milliseconds). */
    wasPlaced(accountId: number, nowMs: number): void {
      change(accountId, 'placed', 1)
      addDay.run(Math.floor(nowMs / dayMs), 1, 0)
    },
    /** Called in the transaction in which the status of an order changes. */
    wasMoved(accountId: number, from: OrderStatus, to: OrderStatus, nowMs: number): void {
      change(accountId, from, -1)
      change(accountId, to, 1)
      if (to === 'delivered') addDay.run(Math.floor(nowMs / dayMs), 0, 1)
    },
    /** The numbers of orders of an account, or of all, by status. */
    counts(accountId: number = wholeStore): OrderCounts {
      const found = new Map(ofAccount.all(accountId).map(({ status, orders }) => [status, orders]))
      return Object.fromEntries(orderStatuses.map((status) => [status, found.get(status) ?? 0])) as OrderCounts
    },
    /** The days from `first` to `last` with orders, in order. */
    days: (first: number, last: number): OrderDay[] => days.all(first, last),
  }
}
