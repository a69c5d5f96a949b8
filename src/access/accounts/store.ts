/** Prepared statements over accounts. */

import { and, asc, gt, lt, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { lazily, limitParameter, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { createSearch } from '../../database/search.ts'
import { systemClock } from '../../lib/clock.ts'
import type { IdRange, Matches } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { accounts } from './table.ts'

export type AccountRow = typeof accounts.$inferSelect

/** The number of ids that a search examines at a time, in about a millisecond. */
const searchWindow = 4_096

/** `monotonic` is the clock in milliseconds by which a search is limited. */
export function createAccountStore(
  tables: Tables,
  declare: Declare = declareNothing,
  { monotonic }: Pick<typeof systemClock, 'monotonic'> = systemClock,
) {
  const rows = rowsOf(tables, accounts)
  const candidates = lazily(() =>
    tables
      .select()
      .from(accounts)
      .where(
        and(
          gt(accounts.id, sql.placeholder('low')),
          lt(accounts.id, sql.placeholder('high')),
          // SQLite's lower() folds ASCII texts completely. Every account with another name is a candidate.
          sql`(instr(lower(${accounts.name}), ${sql.placeholder('folded')}) > 0 OR octet_length(${accounts.name}) <> length(${accounts.name}))`,
        ),
      )
      .orderBy(asc(accounts.id))
      .limit(limitParameter('most'))
      .prepare(),
  )
  const search = createSearch(tables, accounts, searchWindow, monotonic)

  return {
    /** The first account of that name. */
    findByName: (name: string): AccountRow | undefined => rows.list({ name }, { orderBy: 'id', limit: 1 })[0],
    find: (id: number): AccountRow | undefined => rows.find({ id }),
    /** At most `limit` accounts with ids greater than `after`, by id. */
    page: (after: number, limit: number): AccountRow[] => rows.list({}, { orderBy: 'id', above: after, limit }),
    /**
     * At most `limit` accounts of an ascending range whose name contains `q`; case and accents do not count. It
     * stops after a few milliseconds: the page can then be short, and has `searchedTo`.
     */
    search(q: string, range: IdRange, limit: number): Matches<AccountRow> {
      const folded = foldedText(q)
      const isMatch = ({ name }: AccountRow) => foldedText(name).includes(folded)
      return search((window) => candidates.all({ ...window, folded }), range, limit, isMatch)
    },
    add(row: Omit<AccountRow, 'id'>): AccountRow {
      declare('accounts')
      return rows.insert(row)
    },
    update(id: number, changes: Partial<Pick<AccountRow, 'name' | 'plan' | 'perMinute' | 'perDay'>>): void {
      declare('accounts')
      rows.update({ id }, changes)
    },
  }
}
export type AccountStore = ReturnType<typeof createAccountStore>
