/** The animals that were deleted in the last minutes: prepared statements. */

import { count, eq, lte, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../../../database/open.ts'
import { deletedPets, type PetRow } from '../table.ts'

/** How long a deleted animal can be restored, in milliseconds. */
export const restorableMs = 600_000

export type DeletedPet = typeof deletedPets.$inferSelect

export function createDeletedPetStore(tables: Tables) {
  const { id, deletedAt } = deletedPets
  const byId = lazily(() =>
    tables
      .select()
      .from(deletedPets)
      .where(eq(id, sql.placeholder('id')))
      .prepare(),
  )
  const insert = lazily(() =>
    tables
      .insert(deletedPets)
      .values({
        id: sql.placeholder('id'),
        name: sql.placeholder('name'),
        categoryId: sql.placeholder('categoryId'),
        status: sql.placeholder('status'),
        deletedAt: sql.placeholder('deletedAt'),
      })
      .prepare(),
  )
  const remove = lazily(() =>
    tables
      .delete(deletedPets)
      .where(eq(id, sql.placeholder('id')))
      .prepare(),
  )
  const inCategory = eq(deletedPets.categoryId, sql.placeholder('from'))
  const move = lazily(() =>
    tables
      .update(deletedPets)
      .set({ categoryId: sql`${sql.placeholder('to')}` })
      .where(inCategory)
      .prepare(),
  )
  const counted = lazily(() => tables.select({ animals: count() }).from(deletedPets).where(inCategory).prepare())
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
      .prepare(),
  )

  return {
    find: (petId: number): DeletedPet | undefined => byId.get({ id: petId }),
    /** Keeps an animal that is deleted at `nowMs` (Unix milliseconds). */
    add(pet: PetRow, nowMs: number): void {
      insert.run({ ...pet, deletedAt: nowMs })
    },
    remove(petId: number): void {
      remove.run({ id: petId })
    },
    countInCategory: (from: number): number => counted.get({ from })?.animals ?? 0,
    /** Moves all animals of a category to another. */
    moveToCategory(from: number, to: number): void {
      move.run({ from, to })
    },
    /** Whether there are animals that were deleted at `until` (Unix milliseconds) or before. */
    hasUntil: (until: number): boolean => anyOld.get({ until }) !== undefined,
    /** Removes at most `most` of the animals that were deleted at `until` or before. */
    removeUntil(until: number, most: number): void {
      removeOld.run({ until, most })
    },
  }
}
export type DeletedPetStore = ReturnType<typeof createDeletedPetStore>
