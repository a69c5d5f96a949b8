/** The changes of a status: how they are called, which ones are possible, and which ones lead back. */

import { type PetStatus, statuses } from './filters.ts'

/** Follows the name of an animal whose status has changed. */
export const statusDone: Readonly<Record<PetStatus, string>> = {
  available: 'is available again',
  pending: 'is pending',
  sold: 'is sold',
}

/** The statuses that an animal takes one after the other to get from `from` to `to`: a sold animal must become available first. */
export function stepsTo(from: PetStatus, to: PetStatus): readonly PetStatus[] {
  if (from === to) return []
  return from === 'sold' && to === 'pending' ? ['available', to] : [to]
}

/** The statuses that one change can give to an animal, with the one that it has. */
export const reachableFrom = (from: PetStatus): readonly PetStatus[] =>
  statuses.filter((to) => stepsTo(from, to).length <= 1)
