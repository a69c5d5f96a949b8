/** What a category may be called, and when two names are the same one. */

import { labelFault, storedLabel } from '../lib/text.ts'

/** Code points of a name as sent. */
export const maximumNameLength = 64

/** Ids and names in a new store. */
export const defaultCategories = [
  [1, 'Dog'],
  [2, 'Cat'],
  [3, 'Bird'],
  [4, 'Fish'],
  [5, 'Reptile'],
  [6, 'Small animal'],
] as const

/** The rule that `name` breaks, in words that follow "name", or undefined if it is a good one. */
export function nameFault(name: string): string | undefined {
  return labelFault(name, maximumNameLength)
}

/** A name as it is compared: two that differ in case, composition or surrounding white space give the same. */
export function foldedName(name: string): string {
  // Lower, upper, lower: one way alone leaves ẞ, ß and SS, or σ and ς, apart.
  return storedLabel(name).toLowerCase().toUpperCase().toLowerCase().normalize('NFC')
}

export { labelPattern as namePattern, storedLabel as storedName } from '../lib/text.ts'
