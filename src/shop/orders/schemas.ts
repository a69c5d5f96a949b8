/** The JSON form of orders and of the inventory. */

import { type Static, Type } from '@sinclair/typebox'
import {
  beta,
  codePoints,
  countSchema,
  freeText,
  idQuery,
  idSchema,
  nullable,
  orderQuery,
  requestObject,
  stringEnum,
  timeOrNull,
  timeSchema,
  withOptions,
} from '../../api/schemas.ts'
import { petNameSchema } from '../pets/schemas.ts'
import { price } from '../profiles/schemas.ts'
import { storedCurrency } from '../settings/schemas.ts'
import { maximumNoteLength, orderStatuses } from './rules.ts'
import type { OrderRow } from './table.ts'

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

const note = freeText('OrderNote', maximumNoteLength, 'A note for the people who handle the order.', 'Gift wrapped')

export const Order = Type.Object(
  {
    id: idSchema('Unique identifier, assigned by the service.'),
    accountId: idSchema('The account that placed it.'),
    petId: idSchema('The animal that is ordered; it may have been deleted since.'),
    petName: withOptions(petNameSchema, { description: 'The name of the animal when the order was placed.' }),
    quantity,
    price: nullable(
      beta(
        withOptions(price, {
          description:
            'The price of the animal when the order was placed, in the smallest unit of `currency`; null if it had none.',
        }),
      ),
    ),
    currency: nullable(beta(storedCurrency('The currency of the price (ISO 4217); null without a price.'))),
    note: nullable(note.stored),
    shipDate,
    status: OrderStatus,
    complete: Type.Boolean({ description: 'Whether it is delivered.', examples: [false] }),
    createdAt: timeSchema('When it was placed.'),
    updatedAt: timeSchema('When it last changed.'),
    approvedAt: nullable(timeSchema('When it was approved; null if it was not.')),
    deliveredAt: nullable(timeSchema('When it was delivered; null if it was not.')),
    cancelledAt: nullable(timeSchema('When it was cancelled; null if it was not.')),
    returnedAt: nullable(
      timeSchema('When the animal, which was delivered, was marked as available again; null if it was not.'),
    ),
  },
  {
    title: 'Order',
    description: 'An order for an animal.',
    examples: [
      {
        id: 7,
        accountId: 2,
        petId: 42,
        petName: 'Honeysuckle',
        quantity: 1,
        price: 49_900,
        currency: 'EUR',
        note: 'Gift wrapped',
        shipDate: null,
        status: 'placed',
        complete: false,
        createdAt: '2026-11-20T10:15:00.000Z',
        updatedAt: '2026-11-20T10:15:00.000Z',
        approvedAt: null,
        deliveredAt: null,
        cancelledAt: null,
        returnedAt: null,
      },
    ],
  },
)

export const NewOrder = requestObject(
  {
    petId: idSchema('The animal that is ordered.'),
    quantity: Type.Optional(quantity),
    note: Type.Optional(nullable(note.given)),
    shipDate: Type.Optional(shipDate),
    accountId: Type.Optional(
      idSchema('The account to order for; needs the scope `admin` unless it is the account of the key.'),
    ),
  },
  {
    title: 'NewOrder',
    description: 'An order to place. `shipDate` must not be more than a day in the past.',
    examples: [{ petId: 42 }],
  },
  Order,
)

export const OrderChange = requestObject(
  { note: Type.Optional(nullable(note.given)), shipDate: Type.Optional(shipDate) },
  {
    title: 'OrderChange',
    description:
      'The members to change. The others are unchanged. A new `shipDate` must not be more than a day in the past.',
    examples: [{ shipDate: '2030-06-01T12:00:00.000Z' }],
  },
  Order,
)

export const Orders = Type.Array(Order, { title: 'Orders', description: 'A page of orders.', maxItems: 100 })

/** The query parameters of a list of orders. */
export const orderListParameters = {
  status: Type.Optional(OrderStatus),
  petId: Type.Optional(idQuery('Orders for this animal.')),
  q: Type.Optional(
    codePoints('OrderSearchText', {
      title: 'OrderSearchText',
      minLength: 1,
      maxLength: 100,
      description:
        "The number of an order, such as `12` or `#12`, or part of the animal's name or of the note. Case, accents and the kind of apostrophe are ignored.",
    }),
  ),
  order: Type.Optional(orderQuery()),
}

export const OrderCounts = Type.Object(
  {
    placed: countSchema('Orders that are neither approved nor cancelled yet.'),
    approved: countSchema('Orders that are approved and not delivered yet.'),
    delivered: countSchema('Orders that are delivered.'),
    cancelled: countSchema('Orders that are cancelled.'),
  },
  { title: 'OrderCounts', description: 'The numbers of orders by status.' },
)

export const Inventory = Type.Object(
  {
    available: countSchema('Animals that can be ordered.'),
    pending: countSchema('Animals that are reserved.'),
    sold: countSchema('Animals that are sold.'),
  },
  { title: 'Inventory', description: 'The numbers of animals by status.' },
)

/** Returns the JSON form of an order. */
export function toOrder(row: OrderRow): Static<typeof Order> {
  const { id, accountId, petId, petName, note: noted, shipDate, status, createdAt, updatedAt } = row
  return {
    id,
    accountId,
    petId,
    petName,
    quantity: 1,
    price: row.price,
    currency: row.currency,
    note: noted,
    shipDate: timeOrNull(shipDate),
    status,
    complete: status === 'delivered',
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    approvedAt: timeOrNull(row.approvedAt),
    deliveredAt: timeOrNull(row.deliveredAt),
    cancelledAt: timeOrNull(row.cancelledAt),
    returnedAt: timeOrNull(row.returnedAt),
  }
}
