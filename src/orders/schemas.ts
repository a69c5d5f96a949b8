/** Orders on the wire. */

import { type Static, Type } from '@sinclair/typebox'
import { pageParameters } from '../http/page.ts'
import { idParameter, idSchema, nullable, openObject, stringEnum, timeSchema } from '../http/validation.ts'
import { orderStatuses } from './rules.ts'
import type { OrderRow } from './store.ts'

export const OrderStatus = stringEnum(orderStatuses, {
  title: 'OrderStatus',
  description: 'How far an order is: placed → approved → delivered; placed or approved → cancelled.',
  examples: ['placed'],
})

const quantity = Type.Integer({
  format: 'int32',
  minimum: 1,
  maximum: 1,
  description: 'Always 1: an animal is one of its kind.',
  examples: [1],
})

const shipDate = nullable(timeSchema('When the animal is to be shipped; null if that is open.'))

export const NewOrder = openObject(
  {
    petId: idSchema('The animal that is ordered.'),
    quantity: Type.Optional(quantity),
    shipDate: Type.Optional(shipDate),
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
    petId: idSchema('The animal that is ordered; it may be gone by now.'),
    quantity,
    shipDate,
    status: OrderStatus,
    complete: Type.Boolean({ description: 'Whether it is delivered.', examples: [false] }),
    createdAt: timeSchema('When it was placed.'),
    updatedAt: timeSchema('When it last changed.'),
  },
  { title: 'Order', description: 'An order for an animal.', additionalProperties: false },
)

export const Orders = Type.Array(Order, { title: 'Orders', description: 'A page of orders.', maxItems: 100 })

export const OrderQuery = openObject({
  ...pageParameters,
  status: Type.Optional(OrderStatus),
  petId: Type.Optional(idParameter('Orders for this animal.')),
})
export type OrderQuery = Static<typeof OrderQuery>

const animals = (description: string) =>
  Type.Integer({ format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, examples: [7] })

export const Inventory = Type.Object(
  {
    available: animals('Animals that can be ordered.'),
    pending: animals('Animals that are reserved.'),
    sold: animals('Animals that are sold.'),
  },
  { title: 'Inventory', description: 'The numbers of animals by status.', additionalProperties: false },
)

/** An order as the API shows it. */
export function toOrder({ id, petId, shipDate: ships, status, createdAt, updatedAt }: OrderRow): Static<typeof Order> {
  return {
    id,
    petId,
    quantity: 1,
    shipDate: ships === null ? null : new Date(ships).toISOString(),
    status,
    complete: status === 'delivered',
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}
