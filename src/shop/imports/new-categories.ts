/** The names of the categories that a dry run would add. Memory is bounded. */

import { foldedName } from '../categories/rules.ts'
import type { CategoryStore } from '../categories/store.ts'
import type { ImportedCategory } from './file/rows.ts'
import { maximumNewCategories } from './rules.ts'

/** The most names of the store's categories that are remembered. */
const cachedNames = 10_000

export function createNewCategories(categories: Pick<CategoryStore, 'findByName'>) {
  const added = new Map<string, string>()
  const seen = new Set<string>()
  return {
    /** Takes note of the category of an animal. */
    see({ name }: ImportedCategory): void {
      if (name === undefined || added.size >= maximumNewCategories || seen.has(name)) return
      if (seen.size < cachedNames) seen.add(name)
      const folded = foldedName(name)
      if (!added.has(folded) && categories.findByName(name) === undefined) added.set(folded, name)
    },
    /** The names that the store does not have, in the order of the file. */
    names: (): string[] => [...added.values()],
  }
}
