/** Counts the animals that match a filter. */

import { type IdRange, type Matches, pageRange } from '../../lib/steps/collect.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import { foldedText } from '../../lib/text.ts'
import type { PetStore } from './store.ts'
import type { PetFilter } from './table.ts'

export interface PetCount {
  readonly count: number
  /** Whether the number is exact; otherwise there are at least so many. */
  readonly exact: boolean
}

/** The number of matches of a text at which counting stops. */
export const maximumCount = 10_000

/** The time that counting the matches of a text may take, in milliseconds of work. */
const maximumWorkMs = 100

/** The number of animals that are read at a time. */
const chunkSize = 500

interface CountParts {
  readonly pets: Pick<PetStore, 'count'>
  readonly turns: Turns
  readonly clock: { readonly monotonic: () => number }
}

/**
 * Counts the animals that match a filter. Those of a status and a category are in the totals; others are searched in
 * steps, until there are `maximumCount` or the search has taken too long: then there are at least `count`.
 */
export async function countPets(
  { pets, turns, clock }: CountParts,
  { status, categoryId, q = '', ...others }: PetFilter,
  search: (range: IdRange, limit: number) => Matches<{ readonly id: number }>,
): Promise<PetCount> {
  if (foldedText(q) === '' && Object.values(others).every((value) => value === undefined)) {
    return { count: pets.count({ status, categoryId }), exact: true }
  }
  let count = 0
  let workMs = 0
  let range = pageRange('asc', undefined)
  for (;;) {
    const { records, searchedTo } = await turns(() => {
      const startMs = clock.monotonic()
      const page = search(range, chunkSize)
      workMs += clock.monotonic() - startMs
      return page
    })
    count += records.length
    const last = records.length === chunkSize ? records.at(-1)?.id : searchedTo
    if (last === undefined) return { count: Math.min(count, maximumCount), exact: count <= maximumCount }
    if (count >= maximumCount) return { count: maximumCount, exact: false }
    if (workMs >= maximumWorkMs) return { count, exact: false }
    range = { ...range, above: last }
  }
}
