/** Rules for the names of categories, and their comparison. */

import { ignorable, isAscii, labelFault, storedLabel } from '../../lib/text.ts'

/** Code points of a name as it was sent. */
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

/** The rule that `name` breaks, as a phrase that follows the word "name"; undefined if the name is valid. */
export function nameFault(name: string): string | undefined {
  return labelFault(name, maximumNameLength)
}

const anyIgnorable = new RegExp(`[${ignorable}]`, 'gu')

/**
 * A name for comparison: names that differ only in case, composition, surrounding white space or ignorable code points
 * are equal.
 */
export function foldedName(name: string): string {
  if (isAscii(name)) return name.trim().toLowerCase()
  const visible = storedLabel(name).replace(anyIgnorable, '')
  // Lower, upper and lower case: one conversion alone leaves ẞ, ß and SS, or σ and ς, different.
  return visible.toLowerCase().toUpperCase().toLowerCase().normalize('NFC')
}

export { storedLabel as storedName } from '../../lib/text.ts'
