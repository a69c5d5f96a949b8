/** Prepared statements over accounts. */

import { asc, eq, gt, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../database/announcements.ts'
import { lazily, type Tables } from '../database/open.ts'
import { accounts } from './table.ts'

export type AccountRow = typeof accounts.$inferSelect

export function createAccountStore(tables: Tables, declare: Declare = declareNothing) {
  const byId = lazily(() =>
    tables
      .select()
      .from(accounts)
      .where(eq(accounts.id, sql.placeholder('id')))
      .prepare(),
  )
  const byName = lazily(() =>
    tables
      .select()
      .from(accounts)
      .where(eq(accounts.name, sql.placeholder('name')))
      .orderBy(asc(accounts.id))
      .limit(1)
      .prepare(),
  )
  const page = lazily(() =>
    tables
      .select()
      .from(accounts)
      .where(gt(accounts.id, sql.placeholder('after')))
      .orderBy(asc(accounts.id))
      .limit(sql.placeholder('limit'))
      .prepare(),
  )

  return {
    /** The first account of that name. */
    findByName: (name: string): AccountRow | undefined => byName.get({ name }),
    find: (id: number): AccountRow | undefined => byId.get({ id }),
    /** At most `limit` accounts with ids greater than `after`, by id. */
    page: (after: number, limit: number): AccountRow[] => page.all({ after, limit }),
    add(row: Omit<AccountRow, 'id'>): AccountRow {
      declare('accounts')
      const [added] = tables.insert(accounts).values(row).returning().all()
      return added as AccountRow
    },
    update(id: number, changes: Partial<Pick<AccountRow, 'name' | 'plan' | 'perMinute' | 'perDay'>>): void {
      declare('accounts')
      tables.update(accounts).set(changes).where(eq(accounts.id, id)).run()
    },
  }
}
export type AccountStore = ReturnType<typeof createAccountStore>
