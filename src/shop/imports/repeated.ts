/**
 * Counts the rows of a file that have the name and the category of an animal of the store: where nearly all have, the file
 * was probably imported before.
 */

import { foldedText } from '../../lib/text.ts'
import type { CategoryStore } from '../categories/store.ts'
import type { ImportedCategory } from './file/rows.ts'
import type { ImportsStore } from './store.ts'

interface RepeatedParts {
  readonly categories: Pick<CategoryStore, 'findByName'>
  readonly imports: Pick<ImportsStore, 'names'>
}

/** Reading so many names takes about a millisecond. */
const windowSize = 2_000

export function createRepeated({ categories, imports }: RepeatedParts) {
  /** The number of rows with each category and name, folded. */
  const rows = new Map<string, number>()
  const keyOf = (categoryId: number, foldedName: string) => `${categoryId} ${foldedName}`

  return {
    see({ name, category }: { readonly name?: string | undefined; readonly category?: ImportedCategory | undefined }) {
      const id = category?.name === undefined ? category?.id : categories.findByName(category.name)?.id
      if (name === undefined || id === undefined) return
      const key = keyOf(id, foldedText(name))
      rows.set(key, (rows.get(key) ?? 0) + 1)
    },
    /** Reads the animals of the store, and awaits `turn` after each window of them. */
    async count(turn: () => Promise<unknown>): Promise<number> {
      let count = 0
      for (let after = 0; rows.size > 0; ) {
        const window = imports.names(after, windowSize)
        for (const { categoryId, foldedName } of window) {
          const key = keyOf(categoryId, foldedName)
          count += rows.get(key) ?? 0
          rows.delete(key)
        }
        const last = window.at(-1)
        if (!last) break
        after = last.id
        await turn()
      }
      return count
    },
  }
}
