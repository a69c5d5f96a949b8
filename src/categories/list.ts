/** Categories with their numbers of animals: those with a name, and the ids in use that have none. */

import type { Category } from './schemas.ts'
import type { CategoryStore } from './store.ts'

export interface CategoryParts {
  readonly categories: CategoryStore
  readonly pets: {
    /** Numbers of animals; rows of one category add up. */
    totals(): readonly { readonly categoryId: number; readonly animals: number }[]
  }
}

/** Every category, by id. */
export function listCategories({ categories, pets }: CategoryParts): Category[] {
  const counts = new Map<number, number>()
  for (const { categoryId, animals } of pets.totals()) counts.set(categoryId, (counts.get(categoryId) ?? 0) + animals)
  const names = new Map(categories.all().map(({ id, name }) => [id, name]))
  const ids = [...new Set([...names.keys(), ...counts.keys()])].sort((a, b) => a - b)
  return ids.map((id) => ({ id, name: names.get(id) ?? null, petCount: counts.get(id) ?? 0 }))
}

/** One category, or undefined if nobody has named it and no animal carries it. */
export function findCategory(parts: CategoryParts, id: number): Category | undefined {
  return listCategories(parts).find((category) => category.id === id)
}
