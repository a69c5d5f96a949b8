/** Reads categories with their numbers of animals: named categories, and unnamed ids that animals use. */

import { AppError } from '../../lib/error.ts'
import type { Category } from './schemas.ts'
import type { CategoryStore } from './store.ts'

export interface CategoryParts {
  readonly categories: CategoryStore
  /** Reads of the table of animals by category id. */
  readonly pets: {
    countInCategory(id: number): number
    /** At most `limit` ids above `after`, by id. */
    categoriesInUse(after: number, limit: number): number[]
    /** The highest id that is at most `most`; 0 if there is none. */
    highestCategoryId(most: number): number
  }
}

/** At most `limit` categories with ids above `after`, by id. */
export function pageOfCategories({ categories, pets }: CategoryParts, after: number, limit: number): Category[] {
  const names = new Map(categories.page(after, limit).map(({ id, name }) => [id, name]))
  const ids = new Set([...names.keys(), ...pets.categoriesInUse(after, limit)])
  const first = [...ids].sort((a, b) => a - b).slice(0, limit)
  return first.map((id) => ({ id, name: names.get(id) ?? null, petCount: pets.countInCategory(id) }))
}

/** One category, or undefined if it has no name and no animal is in it. */
export function findCategory({ categories, pets }: CategoryParts, id: number): Category | undefined {
  const name = categories.find(id)?.name ?? null
  const petCount = pets.countInCategory(id)
  return name === null && petCount === 0 ? undefined : { id, name, petCount }
}

/** One category. Throws `not_found` if it has no name and no animal is in it. */
export function getCategory(parts: CategoryParts, id: number): Category {
  const category = findCategory(parts, id)
  if (!category) throw new AppError('not_found', `There is no category ${id}.`)
  return category
}
