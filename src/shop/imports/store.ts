/** The table of imports: prepared statements for imports and for the animals that each has added. */

import { and, asc, eq, exists, gt, lte, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { lazily, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import type { IdRange } from '../../lib/steps/collect.ts'
import { categories } from '../categories/table.ts'
import { orders } from '../orders/table.ts'
import { deletedPets, pets } from '../pets/table.ts'
import { changedImportedPets, importChanges, imports } from './table.ts'

export type ImportRow = typeof imports.$inferSelect
export type ImportChange = typeof importChanges.$inferSelect

export function createImportStore(tables: Tables, declare: Declare = declareNothing) {
  const rows = rowsOf(tables, imports)
  const changes = rowsOf(tables, importChanges)
  const added = rowsOf(tables, categories)
  const placeholder = sql.placeholder
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

  const names = lazily(() =>
    tables
      .select({ id: pets.id, foldedName: pets.foldedName, categoryId: pets.categoryId })
      .from(pets)
      .where(gt(pets.id, placeholder('after')))
      .orderBy(asc(pets.id))
      .limit(placeholder('limit'))
      .prepare(),
  )

  return {
    find: (id: number): ImportRow | undefined => rows.find({ id }),
    /** The range of the ids of the animals that an import has added; an empty one if there is no such import. */
    petIds(id: number): Pick<IdRange, 'above' | 'below'> {
      const { firstPetId = null, lastPetId = null } = rows.find({ id }) ?? {}
      return firstPetId === null || lastPetId === null
        ? { above: 0, below: 0 }
        : { above: firstPetId - 1, below: lastPetId + 1 }
    },
    /** The latest import of the same bytes that was not undone. */
    findByContent: (sha256: Buffer): ImportRow | undefined =>
      rows.list({ sha256 }, { orderBy: 'id', descending: true }).find(({ undoneAt }) => undoneAt === null),
    /** Adds an import that is to be completed in the same transaction, and returns its id. */
    add(row: Pick<ImportRow, 'sha256' | 'fileName' | 'createdAt'>): number {
      declare('imports')
      return rows.insert({ ...row, imported: 0, skipped: 0 }).id
    },
    complete({ id, ...row }: ImportRow): void {
      rows.update({ id }, row)
    },
    /** At most `limit` imports of a range, in its order. */
    page: ({ order, above, below }: IdRange, limit: number): ImportRow[] =>
      rows.list({}, { orderBy: 'id', descending: order === 'desc', above, below, limit }),
    setUndone(id: number, undoneAt: number): void {
      declare('imports')
      rows.update({ id }, { undoneAt })
    },
    /**
     * At most `limit` animals with ids above `after` up to `last`, with those that were deleted and can be restored,
     * and whether they were ordered or changed.
     */
    addedPets: (after: number, last: number, limit: number) => addedPets.all({ after, last, limit }),
    /** The names for comparison and the categories of at most `limit` animals with ids above `after`. */
    names: (after: number, limit: number) => names.all({ after, limit }),
    /** Keeps what an import has changed of an animal. */
    keepChange: (change: ImportChange): void => void changes.insert(change),
    /** At most `limit` of the changes of an import, of animals with ids above `after`. */
    changes: (importId: number, after: number, limit: number): ImportChange[] =>
      changes.list({ importId }, { orderBy: 'petId', above: after, limit }),
    /** Whether there are changes that were made at `until` (Unix milliseconds) or before. */
    hasChangesUntil: (until: number): boolean =>
      changes.list({}, { orderBy: 'changedAt', below: until + 1, limit: 1 }).length > 0,
    /** Removes at most `most` of them. */
    removeChangesUntil(until: number, most: number): void {
      for (const { importId, petId } of changes.list({}, { orderBy: 'changedAt', below: until + 1, limit: most })) {
        changes.remove({ importId, petId })
      }
    },
    /** The categories that an import has added and that were not renamed. */
    addedCategories: (importId: number) => added.list({ importId }),
  }
}
export type ImportsStore = ReturnType<typeof createImportStore>
