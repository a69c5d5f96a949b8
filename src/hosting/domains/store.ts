/**
 * Prepared statements over domains, the names that accounts held, and the tokens by which accounts prove that a name is
 * theirs.
 */

import { and, asc, between, count, desc, eq, getTableColumns, gt, inArray, lte, sql } from 'drizzle-orm'
import { type Declare, declareNothing, type IdSpan } from '../../database/announcements.ts'
import { lazily, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { projects } from '../projects/table.ts'
import { failedSince } from './history.ts'
import { domains, heldNames, ownershipTokens } from './table.ts'

export type DomainRow = typeof domains.$inferSelect
/** A domain without its findings, which may be long. */
export type DomainSummary = Omit<DomainRow, 'findings'>
export type NewDomain = Omit<DomainRow, 'id'>
export type DomainChanges = Partial<Omit<DomainRow, 'id' | 'projectId' | 'hostname' | 'createdAt'>>

export interface DomainFilter {
  readonly accountId: number | undefined
  /** A-labels. */
  readonly hostname: string | undefined
}

/** A domain with the facts that its check needs. */
export type Claim = NonNullable<ReturnType<DomainStore['findClaim']>>

/** A check that the service has to make without a request. */
export interface DueCheck {
  readonly id: number
  readonly accountId: number
  /** Unix milliseconds. */
  readonly dueAt: number
}

/** A served hostname, as the routing table needs it. */
export type Holder = Pick<
  DomainRow,
  'id' | 'hostname' | 'projectId' | 'isPrimary' | 'redirectStatus' | 'hsts' | 'isDegraded'
> & { readonly accountId: number }

/** Those on which the routing table depends. */
const routingColumns = ['isPrimary', 'redirectStatus', 'hsts', 'holdsName', 'isDegraded'] as const

export function createDomainStore(tables: Tables, declare: Declare = declareNothing) {
  const rows = rowsOf(tables, domains)
  const { findings: _, ...summary } = getTableColumns(domains)
  const ofProject = lazily(() =>
    tables
      .select(summary)
      .from(domains)
      .where(eq(domains.projectId, sql.placeholder('projectId')))
      .orderBy(asc(domains.id))
      .prepare(),
  )
  const primary = lazily(() =>
    tables
      .select({ hostname: domains.hostname })
      .from(domains)
      .where(and(eq(domains.projectId, sql.placeholder('projectId')), eq(domains.isPrimary, true)))
      .prepare(),
  )
  const preparePages = (...filters: ReturnType<typeof eq>[]) => ({
    all: lazily(() => preparePage(...filters)),
    ofAccount: lazily(() => preparePage(eq(projects.accountId, sql.placeholder('accountId')), ...filters)),
  })
  const preparePage = (...filters: ReturnType<typeof eq>[]) =>
    tables
      .select(getTableColumns(domains))
      .from(domains)
      .innerJoin(projects, eq(projects.id, domains.projectId))
      .where(and(gt(domains.id, sql.placeholder('after')), ...filters))
      .orderBy(asc(domains.id))
      .limit(sql.placeholder('limit'))
      .prepare()
  const pages = { any: preparePages(), named: preparePages(eq(domains.hostname, sql.placeholder('hostname'))) }
  const holder = lazily(() =>
    tables
      .select()
      .from(domains)
      .where(and(eq(domains.hostname, sql.placeholder('hostname')), sql`${domains.holdsName} = 1`))
      .prepare(),
  )
  const { hostname, projectId, isPrimary, redirectStatus, hsts, isDegraded } = domains
  const holders = lazily(() =>
    tables
      .select({
        id: domains.id,
        hostname,
        projectId,
        isPrimary,
        redirectStatus,
        hsts,
        isDegraded,
        accountId: projects.accountId,
      })
      .from(domains)
      .innerJoin(projects, eq(projects.id, domains.projectId))
      .where(and(between(domains.id, sql.placeholder('from'), sql.placeholder('to')), sql`${domains.holdsName} = 1`))
      .prepare(),
  )

  const claim = lazily(() =>
    tables
      .select({
        ...summary,
        accountId: projects.accountId,
        cnameToken: projects.cnameToken,
        token: ownershipTokens.token,
        wasHeld: sql<number>`exists (select 1 from ${heldNames} where ${heldNames.hostname} = ${domains.hostname} and ${heldNames.accountId} <> ${projects.accountId})`,
      })
      .from(domains)
      .innerJoin(projects, eq(projects.id, domains.projectId))
      .leftJoin(ownershipTokens, eq(ownershipTokens.accountId, projects.accountId))
      .where(eq(domains.id, sql.placeholder('id')))
      .prepare(),
  )
  function declareChange(id: number, isRouting: boolean): void {
    declare('domains')
    if (isRouting) declare('routing', id)
  }

  function remove(id: number): void {
    declareChange(id, true)
    rows.remove({ id })
  }

  return {
    ...createOverview(tables),
    ...createDueChecks(tables),
    ...createOwnership(tables),
    findById: (id: number): DomainRow | undefined => rows.find({ id }),
    find: (projectId: number, hostname: string): DomainRow | undefined => rows.find({ projectId, hostname }),
    /** All domains of a project, the oldest first. */
    ofProject: (projectId: number): DomainSummary[] => ofProject.all({ projectId }),
    /** The hostname of the primary domain of a project. */
    primaryOf: (projectId: number): string | undefined => primary.get({ projectId })?.hostname,
    /** At most `limit` domains of a project with ids beyond `after`, by id. */
    page: (projectId: number, after: number, limit: number): DomainRow[] =>
      rows.list({ projectId }, { orderBy: 'id', above: after, limit }),
    /** The same of the projects of an account, or of all without one: those with a hostname, or all. */
    pageOf({ accountId, hostname: ofName }: DomainFilter, after: number, limit: number): DomainRow[] {
      const { all, ofAccount } = ofName === undefined ? pages.any : pages.named
      const values = { hostname: ofName, after, limit }
      return accountId === undefined ? all.all(values) : ofAccount.all({ ...values, accountId })
    },
    countOf: (projectId: number): number => rows.count({ projectId }),
    /** Every claim on a name. */
    claimsOf: (hostname: string): DomainRow[] => rows.list({ hostname }, { orderBy: 'id' }),
    /** The claim that holds a name. */
    holderOf: (hostname: string): DomainRow | undefined => holder.get({ hostname }),
    /** The domains with these ids that hold their names. */
    holders: ({ from, to }: IdSpan): Holder[] => holders.all({ from, to }),
    add(row: NewDomain): DomainRow {
      const added = rows.insert(row)
      declareChange(added.id, row.holdsName)
      return added
    },
    update<T extends DomainSummary>(row: T, changes: DomainChanges): T {
      declareChange(
        row.id,
        routingColumns.some((column) => column in changes),
      )
      rows.update({ id: row.id }, changes)
      return { ...row, ...changes }
    },
    remove,
    /** Removes the domains of a project that is deleted. */
    removeOf(ofProjectId: number): void {
      for (const { id } of ofProject.all({ projectId: ofProjectId })) remove(id)
    },
    /** `wasHeldByAnother`: by another account, so that a CNAME is no proof. */
    findClaim(id: number) {
      const selected = claim.get({ id })
      if (!selected) return undefined
      const { wasHeld, ...row } = selected
      return { ...row, wasHeldByAnother: wasHeld === 1 }
    },
  }
}
export type DomainStore = ReturnType<typeof createDomainStore>

/** The statuses of all domains, for the overview and the metrics. */
function createOverview(tables: Tables) {
  const byStatus = lazily(() =>
    tables.select({ status: domains.dnsStatus, count: count() }).from(domains).groupBy(domains.dnsStatus).prepare(),
  )
  const faulty = lazily(() =>
    tables
      .select({
        projectId: domains.projectId,
        hostname: domains.hostname,
        hasDrifted: sql<boolean>`${domains.dnsStatus} = 'drifted'`.mapWith(Boolean),
        sinceMs: sql<number>`coalesce(${domains.driftedAt}, ${failedSince}, ${domains.checkedAt}, ${domains.createdAt})`,
      })
      .from(domains)
      .where(inArray(domains.dnsStatus, ['failed', 'drifted']))
      .limit(sql.placeholder('limit'))
      .prepare(),
  )

  return {
    countsByStatus: (): { readonly status: string; readonly count: number }[] => byStatus.all(),
    /** At most `limit` domains whose records are wrong, and since when (Unix milliseconds). */
    faulty: (limit: number) => faulty.all({ limit }),
  }
}

/** The checks that the service makes without a request. */
function createDueChecks(tables: Tables) {
  const dueColumns = { id: domains.id, accountId: projects.accountId, dueAt: sql<number>`${domains.nextCheckAt}` }
  const due = lazily(() =>
    tables
      .select(dueColumns)
      .from(domains)
      .innerJoin(projects, eq(projects.id, domains.projectId))
      .where(
        and(
          lte(domains.nextCheckAt, sql.placeholder('nowMs')),
          sql`(${domains.nextCheckAt}, ${domains.id}) > (${sql.placeholder('dueAt')}, ${sql.placeholder('id')})`,
        ),
      )
      .orderBy(asc(domains.nextCheckAt), asc(domains.id))
      .limit(sql.placeholder('limit'))
      .prepare(),
  )
  const farAhead = lazily(() =>
    tables
      .select(dueColumns)
      .from(domains)
      .innerJoin(projects, eq(projects.id, domains.projectId))
      .where(gt(domains.nextCheckAt, sql.placeholder('beyondMs')))
      .orderBy(desc(domains.nextCheckAt))
      .limit(sql.placeholder('limit'))
      .prepare(),
  )

  return {
    /** At most `limit` domains whose next check is due at `nowMs` and comes after `after`, the most overdue first. */
    due(nowMs: number, after: Pick<DueCheck, 'dueAt' | 'id'>, limit: number): DueCheck[] {
      return due.all({ nowMs, dueAt: after.dueAt, id: after.id, limit })
    },
    /** At most `limit` domains whose next check is later than `beyondMs`. */
    plannedBeyond: (beyondMs: number, limit: number): DueCheck[] => farAhead.all({ beyondMs, limit }),
  }
}

/** What an account proves its names with, and the names that it has proven. */
function createOwnership(tables: Tables) {
  const held = rowsOf(tables, heldNames)
  const tokens = rowsOf(tables, ownershipTokens)

  return {
    /** Records that an account holds a name. */
    hold(hostname: string, accountId: number, heldAt: number): void {
      tables.insert(heldNames).values({ hostname, accountId, heldAt }).onConflictDoNothing().run()
    },
    wasHeldByAnother: (hostname: string, accountId: number): boolean =>
      held.list({ hostname }).some((name) => name.accountId !== accountId),
    /** The token of an account; undefined before its first domain. */
    tokenOf: (accountId: number): string | undefined => tokens.find({ accountId })?.token,
    /** Gives an account its token, unless it has one. */
    ensureToken(accountId: number, token: string): void {
      tables.insert(ownershipTokens).values({ accountId, token }).onConflictDoNothing().run()
    },
  }
}
