/** Changes of many animals, and how they are taken back. */

import { api, bodyOf, type Schemas } from '../api/client.ts'
import { type Animal, animalOf, stepsTo } from './filters.ts'
import type { ChangedAnimal } from './list/animal-list.ts'

export type ProfileChange = Schemas['CommonProfileChange']

export type BatchChange =
  | { readonly change: Schemas['PetChange'] }
  | { readonly profile: ProfileChange }
  | { readonly delete: true }
  | { readonly restore: true }

/** The result for one animal; with the animal as it is now if it was changed. */
export interface BatchResult extends Pick<Schemas['PetBatchResult'], 'id' | 'done' | 'code' | 'message'> {
  readonly animal: ChangedAnimal | null
}

/** A change that the list shows, so that it is known which animals are like that already. */
export type ShownChange = Partial<Pick<Animal, 'status' | 'categoryId' | 'published'>>

export const batchOf = ({ published, ...change }: ShownChange): BatchChange =>
  published === undefined ? { change } : { profile: { published } }

/** A request changes at most so many. */
const largestBatch = 100

/** Gives the results of each request as it succeeds; every animal has one, in the order of `ids`. */
export async function* changeInParts(
  ids: readonly number[],
  change: BatchChange,
): AsyncGenerator<readonly BatchResult[]> {
  for (let start = 0; start < ids.length; start += largestBatch) {
    yield await changePart(ids.slice(start, start + largestBatch), change)
  }
}

async function changePart(ids: number[], change: BatchChange): Promise<readonly BatchResult[]> {
  if ('profile' in change) {
    const body = { ids, change: change.profile }
    const results = await bodyOf(api.POST('/pets/profiles/batch', { body }))
    return results.map(({ profile, ...result }) => ({ ...result, animal: profile && animalOf(profile) }))
  }
  const body = { ids, ...change } as Schemas['PetBatch']
  const results = await bodyOf(api.POST('/pets/batch', { body }))
  return results.map(({ pet, ...result }) => ({ ...result, animal: pet }))
}

/** Whether an animal is already as the change makes it. */
export const isAlready = (animal: Animal, change: ShownChange): boolean =>
  Object.entries(change).every(([name, value]) => animal[name as keyof ShownChange] === value)

interface UndoStep {
  readonly ids: readonly number[]
  readonly change: ShownChange
}

/** The changes that make animals as they were in `before`, one after the other. */
export function undoSteps(before: readonly Animal[], change: ShownChange): readonly UndoStep[] {
  return (Object.keys(change) as (keyof ShownChange)[]).flatMap((name) =>
    [...Map.groupBy(before, (animal) => animal[name])].flatMap(([was, animals]) => {
      const ids = animals.map(({ id }) => id)
      if (change.status === undefined) return [{ ids, change: { [name]: was } }]
      return stepsTo(change.status, was as Animal['status']).map((status) => ({ ids, change: { status } }))
    }),
  )
}
