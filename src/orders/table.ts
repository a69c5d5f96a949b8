/** The table of orders. An order stays when its animal is deleted, so `pet_id` is not a foreign key. */

import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { accounts } from '../accounts/table.ts'
import { orderStatuses } from './rules.ts'

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
  ],
)
