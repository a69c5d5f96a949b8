/** Categories with their numbers of animals: those with a name, and the ids in use that have none. */

import type { Category } from './schemas.ts'
import type { CategoryStore } from './store.ts'

export interface CategoryParts {
  readonly categories: CategoryStore
  /** What animals say of their categories. */
  readonly pets: {
    countInCategory(id: number): number
    /** At most `limit` ids beyond `after`, in order. */
    categoriesInUse(after: number, limit: number): number[]
    highestCategoryId(): number
  }
}

/** At most `limit` categories with ids beyond `after`, by id. */
export function pageOfCategories({ categories, pets }: CategoryParts, after: number, limit: number): Category[] {
  const names = new Map(categories.page(after, limit).map(({ id, name }) => [id, name]))
  const ids = new Set([...names.keys(), ...pets.categoriesInUse(after, limit)])
  const first = [...ids].sort((a, b) => a - b).slice(0, limit)
  return first.map((id) => ({ id, name: names.get(id) ?? null, petCount: pets.countInCategory(id) }))
}

/** One category, or undefined if nobody has named it and no animal carries it. */
export function findCategory({ categories, pets }: CategoryParts, id: number): Category | undefined {
  const name = categories.find(id)?.name ?? null
  const petCount = pets.countInCategory(id)
  return name === null && petCount === 0 ? undefined : { id, name, petCount }
}
