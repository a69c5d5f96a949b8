/** The changes of a bulk action, and how they are taken back. */

import type { Schemas } from '../../api/client.ts'
import type { Pet, PetStatus } from '../filters.ts'
import { stepsTo } from '../status-steps.ts'

export type PetChange = Schemas['PetChange']

/** Whether an animal is already as the change makes it. */
export function isAlready(pet: Pet, { status = pet.status, categoryId = pet.categoryId }: PetChange): boolean {
  return pet.status === status && pet.categoryId === categoryId
}

export interface UndoStep {
  readonly ids: readonly number[]
  readonly change: PetChange
}

/** The changes that make animals as they were in `before`, one after the other. */
export function undoSteps(before: readonly Pet[], { status, categoryId }: PetChange): readonly UndoStep[] {
  const steps: UndoStep[] = []
  if (status !== undefined) {
    for (const [was, pets] of Map.groupBy(before, (pet) => pet.status)) {
      const ids = pets.map(({ id }) => id)
      steps.push(...stepsTo(status, was).map((next: PetStatus) => ({ ids, change: { status: next } })))
    }
  }
  if (categoryId !== undefined) {
    for (const [was, pets] of Map.groupBy(before, (pet) => pet.categoryId)) {
      steps.push({ ids: pets.map(({ id }) => id), change: { categoryId: was } })
    }
  }
  return steps
}
