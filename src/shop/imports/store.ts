/** The table of imports: prepared statements for imports and for the animals that each has added. */

import { and, asc, desc, eq, exists, gt, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { insertedId, lazily, type Tables } from '../../database/open.ts'
import type { IdRange } from '../../lib/steps/collect.ts'
import type { CategoryRow } from '../categories/store.ts'
import { categories } from '../categories/table.ts'
import { orders } from '../orders/table.ts'
import { deletedPets, pets } from '../pets/table.ts'
import { changedImportedPets, imports } from './table.ts'

export type ImportRow = typeof imports.$inferSelect

export function createImportStore(tables: Tables, declare: Declare = declareNothing) {
  const placeholder = sql.placeholder
  const insert = lazily(() =>
    tables
      .insert(imports)
      .values({
        createdAt: placeholder('createdAt'),
        fileName: placeholder('fileName'),
        sha256: placeholder('sha256'),
        imported: placeholder('imported'),
        skipped: placeholder('skipped'),
        completedAt: placeholder('completedAt'),
      })
      .prepare(),
  )
  const setPets = lazily(() =>
    tables
      .update(imports)
      .set({
        firstPetId: sql`${placeholder('firstPetId')}`,
        lastPetId: sql`${placeholder('lastPetId')}`,
      })
      .where(eq(imports.id, placeholder('id')))
      .prepare(),
  )
  const byId = lazily(() =>
    tables
      .select()
      .from(imports)
      .where(eq(imports.id, placeholder('id')))
      .prepare(),
  )
  const byContent = lazily(() =>
    tables
      .select()
      .from(imports)
      .where(and(eq(imports.sha256, placeholder('sha256')), isNull(imports.undoneAt), isNotNull(imports.completedAt)))
      .orderBy(desc(imports.id))
      .limit(1)
      .prepare(),
  )
  const pageIn = (order: typeof asc) =>
    tables
      .select()
      .from(imports)
      .where(and(gt(imports.id, placeholder('above')), lt(imports.id, placeholder('below'))))
      .orderBy(order(imports.id))
      .limit(placeholder('limit'))
      .prepare()
  const pages = { asc: lazily(() => pageIn(asc)), desc: lazily(() => pageIn(desc)) }
  const unfinished = lazily(() =>
    tables
      .select({ id: imports.id })
      .from(imports)
      // The condition of the index `unfinished_imports` must be in the text of the statement.
      .where(sql`${imports.completedAt} is null`)
      .prepare(),
  )
  const undoing = lazily(() =>
    tables.select({ id: imports.id }).from(imports).where(sql`${imports.undoingAt} is not null`).prepare(),
  )
  const setCompleted = lazily(() =>
    tables
      .update(imports)
      .set({ completedAt: sql`${placeholder('completedAt')}` })
      .where(eq(imports.id, placeholder('id')))
      .prepare(),
  )
  const remove = lazily(() =>
    tables
      .delete(imports)
      .where(eq(imports.id, placeholder('id')))
      .prepare(),
  )
  const setUndoing = lazily(() =>
    tables
      .update(imports)
      .set({ undoingAt: sql`${placeholder('undoingAt')}` })
      .where(eq(imports.id, placeholder('id')))
      .prepare(),
  )
  const setUndone = lazily(() =>
    tables
      .update(imports)
      .set({ undoneAt: sql`${placeholder('undoneAt')}`, undoingAt: null })
      .where(eq(imports.id, placeholder('id')))
      .prepare(),
  )
  const addedIn = (table: typeof pets | typeof deletedPets) =>
    tables
      .select({
        id: table.id,
        name: table.name,
        categoryId: table.categoryId,
        status: table.status,
        isDeleted: sql`${table === deletedPets}`.mapWith(Boolean),
        isOrdered: exists(tables.select({ one: sql`1` }).from(orders).where(eq(orders.petId, table.id))).mapWith(
          Boolean,
        ),
        isChanged: exists(
          tables.select({ one: sql`1` }).from(changedImportedPets).where(eq(changedImportedPets.petId, table.id)),
        ).mapWith(Boolean),
      })
      .from(table)
      .where(and(gt(table.id, placeholder('after')), lte(table.id, placeholder('last'))))
  const addedPets = lazily(() =>
    addedIn(pets).unionAll(addedIn(deletedPets)).orderBy(asc(pets.id)).limit(placeholder('limit')).prepare(),
  )
  const addedCategories = lazily(() =>
    tables
      .select({ id: categories.id, name: categories.name })
      .from(categories)
      .where(and(eq(categories.importId, placeholder('id')), gt(categories.id, placeholder('after'))))
      .orderBy(asc(categories.id))
      .limit(placeholder('limit'))
      .prepare(),
  )

  return {
    find: (id: number): ImportRow | undefined => byId.get({ id }),
    /** The range of the ids of the animals that an import has added; an empty one if there is no such import. */
    petIds(id: number): Pick<IdRange, 'above' | 'below'> {
      const { firstPetId = null, lastPetId = null } = byId.get({ id }) ?? {}
      return firstPetId === null || lastPetId === null
        ? { above: 0, below: 0 }
        : { above: firstPetId - 1, below: lastPetId + 1 }
    },
    /** The latest import of the same bytes that was not undone. */
    findByContent: (sha256: Buffer): ImportRow | undefined => byContent.get({ sha256 }),
    /** Returns the id. */
    add(row: Omit<ImportRow, 'id' | 'firstPetId' | 'lastPetId' | 'undoingAt' | 'undoneAt'>): number {
      declare('imports')
      return insertedId(insert.run(row))
    },
    /** At most `limit` imports of a range, in its order. */
    page: ({ order, above, below }: IdRange, limit: number): ImportRow[] => pages[order].all({ above, below, limit }),
    /** The imports whose animals were not all added. */
    unfinished: (): number[] => unfinished.all().map(({ id }) => id),
    /** The imports whose undo has begun and is not done. */
    undoing: (): number[] => undoing.all().map(({ id }) => id),
    setCompleted(id: number, completedAt: number): void {
      declare('imports')
      setCompleted.run({ id, completedAt })
    },
    /** Removes an import that was not finished, when all of its animals are removed. */
    remove(id: number): void {
      declare('imports')
      remove.run({ id })
    },
    /** Saves the range of the ids that an import has added. */
    setPets(id: number, range: Pick<ImportRow, 'firstPetId' | 'lastPetId'>): void {
      setPets.run({ id, ...range })
    },
    /** Saves the time of a step of an undo that has more of them. */
    setUndoing(id: number, undoingAt: number): void {
      declare('imports')
      setUndoing.run({ id, undoingAt })
    },
    setUndone(id: number, undoneAt: number): void {
      declare('imports')
      setUndone.run({ id, undoneAt })
    },
    /**
     * At most `limit` animals with ids above `after` up to `last`, with those that were deleted and can be restored,
     * and whether they were ordered or changed.
     */
    addedPets: (after: number, last: number, limit: number) => addedPets.all({ after, last, limit }),
    /** At most `limit` categories with ids above `after` that an import has added and that were not renamed. */
    addedCategories: (id: number, after: number, limit: number): Pick<CategoryRow, 'id' | 'name'>[] =>
      addedCategories.all({ id, after, limit }),
  }
}
export type ImportsStore = ReturnType<typeof createImportStore>
