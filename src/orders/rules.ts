/** The life of an order, and what it does to its animal. */

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
