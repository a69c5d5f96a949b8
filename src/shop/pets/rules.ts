/** Rules for the names of animals and for changes of their status. */

import { AppError } from '../../lib/error.ts'
import { labelFault } from '../../lib/text.ts'

export const petStatuses = ['available', 'pending', 'sold'] as const
export type PetStatus = (typeof petStatuses)[number]

/** Code points of a name as it was sent. */
export const maximumNameLength = 100

/** The rule that `name` breaks, as a phrase that follows the word "name"; undefined if the name is valid. */
export function nameFault(name: string): string | undefined {
  return labelFault(name, maximumNameLength)
}

export { storedLabel as storedName } from '../../lib/text.ts'

const transitions: Record<PetStatus, readonly PetStatus[]> = {
  available: ['pending', 'sold'],
  pending: ['available', 'sold'],
  // The animal was returned.
  sold: ['available'],
}

/** Throws `invalid_status_transition` unless the status may change from `from` to `to`. */
export function assertTransition(from: PetStatus, to: PetStatus): void {
  if (!transitions[from].includes(to)) {
    throw new AppError('invalid_status_transition', `An animal that is ${from} cannot become ${to}.`)
  }
}
