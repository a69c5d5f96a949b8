/** Changes many animals. A request changes at most 100. */

import { api, bodyOf, type Schemas } from '../../api/client.ts'

export type BatchResult = Schemas['PetBatchResult']

export interface BatchChange {
  readonly change?: Schemas['PetChange']
  readonly delete?: true
  readonly restore?: true
}

const largestBatch = 100

/** Gives the results of each request as it succeeds; every animal has one, in the order of `ids`. */
export async function* changeInParts(
  ids: readonly number[],
  change: BatchChange,
): AsyncGenerator<readonly BatchResult[]> {
  for (let start = 0; start < ids.length; start += largestBatch) {
    const body = { ids: ids.slice(start, start + largestBatch), ...change } as Schemas['PetBatch']
    yield await bodyOf(api.POST('/pets/batch', { body }))
  }
}

/** Gives a result for each animal, in the order of `ids`. */
export async function changeAnimals(ids: readonly number[], change: BatchChange): Promise<readonly BatchResult[]> {
  return (await Array.fromAsync(changeInParts(ids, change))).flat()
}
