/** Prepared statements over the names that accounts held, and the tokens by which accounts prove that a name is theirs. */

import { and, eq, getTableColumns, ne, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../../../database/open.ts'
import { projects } from '../../projects/table.ts'
import { domains, heldNames, ownershipTokens } from '../table.ts'

/** A domain with the facts that its check needs. */
export type Claim = NonNullable<ReturnType<ReturnType<typeof createOwnershipStore>['findClaim']>>

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
  const { findings: _, ...summary } = getTableColumns(domains)
  // One query, because each has a fixed cost, and these facts are needed twice for every check and in its response.
  const claim = lazily(() =>
    tables
      .select({
        ...summary,
        accountId: projects.accountId,
        cnameToken: projects.cnameToken,
        token: ownershipTokens.token,
        primary: sql<
          string | null
        >`(select hostname from ${domains} as other where other.project_id = ${domains.projectId} and other.is_primary = 1)`,
        wasHeld: sql<number>`exists (select 1 from ${heldNames} where ${heldNames.hostname} = ${domains.hostname} and ${heldNames.accountId} <> ${projects.accountId})`,
      })
      .from(domains)
      .innerJoin(projects, eq(projects.id, domains.projectId))
      .leftJoin(ownershipTokens, eq(ownershipTokens.accountId, projects.accountId))
      .where(eq(domains.id, sql.placeholder('id')))
      .prepare(),
  )

  return {
    /** `wasHeldByAnother`: by another account, so that a CNAME is no proof. `primary`: the primary domain of the project. */
    findClaim(id: number) {
      const found = claim.get({ id })
      if (!found) return undefined
      const { wasHeld, ...row } = found
      return { ...row, wasHeldByAnother: wasHeld === 1 }
    },
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
