/** Prepared statements over the names that accounts held, and the tokens by which accounts prove that a name is theirs. */

import { and, eq, ne, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../../database/open.ts'
import { heldNames, ownershipTokens } from '../table.ts'

export function createOwnershipStore(tables: Tables) {
  const heldByAnother = lazily(() =>
    tables
      .select({ accountId: heldNames.accountId })
      .from(heldNames)
      .where(
        and(eq(heldNames.hostname, sql.placeholder('hostname')), ne(heldNames.accountId, sql.placeholder('accountId'))),
      )
      .limit(1)
      .prepare(),
  )
  const tokenOf = lazily(() =>
    tables
      .select({ token: ownershipTokens.token })
      .from(ownershipTokens)
      .where(eq(ownershipTokens.accountId, sql.placeholder('accountId')))
      .prepare(),
  )

  return {
    /** Records that an account holds a name. */
    hold(hostname: string, accountId: number, heldAt: number): void {
      tables.insert(heldNames).values({ hostname, accountId, heldAt }).onConflictDoNothing().run()
    },
    wasHeldByAnother(hostname: string, accountId: number): boolean {
      return heldByAnother.get({ hostname, accountId }) !== undefined
    },
    /** The token of an account; undefined before its first domain. */
    tokenOf: (accountId: number): string | undefined => tokenOf.get({ accountId })?.token,
    /** Gives an account its token, unless it has one. */
    ensureToken(accountId: number, token: string): void {
      tables.insert(ownershipTokens).values({ accountId, token }).onConflictDoNothing().run()
    },
  }
}
