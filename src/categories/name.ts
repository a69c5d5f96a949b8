/** Naming categories. To be called in a transaction. */

import { AppError } from '../lib/error.ts'
import { type CategoryParts, findCategory, listCategories } from './list.ts'
import { storedName } from './rules.ts'
import type { Category } from './schemas.ts'

/** Names the next free id, or the lowest one once the highest possible is in use. Throws `conflict` if another category has that name. */
export function addCategory(parts: CategoryParts, given: string): Category {
  const name = storedName(given)
  assertFree(parts, name)
  const id = nextFreeId(listCategories(parts).map((category) => category.id))
  parts.categories.add({ id, name })
  return { id, name, petCount: 0 }
}

/**
 * Names an id, or gives it another name; animals may carry it already. Throws what `assertUnchanged` throws, and
 * `conflict` if another category has that name.
 */
export function nameCategory(
  parts: CategoryParts,
  id: number,
  given: string,
  assertUnchanged: (category: Category | undefined) => void,
): Category {
  const name = storedName(given)
  const category = findCategory(parts, id)
  assertUnchanged(category)
  assertFree(parts, name, id)
  if (parts.categories.find(id)) parts.categories.rename({ id, name })
  else parts.categories.add({ id, name })
  return { id, name, petCount: category?.petCount ?? 0 }
}

function nextFreeId(usedAscending: readonly number[]): number {
  const highest = usedAscending.at(-1) ?? 0
  if (highest < Number.MAX_SAFE_INTEGER) return highest + 1
  const gap = usedAscending.findIndex((id, i) => id !== i + 1)
  return gap + 1
}

function assertFree({ categories }: CategoryParts, name: string, id?: number): void {
  const other = categories.findByName(name)
  if (other && other.id !== id) throw new AppError('conflict', `Category ${other.id} is called ${other.name} already.`)
}
