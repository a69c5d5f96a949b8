/** What an animal may be called and which states it may be in. */

import { AppError } from '../lib/error.ts'
import { labelFault } from '../lib/text.ts'

export const petStatuses = ['available', 'pending', 'sold'] as const
export type PetStatus = (typeof petStatuses)[number]

/** Code points of a name as sent. */
export const maximumNameLength = 100

/** The rule that `name` breaks, in words that follow "name", or undefined if it is a good one. */
export function nameFault(name: string): string | undefined {
  return labelFault(name, maximumNameLength)
}

export { labelPattern as namePattern, storedLabel as storedName } from '../lib/text.ts'

const transitions: Record<PetStatus, readonly PetStatus[]> = {
  available: ['pending', 'sold'],
  pending: ['available', 'sold'],
  // A return.
  sold: ['available'],
}

/** Throws `invalid_status_transition` unless an animal may go from one status to another. */
export function assertTransition(from: PetStatus, to: PetStatus): void {
  if (!transitions[from].includes(to)) {
    throw new AppError('invalid_status_transition', `An animal that is ${from} cannot become ${to}.`)
  }
}
