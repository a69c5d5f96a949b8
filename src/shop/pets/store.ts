/** The table of animals, with its totals, which are written in the same transaction. */

import type { Database } from 'bun:sqlite'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { insertedId, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { systemClock } from '../../lib/clock.ts'
import { foldedText } from '../../lib/text.ts'
import { createPetList, type SearchLimits } from './list.ts'
import { createSortedPages } from './sorted-pages.ts'
import { type PetRow, petColumns, pets } from './table.ts'
import { createPetTotals } from './totals.ts'

export function createPetStore(
  tables: Tables,
  connection: Database,
  declare: Declare = declareNothing,
  limits: SearchLimits = systemClock,
) {
  const totals = createPetTotals(tables, connection)
  const page = createPetList<PetRow>(
    { tables, connection },
    { columns: petColumns, searched: { q: 'instr(pets.folded_name, $q) > 0' } },
    limits,
  )
  const rows = rowsOf(tables, pets)
  const byId = connection.prepare<PetRow, [number]>(`SELECT ${petColumns} FROM pets WHERE id = ?1`)
  // The statements of a new animal are text, because drizzle is slower (decision 35).
  const insert = connection.prepare<never, [string, string, number, string]>(
    'INSERT INTO pets (name, folded_name, category_id, status) VALUES (?1, ?2, ?3, ?4)',
  )
  const move = connection.prepare<never, [number, number]>('UPDATE pets SET category_id = ?2 WHERE category_id = ?1')
  // The ids of an import are consecutive: its range identifies its animals.
  const markChanged = connection.prepare(
    `INSERT OR IGNORE INTO changed_imported_pets (pet_id) SELECT ?1
     WHERE (SELECT last_pet_id FROM imports WHERE first_pet_id <= ?1 ORDER BY first_pet_id DESC LIMIT 1) >= ?1`,
  )
  return {
    /** At most `limit` animals of a range that match the filter, in its order. With `q` the page can end early. */
    page,
    /** At most `limit` animals of a list that is not sorted by id, after a position. */
    sortedPage: createSortedPages({ connection, totals, page, monotonic: limits.monotonic }),
    find: (id: number): PetRow | undefined => byId.get(id) ?? undefined,
    add(pet: Omit<PetRow, 'id'>): PetRow {
      const foldedName = foldedText(pet.name)
      const id = insertedId(insert.run(pet.name, foldedName, pet.categoryId, pet.status))
      declare('pets', id)
      const added = { id, ...pet }
      totals.replace(undefined, added)
      return added
    },
    /** Changes the animal `before`, which was read in the same transaction, to `after`. */
    update(before: PetRow, after: PetRow): void {
      declare('pets', before.id)
      const { name, categoryId, status } = after
      rows.update({ id: before.id }, { name, foldedName: foldedText(name), categoryId, status })
      markChanged.run(before.id)
      totals.replace(before, after)
    },
    /** An animal whose profile was changed counts as changed since its import. */
    markChanged(id: number): void {
      markChanged.run(id)
    },
    /** Removes an animal that was read in the same transaction. */
    remove(pet: PetRow): void {
      declare('pets', pet.id)
      rows.remove({ id: pet.id })
      totals.replace(pet, undefined)
    },
    /** Adds an animal that was removed, under its id. */
    putBack(pet: PetRow): void {
      declare('pets', pet.id)
      rows.insert({ ...pet, foldedName: foldedText(pet.name) })
      totals.replace(undefined, pet)
    },
    /** Moves all animals of a category to another. They do not count as changed since their import. */
    moveToCategory(from: number, to: number): void {
      declare('pets')
      move.run(from, to)
      totals.moveCategory(from, to)
    },
    /** The number of animals that match a filter without `q`. */
    count: totals.count,
    /** The number of animals in each status. */
    inventory: totals.inventory,
    /** The number of animals of a category in any status. */
    countInCategory: (categoryId: number): number => totals.count({ categoryId }),
    /** At most `limit` ids above `after` that animals have as their category, by id. */
    categoriesInUse: totals.categoriesInUse,
    highestCategoryId: totals.highestCategoryId,
  }
}
export type PetStore = ReturnType<typeof createPetStore>
