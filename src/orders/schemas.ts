/** The JSON form of orders and of the inventory. */

import { type Static, Type } from '@sinclair/typebox'
import { idQuery, idSchema, nullable, openObject, stringEnum, timeSchema } from '../endpoint/schemas.ts'
import { orderStatuses } from './rules.ts'
import type { OrderRow } from './store.ts'

export const OrderStatus = stringEnum(orderStatuses, {
  title: 'OrderStatus',
  description: 'The status of an order: placed → approved → delivered; placed or approved → cancelled.',
  examples: ['placed'],
})

const quantity = Type.Integer({
  format: 'int32',
  minimum: 1,
  maximum: 1,
  description: 'Always 1, because an order is for one animal.',
  examples: [1],
})

const shipDate = nullable(timeSchema('When the animal is to be shipped; null if no time is set.'))

export const NewOrder = openObject(
  {
    petId: idSchema('The animal that is ordered.'),
    quantity: Type.Optional(quantity),
    shipDate: Type.Optional(shipDate),
    accountId: Type.Optional(
      idSchema('The account to order for; needs the scope `admin` unless it is the account of the key.'),
    ),
  },
  {
    title: 'NewOrder',
    description: 'An order to place. `shipDate` must not be in the past.',
    examples: [{ petId: 42 }],
  },
)

export const Order = Type.Object(
  {
    id: idSchema('Unique identifier, assigned by the service.'),
    accountId: idSchema('The account that placed it.'),
    petId: idSchema('The animal that is ordered; it may have been deleted since.'),
    quantity,
    shipDate,
    status: OrderStatus,
    complete: Type.Boolean({ description: 'Whether it is delivered.', examples: [false] }),
    createdAt: timeSchema('When it was placed.'),
    updatedAt: timeSchema('When it last changed.'),
  },
  { title: 'Order', description: 'An order for an animal.' },
)

export const Orders = Type.Array(Order, { title: 'Orders', description: 'A page of orders.', maxItems: 100 })

/** The filters of a list of orders. */
export const orderFilters = {
  status: Type.Optional(OrderStatus),
  petId: Type.Optional(idQuery('Orders for this animal.')),
}

const animals = (description: string) =>
  Type.Integer({ format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, examples: [7] })

export const Inventory = Type.Object(
  {
    available: animals('Animals that can be ordered.'),
    pending: animals('Animals that are reserved.'),
    sold: animals('Animals that are sold.'),
  },
  { title: 'Inventory', description: 'The numbers of animals by status.' },
)

/** Returns the JSON form of an order. */
export function toOrder(row: OrderRow): Static<typeof Order> {
  const { id, accountId, petId, shipDate: ships, status, createdAt, updatedAt } = row
  return {
    id,
    accountId,
    petId,
    quantity: 1,
    shipDate: ships === null ? null : new Date(ships).toISOString(),
    status,
    complete: status === 'delivered',
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}
