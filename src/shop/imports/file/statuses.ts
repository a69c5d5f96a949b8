/** Maps the words for the status of an animal that a file uses instead of those of the store. */

import { AppError } from '../../../lib/error.ts'
import { type PetStatus, petStatuses } from '../../pets/rules.ts'

/** The status for each word, which is folded. */
export type Statuses = ReadonlyMap<string, PetStatus>

/** Words are equal if they differ only in case or in surrounding space. */
export const foldedWord = (word: string): string => word.trim().normalize('NFC').toLowerCase()

/**
 * Parses mappings such as `Adopted=sold,Returned=available`. Throws `invalid_parameter` with the first invalid mapping.
 */
export function parseStatuses(mappings: readonly string[]): Statuses {
  const statuses = new Map<string, PetStatus>()
  for (const mapping of mappings.flatMap(splitMappings)) {
    const at = mapping.lastIndexOf('=')
    const word = foldedWord(mapping.slice(0, Math.max(at, 0)))
    const status = petStatuses.find((name) => name === foldedWord(mapping.slice(at + 1)))
    if (word === '' || !status) {
      const statusList = petStatuses.map((name) => `=${name}`).join(', ')
      throw invalidMapping(`"${mapping.trim()}" must be a word of the file with one of ${statusList}.`)
    }
    if ((statuses.get(word) ?? status) !== status) throw invalidMapping(`"${word}" has more than one status.`)
    statuses.set(word, status)
  }
  return statuses
}

/** A comma is part of a word if no mapping ends before it. */
function splitMappings(given: string): string[] {
  const mappings: string[] = []
  let word = ''
  for (const part of given.split(',')) {
    word = word === '' ? part : `${word},${part}`
    if (!part.includes('=')) continue
    mappings.push(word)
    word = ''
  }
  return word.trim() === '' ? mappings : [...mappings, word]
}

function invalidMapping(message: string): AppError {
  return new AppError('invalid_parameter', `statuses: ${message} An example: Adopted=sold,Returned=available.`)
}
