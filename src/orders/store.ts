/** Prepared statements over orders. */

import { and, asc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../database/announcements.ts'
import { insertedId, type Tables } from '../database/open.ts'
import type { OrderStatus } from './rules.ts'
import { orders } from './table.ts'

export type OrderRow = typeof orders.$inferSelect

export interface OrderFilter {
  readonly accountId?: number | undefined
  readonly status?: OrderStatus | undefined
  readonly petId?: number | undefined
}

export function createOrderStore(tables: Tables, declare: Declare = declareNothing) {
  const byId = tables
    .select()
    .from(orders)
    .where(eq(orders.id, sql.placeholder('id')))
    .prepare()
  const openByPet = tables
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.petId, sql.placeholder('petId')), inArray(orders.status, ['placed', 'approved'])))
    .prepare()
  const insert = tables
    .insert(orders)
    .values({
      accountId: sql.placeholder('accountId'),
      petId: sql.placeholder('petId'),
      status: 'placed',
      shipDate: sql.placeholder('shipDate'),
      createdAt: sql.placeholder('createdAt'),
      updatedAt: sql.placeholder('createdAt'),
    })
    .prepare()
  const update = tables
    .update(orders)
    .set({ status: sql`${sql.placeholder('status')}`, updatedAt: sql`${sql.placeholder('updatedAt')}` })
    .where(eq(orders.id, sql.placeholder('id')))
    .prepare()
  const pages = new Map<string, ReturnType<typeof preparePage>>()

  /** Prepares the statement for one combination of filters. */
  function preparePage({ accountId, status, petId }: OrderFilter) {
    const conditions: SQL[] = [gt(orders.id, sql.placeholder('after'))]
    if (accountId !== undefined) conditions.push(eq(orders.accountId, sql.placeholder('accountId')))
    if (status !== undefined) conditions.push(eq(orders.status, sql.placeholder('status')))
    if (petId !== undefined) conditions.push(eq(orders.petId, sql.placeholder('petId')))
    return tables
      .select()
      .from(orders)
      .where(and(...conditions))
      .orderBy(asc(orders.id))
      .limit(sql.placeholder('limit'))
      .prepare()
  }

  return {
    find: (id: number): OrderRow | undefined => byId.get({ id }),
    /** The id of the open order for an animal. */
    openOrderOf: (petId: number): number | undefined => openByPet.get({ petId })?.id,
    /** At most `limit` orders with ids greater than `after` that match the filter, by id. */
    page(filter: OrderFilter, after: number, limit: number): OrderRow[] {
      const combination = `${filter.accountId !== undefined} ${filter.status !== undefined} ${filter.petId !== undefined}`
      let statement = pages.get(combination)
      if (!statement) {
        statement = preparePage(filter)
        pages.set(combination, statement)
      }
      return statement.all({ ...filter, after, limit })
    },
    /** Adds an order with the status `placed`; times in Unix milliseconds. */
    add(order: Pick<OrderRow, 'accountId' | 'petId' | 'shipDate' | 'createdAt'>): OrderRow {
      declare('orders')
      return { id: insertedId(insert.run({ ...order })), status: 'placed', updatedAt: order.createdAt, ...order }
    },
    setStatus(order: OrderRow, status: OrderStatus, updatedAt: number): OrderRow {
      declare('orders')
      update.run({ id: order.id, status, updatedAt })
      return { ...order, status, updatedAt }
    },
  }
}
export type OrderStore = ReturnType<typeof createOrderStore>
