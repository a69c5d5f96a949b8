/** Adds, names, deletes and merges categories. Called in a transaction. */

import type { EventWriter } from '../../access/events/log.ts'
import { AppError } from '../../lib/error.ts'
import { type CategoryParts, findCategory, getCategory } from './list.ts'
import { storedName } from './rules.ts'
import type { Category } from './schemas.ts'

export interface CategoryChangeParts extends CategoryParts {
  readonly events: EventWriter
}

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

/** Moving so many animals takes about half a second, in which no other request is served. */
const maximumMovedAnimals = 100_000

/** Adds a category under the next free id. Throws `conflict` if another category has that name. */
export function addCategory(parts: CategoryChangeParts, given: string): Category {
  const name = storedName(given)
  assertFree(parts, name)
  const id = nextFreeId(parts)
  parts.categories.add({ id, name })
  const added = { id, name, petCount: 0 }
  parts.events.write('category.created', null, added)
  return added
}

/**
 * Sets the name of an id, which animals may already use. Throws `invalid_body` for a name of null, unless the category
 * has none, the error of `assertPreconditions`, and `conflict` if another category has that name.
 */
export function nameCategory(
  parts: CategoryChangeParts,
  id: number,
  given: string | null,
  assertPreconditions: (category: Category | undefined) => void,
): Category {
  const name = given === null ? null : storedName(given)
  const category = findCategory(parts, id)
  if (name === null && category?.name !== null) {
    throw new AppError('invalid_body', 'name must not be null: a category cannot lose its name.')
  }
  assertPreconditions(category)
  // Undoing an import keeps the categories that were renamed.
  if (name === null || category?.name === name) return category as Category
  assertFree(parts, name, id)
  const named = { id, name, petCount: category?.petCount ?? 0 }
  if (parts.categories.find(id)) parts.categories.rename({ id, name })
  else parts.categories.add({ id, name })
  // An id that animals use has been a category without a name.
  if (category) parts.events.write('category.updated', null, named, category)
  else parts.events.write('category.created', null, named)
  return named
}

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

/** The lookups that finding a free id needs. */
interface FreeIdParts {
  readonly categories: Pick<CategoryParts['categories'], 'find' | 'highestId'>
  readonly pets: Pick<CategoryParts['pets'], 'countInCategory' | 'highestCategoryId'>
}

/**
 * An id that no category and no animal has: the one after the highest id in use. If the highest possible id is in use,
 * it is the one after the highest id in use in the lower half of the range, and so on. Each step is two lookups in an
 * index, for any number of categories.
 */
export function nextFreeId({ categories, pets }: FreeIdParts): number {
  for (let most = Number.MAX_SAFE_INTEGER; most > 0; most = Math.floor(most / 2)) {
    const highest = Math.max(categories.highestId(most), pets.highestCategoryId(most))
    if (highest < most) return highest + 1
  }
  // Each of the 53 ids at the end of a range is in use.
  let id = 1
  while (categories.find(id) || pets.countInCategory(id) > 0) id++
  return id
}

function assertFree({ categories }: CategoryParts, name: string, id?: number): void {
  const other = categories.findByName(name)
  if (other && other.id !== id)
    throw new AppError('conflict', `Category ${other.id} already has the name ${other.name}.`)
}
