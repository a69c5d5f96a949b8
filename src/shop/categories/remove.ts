/** Deletes empty categories, and merges categories into others. Called in a transaction. */

import { AppError } from '../../lib/error.ts'
import { getCategory } from './list.ts'
import type { CategoryChangeParts } from './name.ts'
import type { Category } from './schemas.ts'

/** Moving so many animals takes about half a second, in which no other request is served. */
const maximumMovedAnimals = 100_000

export interface CategoryMergeParts extends CategoryChangeParts {
  readonly pets: CategoryChangeParts['pets'] & {
    /** Moves all animals of a category to another. */
    moveToCategory(from: number, to: number): void
  }
  /** The animals that can be restored. */
  readonly deletedPets: {
    countInCategory(id: number): number
    moveToCategory(from: number, to: number): void
  }
}

type AssertPreconditions = (category: Category) => void

/** Throws `not_found`, the error of `assertPreconditions`, and `conflict` for a category that has animals. */
export function deleteCategory(parts: CategoryChangeParts, id: number, assertPreconditions: AssertPreconditions): void {
  const category = getCategory(parts, id)
  assertPreconditions(category)
  if (category.petCount > 0) {
    const way = `merge it into another (POST /v1/categories/${id}/merge), or change the category of its animals`
    throw new AppError('conflict', `Category ${id} has animals (${category.petCount}): ${way}.`)
  }
  parts.categories.remove(id)
  parts.events.write('category.deleted', null, category)
}

/**
 * Moves all animals of a category to the category `into`, those that can be restored too, and removes its name. Returns
 * the category `into`. Throws `invalid_body` if both are the same, `not_found`, the error of `assertPreconditions`, and
 * `conflict` for too many animals.
 */
export function mergeCategory(
  parts: CategoryMergeParts,
  id: number,
  into: number,
  assertPreconditions: AssertPreconditions,
): Category {
  const { pets, deletedPets, categories, events } = parts
  if (into === id) throw new AppError('invalid_body', 'into must be another category.')
  const category = getCategory(parts, id)
  getCategory(parts, into)
  assertPreconditions(category)
  const animals = category.petCount
  if (animals + deletedPets.countInCategory(id) > maximumMovedAnimals) {
    const most = maximumMovedAnimals.toLocaleString('en')
    const message = `Category ${id} has more than ${most} animals, which is the most that a merge moves: change the category of some of them first.`
    throw new AppError('conflict', message)
  }
  pets.moveToCategory(id, into)
  deletedPets.moveToCategory(id, into)
  categories.remove(id)
  events.write('category.merged', null, { id, into, animals })
  return getCategory(parts, into)
}
