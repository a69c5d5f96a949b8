/** The table of named categories: prepared statements. */

import { lte, max, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { lazily, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { defaultCategories, foldedName } from './rules.ts'
import { categories } from './table.ts'

export type CategoryRow = Pick<typeof categories.$inferSelect, 'id' | 'name'>

export function createCategoryStore(tables: Tables, declare: Declare = declareNothing) {
  const rows = rowsOf(tables, categories)
  const highest = lazily(() =>
    tables
      .select({ id: max(categories.id) })
      .from(categories)
      .where(lte(categories.id, sql.placeholder('most')))
      .prepare(),
  )

  return {
    find: (id: number): CategoryRow | undefined => sent(rows.find({ id })),
    /** At most `limit` categories that have a name, with ids beyond `after`, by id. */
    page: (after: number, limit: number): CategoryRow[] =>
      rows.list({}, { orderBy: 'id', above: after, limit }).map(({ id, name }) => ({ id, name })),
    /**
     * Whether the categories are exactly the default ones, unchanged. Columns that later versions add are compared too.
     */
    areDefault(): boolean {
      const first = rows.list({}, { orderBy: 'id', limit: defaultCategories.length + 1 })
      return (
        first.length === defaultCategories.length &&
        first.every(({ id, name, foldedName: _, ...others }, i) => {
          const [defaultId, defaultName] = defaultCategories[i] ?? []
          return id === defaultId && name === defaultName && Object.values(others).every((value) => value === null)
        })
      )
    },
    /** The category with a name; case is ignored. */
    findByName: (name: string): CategoryRow | undefined => sent(rows.find({ foldedName: foldedName(name) })),
    /** The highest id up to `most` that has a name, 0 if there is none. Animals may use higher ids. */
    highestId: (most: number): number => highest.get({ most })?.id ?? 0,
    /** Adds a name for an id that has none. `name` is normalised and unused; `importId` is the import that adds it. */
    add({ id, name }: CategoryRow, importId: number | null = null): CategoryRow {
      declare('categories')
      rows.insert({ id, name, foldedName: foldedName(name), importId })
      return { id, name }
    },
    /** Removes the name of an id. */
    remove(id: number): void {
      declare('categories')
      rows.remove({ id })
    },
    /** Replaces the name of a category that has one. `name` is normalised and unused. */
    rename({ id, name }: CategoryRow): void {
      declare('categories')
      rows.update({ id }, { name, foldedName: foldedName(name), importId: null })
    },
  }
}
export type CategoryStore = ReturnType<typeof createCategoryStore>

/** A category without the columns that are not sent. */
const sent = (row: CategoryRow | undefined): CategoryRow | undefined => row && { id: row.id, name: row.name }
