/** Categories with their numbers of animals: those with a name, and those without one that animals use. */

import type { Category } from './schemas.ts'
import type { CategoryStore } from './store.ts'

export interface CategoryParts {
  readonly categories: CategoryStore
  /** The category ids of animals. */
  readonly pets: {
    countInCategory(id: number): number
    /** At most `limit` ids above `after`, by id. */
    categoriesInUse(after: number, limit: number): number[]
    /** The highest id up to `most`, 0 if there is none. */
    highestCategoryId(most: number): number
    /** Runs reads on one commit. */
    snapshot<T>(read: () => T): T
  }
}

/** At most `limit` categories with ids above `after`, by id. */
export function pageOfCategories({ categories, pets }: CategoryParts, after: number, limit: number): Category[] {
  return pets.snapshot(() => {
    const names = new Map(categories.page(after, limit).map(({ id, name }) => [id, name]))
    const ids = new Set([...names.keys(), ...pets.categoriesInUse(after, limit)])
    const first = [...ids].sort((a, b) => a - b).slice(0, limit)
    return first.map((id) => ({ id, name: names.get(id) ?? null, petCount: pets.countInCategory(id) }))
  })
}

/** One category, or undefined if it has no name and no animal is in it. */
export function findCategory({ categories, pets }: CategoryParts, id: number): Category | undefined {
  return pets.snapshot(() => {
    const name = categories.find(id)?.name ?? null
    const petCount = pets.countInCategory(id)
    return name === null && petCount === 0 ? undefined : { id, name, petCount }
  })
}
