/** The animals that were deleted in the last minutes: prepared statements. */

import { lte, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../../../database/open.ts'
import { rowsOf } from '../../../database/rows.ts'
import { deletedPets, type PetRow } from '../table.ts'

/** How long a deleted animal can be restored, in milliseconds. */
export const restorableMs = 600_000

export type DeletedPet = typeof deletedPets.$inferSelect

export function createDeletedPetStore(tables: Tables) {
  const { id, deletedAt } = deletedPets
  const rows = rowsOf(tables, deletedPets)
  const anyOld = lazily(() =>
    tables
      .select({ id })
      .from(deletedPets)
      .where(lte(deletedAt, sql.placeholder('until')))
      .limit(1)
      .prepare(),
  )
  const removeOld = lazily(() =>
    tables
      .delete(deletedPets)
      .where(
        sql`${id} IN (SELECT ${id} FROM ${deletedPets} WHERE ${lte(deletedAt, sql.placeholder('until'))} LIMIT ${sql.placeholder('most')})`,
      )
      .returning({ id })
      .prepare(),
  )

  return {
    find: (petId: number): DeletedPet | undefined => rows.find({ id: petId }),
    /** Keeps an animal that is deleted at `nowMs` (Unix milliseconds). */
    add(pet: PetRow, nowMs: number): void {
      rows.insert({ ...pet, deletedAt: nowMs })
    },
    remove(petId: number): void {
      rows.remove({ id: petId })
    },
    countInCategory: (categoryId: number): number => rows.count({ categoryId }),
    /** Moves all animals of a category to another. */
    moveToCategory(from: number, to: number): void {
      rows.update({ categoryId: from }, { categoryId: to })
    },
    /** Whether there are animals that were deleted at `until` (Unix milliseconds) or before. */
    hasUntil: (until: number): boolean => anyOld.get({ until }) !== undefined,
    /** Removes at most `most` of the animals that were deleted at `until` or before, and returns their ids. */
    removeUntil: (until: number, most: number): number[] => removeOld.all({ until, most }).map((pet) => pet.id),
  }
}
export type DeletedPetStore = ReturnType<typeof createDeletedPetStore>
