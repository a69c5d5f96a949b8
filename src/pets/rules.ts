/** What an animal may be called and which states it may be in. */

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
