/** The table of orders. An order stays when its animal is deleted, so `pet_id` is not a foreign key. */

import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { accounts } from '../../access/accounts/table.ts'
import { type OrderStatus, orderStatuses } from './rules.ts'

export const orders = sqliteTable(
  'orders',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    petId: integer('pet_id').notNull(),
    status: text({ enum: orderStatuses }).notNull(),
    /** Unix milliseconds, as all times here. */
    shipDate: integer('ship_date'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** The name of the animal when the order was placed. */
    petName: text('pet_name').notNull(),
    note: text(),
    /** The price of the animal when the order was placed, in the smallest unit of the currency; null if it had none. */
    price: integer(),
    currency: text(),
    approvedAt: integer('approved_at'),
    deliveredAt: integer('delivered_at'),
    cancelledAt: integer('cancelled_at'),
    /** When its animal, which was delivered, became available again. */
    returnedAt: integer('returned_at'),
  },
  // Each index ends in the rowid, so that every filter pages by id without sorting.
  (table) => [
    index('orders_by_account').on(table.accountId),
    index('orders_by_account_and_status').on(table.accountId, table.status),
    index('orders_by_status').on(table.status),
    index('orders_by_pet').on(table.petId),
    index('orders_by_pet_and_status').on(table.petId, table.status),
    // At most one order for an animal is open, even if the code has a fault.
    uniqueIndex('open_orders_by_pet').on(table.petId).where(sql`status in ('placed', 'approved')`),
    index('placed_orders_by_time').on(table.createdAt).where(sql`status = 'placed'`),
  ],
)

/** The number of orders of an account in a status; account -1 is the whole store. */
export const orderTotals = sqliteTable(
  'order_totals',
  {
    accountId: integer('account_id').notNull(),
    status: text({ enum: orderStatuses }).notNull(),
    orders: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.status] })],
)

/** The number of orders that were placed and delivered on a day, in whole UTC days since the Unix epoch. */
export const orderDays = sqliteTable('order_days', {
  day: integer().primaryKey(),
  placed: integer().notNull(),
  delivered: integer().notNull(),
  /** Animals that were sold without an order, less those that came back on that day. */
  sold: integer().notNull().default(0),
})

export type OrderRow = typeof orders.$inferSelect

export interface OrderFilter {
  readonly accountId?: number | undefined
  readonly status?: OrderStatus | undefined
  readonly petId?: number | undefined
  /** A number, or part of an animal's name or of a note. */
  readonly q?: string | undefined
}
