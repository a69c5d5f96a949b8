/** Naming categories. To be called in a transaction. */

import { AppError } from '../lib/error.ts'
import { type CategoryParts, findCategory } from './list.ts'
import { storedName } from './rules.ts'
import type { Category } from './schemas.ts'

/** What has to be searched for a free id. */
export interface FreeIdParts {
  readonly categories: Pick<CategoryParts['categories'], 'find' | 'highestId'>
  readonly pets: Pick<CategoryParts['pets'], 'countInCategory' | 'highestCategoryId'>
}

/** Names the next free id. Throws `conflict` if another category has that name. */
export function addCategory(parts: CategoryParts, given: string): Category {
  const name = storedName(given)
  assertFree(parts, name)
  const id = nextFreeId(parts)
  parts.categories.add({ id, name })
  return { id, name, petCount: 0 }
}

/**
 * Names an id, or gives it another name; animals may carry it already. Throws what `assertPreconditions` throws, and
 * `conflict` if another category has that name.
 */
export function nameCategory(
  parts: CategoryParts,
  id: number,
  given: string,
  assertPreconditions: (category: Category | undefined) => void,
): Category {
  const name = storedName(given)
  const category = findCategory(parts, id)
  assertPreconditions(category)
  assertFree(parts, name, id)
  if (parts.categories.find(id)) parts.categories.rename({ id, name })
  else parts.categories.add({ id, name })
  return { id, name, petCount: category?.petCount ?? 0 }
}

/**
 * An id that neither a name nor an animal has: the next one above all that do. Where that would be too high, because
 * somebody uses the highest possible id, it is the next one above all in the lower half of the range, and so on. Each
 * step is two look-ups in an index, however many categories there are.
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
  if (other && other.id !== id) throw new AppError('conflict', `Category ${other.id} is called ${other.name} already.`)
}
