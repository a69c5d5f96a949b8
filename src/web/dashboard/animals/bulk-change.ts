/** Changes of many animals, and how they are taken back. */

import { api, bodyOf, type Schemas } from '../api/client.ts'
import { type Pet, stepsTo } from './filters.ts'

export type PetChange = Schemas['PetChange']
export type BatchResult = Schemas['PetBatchResult']

export interface BatchChange {
  readonly change?: PetChange
  readonly delete?: true
  readonly restore?: true
}

/** A request changes at most so many. */
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

/** Whether an animal is already as the change makes it. */
export function isAlready(pet: Pet, { status = pet.status, categoryId = pet.categoryId }: PetChange): boolean {
  return pet.status === status && pet.categoryId === categoryId
}

interface UndoStep {
  readonly ids: readonly number[]
  readonly change: PetChange
}

/** The changes that make animals as they were in `before`, one after the other. */
export function undoSteps(before: readonly Pet[], { status, categoryId }: PetChange): readonly UndoStep[] {
  const steps: UndoStep[] = []
  if (status !== undefined) {
    for (const [was, pets] of Map.groupBy(before, (pet) => pet.status)) {
      const ids = pets.map(({ id }) => id)
      steps.push(...stepsTo(status, was).map((next) => ({ ids, change: { status: next } })))
    }
  }
  if (categoryId !== undefined) {
    for (const [was, pets] of Map.groupBy(before, (pet) => pet.categoryId)) {
      steps.push({ ids: pets.map(({ id }) => id), change: { categoryId: was } })
    }
  }
  return steps
}
