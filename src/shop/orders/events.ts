/** The events of orders. Where the animal changes too, `pet.updated` follows. */

import { changeEvent, type EventDeclarations, event } from '../../access/events/declare.ts'
import { Order } from './schemas.ts'

export const orderEvents = {
  'order.placed': event(Order, 'An order was placed, and its animal is pending.'),
  'order.updated': changeEvent(
    Order,
    'The note or the shipping date of an order was changed, or its animal came back.',
    { note: null },
  ),
  'order.approved': event(Order, 'An order was approved.'),
  'order.delivered': event(Order, 'An order was delivered, and its animal is sold.'),
  'order.cancelled': event(Order, 'An order was cancelled, and its animal is available again.'),
} satisfies EventDeclarations
