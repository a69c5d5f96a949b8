/** The statuses of an order, the steps between them, and the rules of who may see which orders. */

import { allows, type Scope } from '../../api/scopes.ts'
import { AppError } from '../../lib/error.ts'
import type { PetStatus } from '../pets/rules.ts'

export const orderStatuses = ['placed', 'approved', 'delivered', 'cancelled'] as const
export type OrderStatus = (typeof orderStatuses)[number]

/** The steps that change the status of an order. */
export const orderSteps = ['approve', 'deliver', 'cancel'] as const
export type OrderStep = (typeof orderSteps)[number]

/** The statuses after a step. */
type NextStatus = Exclude<OrderStatus, 'placed'>

/** Code points of a note as it was sent. */
export const maximumNoteLength = 500

const steps: Record<
  OrderStep,
  { readonly from: readonly OrderStatus[]; readonly to: NextStatus; readonly pet?: PetStatus }
> = {
  approve: { from: ['placed'], to: 'approved' },
  deliver: { from: ['approved'], to: 'delivered', pet: 'sold' },
  cancel: { from: ['placed', 'approved'], to: 'cancelled', pet: 'available' },
}

/** The status after a step. Throws `invalid_status_transition` unless the step is allowed from `status`. */
export function statusAfter(step: OrderStep, status: OrderStatus): NextStatus {
  const { from, to } = steps[step]
  if (!from.includes(status)) {
    throw new AppError('invalid_status_transition', `An order that is ${status} cannot become ${to}.`)
  }
  return to
}

/** Throws `conflict` for an order that is delivered or cancelled. */
export function assertOpen({ id, status }: { readonly id: number; readonly status: OrderStatus }): void {
  if (steps.cancel.from.includes(status)) return
  throw new AppError('conflict', `Order ${id} is ${status} and can no longer be changed.`)
}

/** The status of the order's animal after a step; undefined if the step does not change it. */
export function petStatusAfter(step: OrderStep): PetStatus | undefined {
  return steps[step].pet
}

/** A date picker sends the midnight at which the day began, in its own time zone. */
const shipDateToleranceMs = 86_400_000

/** Throws `invalid_body` for a shipping date (Unix milliseconds) that was more than a day ago. */
export function assertShipDate(shipDateMs: number | null, nowMs: number): void {
  if (shipDateMs !== null && shipDateMs < nowMs - shipDateToleranceMs) {
    throw new AppError('invalid_body', 'shipDate must not be more than a day in the past.')
  }
}

/** The members of a principal that decide which orders it may see. */
export interface OrderViewer {
  readonly accountId: number
  readonly scopes: ReadonlySet<Scope>
}

/** Whether the viewer may see the orders of every account. */
function maySeeAllOrders({ scopes }: Pick<OrderViewer, 'scopes'>): boolean {
  return allows(scopes, 'orders:manage')
}

/** The account whose orders the viewer may see; undefined for all. */
export function visibleAccount(viewer: OrderViewer): number | undefined {
  return maySeeAllOrders(viewer) ? undefined : viewer.accountId
}

/** Whether the viewer may see an order: one of its own account, or any with `orders:manage`. */
export function maySee(viewer: OrderViewer, order: { readonly accountId: number }): boolean {
  return order.accountId === viewer.accountId || maySeeAllOrders(viewer)
}
