/** The life of an order, and what it does to its animal. */

import { allows, type Scope } from '../keys/rules.ts'
import { AppError } from '../lib/error.ts'
import type { PetStatus } from '../pets/rules.ts'

export const orderStatuses = ['placed', 'approved', 'delivered', 'cancelled'] as const
export type OrderStatus = (typeof orderStatuses)[number]

/** What can be done to an order. */
export const orderSteps = ['approve', 'deliver', 'cancel'] as const
export type OrderStep = (typeof orderSteps)[number]

const steps: Record<
  OrderStep,
  { readonly from: readonly OrderStatus[]; readonly to: OrderStatus; readonly pet?: PetStatus }
> = {
  approve: { from: ['placed'], to: 'approved' },
  deliver: { from: ['approved'], to: 'delivered', pet: 'sold' },
  cancel: { from: ['placed', 'approved'], to: 'cancelled', pet: 'available' },
}

/** The status that a step leads to. Throws `invalid_status_transition` unless it may be taken from `status`. */
export function statusAfter(step: OrderStep, status: OrderStatus): OrderStatus {
  const { from, to } = steps[step]
  if (!from.includes(status)) {
    throw new AppError('invalid_status_transition', `An order that is ${status} cannot become ${to}.`)
  }
  return to
}

/** The status that a step gives the order's animal; undefined if it leaves it as it is. */
export function petStatusAfter(step: OrderStep): PetStatus | undefined {
  return steps[step].pet
}

/** Throws `invalid_body` for a shipping date (Unix milliseconds) that has passed. */
export function assertShipDate(shipDateMs: number | null, nowMs: number): void {
  if (shipDateMs !== null && shipDateMs < nowMs) {
    throw new AppError('invalid_body', 'shipDate must not be in the past.')
  }
}

/** What decides which orders somebody may see. */
export interface OrderViewer {
  readonly accountId: number
  readonly scopes: ReadonlySet<Scope>
}

/** Whether somebody may see the orders of every account. */
export function maySeeAllOrders({ scopes }: Pick<OrderViewer, 'scopes'>): boolean {
  return allows(scopes, 'orders:manage')
}

/** Whether somebody may see an order: one of their own account, or any with `orders:manage`. */
export function maySee(viewer: OrderViewer, order: { readonly accountId: number }): boolean {
  return order.accountId === viewer.accountId || maySeeAllOrders(viewer)
}
