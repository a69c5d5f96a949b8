/** Prepared statements over certificates, their orders, the accounts at authorities and limits. */

import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  notInArray,
  or,
  sql,
} from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import type { Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { orderWindowMs } from './rules.ts'
import { acmeAccounts, certificateLimits, certificateOrders, certificates, endStates } from './table.ts'

export type CertificateRow = typeof certificates.$inferSelect
export type OrderRow = typeof certificateOrders.$inferSelect
export type AcmeAccountRow = typeof acmeAccounts.$inferSelect
export type LimitRow = typeof certificateLimits.$inferSelect

/** A name that may need an order now. */
export type Candidate = Pick<
  CertificateRow,
  'hostname' | 'kind' | 'file' | 'notAfter' | 'wantedAt' | 'nextAttemptAt' | 'rateLimitedUntil'
>
export type NameRow = Pick<CertificateRow, 'hostname' | 'accountId' | 'kind' | 'removedAt'>

/** Orders that have ended are kept for a week. */
const keptOrdersMs = 7 * 86_400_000
/** Renewal information is queried at least once a day. */
const farthestCheckMs = 25 * 3_600_000

const isOpen = notInArray(certificateOrders.state, [...endStates])

export function createCertificateStore(tables: Tables, declare: Declare = declareNothing) {
  return {
    ...createCertificates(tables, declare),
    ...createOrders(tables, declare),
    ...createAuthority(tables, declare),
    /** The names of every file that a row refers to. */
    files(): Set<string> {
      const rows = [
        tables.select({ file: acmeAccounts.file }).from(acmeAccounts).all(),
        tables.select({ file: certificates.file }).from(certificates).where(isNotNull(certificates.file)).all(),
        tables
          .select({ file: certificateOrders.file })
          .from(certificateOrders)
          .where(and(isNotNull(certificateOrders.file), isOpen))
          .all(),
      ]
      return new Set(rows.flat().flatMap(({ file }) => file ?? []))
    },
  }
}

/** The names that want a certificate, and their certificates. */
function createCertificates(tables: Tables, declare: Declare) {
  const rows = rowsOf(tables, certificates)
  const directory = sql.placeholder('directory')
  const { kind, file, notAfter, wantedAt, nextAttemptAt, rateLimitedUntil, accountId, removedAt } = certificates
  const names = tables
    .select({ hostname: certificates.hostname, accountId, kind, removedAt })
    .from(certificates)
    .prepare()
  const candidates = tables
    .select({ hostname: certificates.hostname, kind, file, notAfter, wantedAt, nextAttemptAt, rateLimitedUntil })
    .from(certificates)
    .where(
      and(
        isNull(certificates.removedAt),
        or(
          isNull(certificates.file),
          isNull(certificates.directory),
          ne(certificates.directory, directory),
          isNull(certificates.renewAt),
          lte(certificates.renewAt, sql.placeholder('nowMs')),
          exists(
            tables
              .select({ id: certificateOrders.id })
              .from(certificateOrders)
              .where(and(eq(certificateOrders.hostname, certificates.hostname), isOpen)),
          ),
        ),
      ),
    )
    .prepare()
  const renewable = tables
    .select()
    .from(certificates)
    .where(
      and(
        isNull(certificates.removedAt),
        isNotNull(certificates.file),
        isNotNull(certificates.renewalId),
        eq(certificates.directory, directory),
        // A time far ahead is from before the clock was set back.
        or(
          isNull(certificates.renewalCheckAt),
          lte(certificates.renewalCheckAt, sql.placeholder('nowMs')),
          gt(certificates.renewalCheckAt, sql.placeholder('farMs')),
        ),
      ),
    )
    .limit(sql.placeholder('limit'))
    .prepare()
  const expired = tables
    .select()
    .from(certificates)
    .where(and(isNotNull(removedAt), or(isNull(notAfter), lte(notAfter, sql.placeholder('nowMs')))))
    .prepare()
  const expiringFirst = tables
    .select()
    .from(certificates)
    .where(and(isNull(removedAt), isNotNull(file)))
    .orderBy(asc(notAfter))
    .limit(sql.placeholder('limit'))
    .prepare()
  const counts = tables
    .select({
      wanted: count(),
      installed: count(file),
      valid: sql<number>`count(CASE WHEN ${file} IS NOT NULL AND ${notAfter} > ${sql.placeholder('nowMs')} THEN 1 END)`,
      failing: sql<number>`count(CASE WHEN ${certificates.failures} > 0 THEN 1 END)`,
    })
    .from(certificates)
    .where(isNull(removedAt))
    .prepare()
  return {
    find: (hostname: string): CertificateRow | undefined => rows.find({ hostname }),
    all: (): CertificateRow[] => rows.list({}, { orderBy: 'hostname' }),
    /**
     * Wanted names without a certificate of `directory`, with one whose renewal is due at `nowMs`, or with an open
     * order.
     */
    candidates: (directory: string, nowMs: number): Candidate[] => candidates.all({ directory, nowMs }),
    /** At most `limit` certificates of `directory` whose renewal information is to be queried at `nowMs`. */
    renewable: (directory: string, nowMs: number, limit: number): CertificateRow[] =>
      renewable.all({ directory, nowMs, farMs: nowMs + farthestCheckMs, limit }),
    names: (): NameRow[] => names.all(),
    /** The rows of removed names that are no longer of use: without a certificate, or with one that has expired. */
    expired: (nowMs: number): CertificateRow[] => expired.all({ nowMs }),
    /** The first `limit` certificates in use by the time at which they expire. */
    expiringFirst: (limit: number): CertificateRow[] => expiringFirst.all({ limit }),
    /** How many names are wanted, have a certificate, have a valid one, and failed at the last attempt. */
    counts: (nowMs: number) => counts.get({ nowMs }) ?? { wanted: 0, installed: 0, valid: 0, failing: 0 },
    add(row: Pick<CertificateRow, 'hostname' | 'accountId' | 'kind' | 'wantedAt'>): void {
      declare('certificates')
      rows.insert(row)
    },
    change(hostname: string, values: Partial<CertificateRow>): void {
      declare('certificates')
      rows.update({ hostname }, values)
    },
    /** The names whose last attempt failed before `beforeMs`, for a reason that all names share, are due at once. */
    retryShared(beforeMs: number): void {
      declare('certificates')
      const isShared = sql`json_extract(${certificates.problem}, '$.source') IN ('unavailable', 'account')`
      tables
        .update(certificates)
        .set({ nextAttemptAt: null })
        .where(and(lte(certificates.failedAt, beforeMs), isShared))
        .run()
    },
    remove(hostname: string): void {
      declare('certificates')
      rows.remove({ hostname })
    },
  }
}
export type CertificateStore = ReturnType<typeof createCertificateStore>

function createOrders(tables: Tables, declare: Declare) {
  const rows = rowsOf(tables, certificateOrders)
  const hostname = sql.placeholder('hostname')
  const openOrder = tables
    .select()
    .from(certificateOrders)
    .where(and(eq(certificateOrders.hostname, hostname), isOpen))
    .prepare()
  const challenge = tables
    .select({ keyAuthorization: certificateOrders.keyAuthorization })
    .from(certificateOrders)
    .where(and(eq(certificateOrders.token, sql.placeholder('token')), eq(certificateOrders.hostname, hostname), isOpen))
    .prepare()
  const recentFailures = tables
    .select({ createdAt: certificateOrders.createdAt })
    .from(certificateOrders)
    .where(
      and(
        eq(certificateOrders.hostname, hostname),
        ne(certificateOrders.state, 'installed'),
        gt(certificateOrders.createdAt, sql.placeholder('after')),
        // Those of the future are from before the clock was set back.
        lt(certificateOrders.createdAt, sql.placeholder('before')),
      ),
    )
    .orderBy(desc(certificateOrders.createdAt))
    .prepare()

  return {
    /** The order of a name that has not ended; there is at most one. */
    openOrder: (hostname: string): OrderRow | undefined => openOrder.get({ hostname }),
    /** The key authorization for a token, if an open order of this very name has the challenge. */
    keyAuthorization: (hostname: string, token: string): string | undefined =>
      challenge.get({ hostname, token })?.keyAuthorization ?? undefined,
    /** When the orders of a name within the last hour that brought no certificate were created, latest first. */
    recentFailures: (hostname: string, nowMs: number): number[] =>
      recentFailures
        .all({ hostname, after: nowMs - orderWindowMs, before: nowMs + 1 })
        .map(({ createdAt }) => createdAt),
    addOrder(row: Pick<OrderRow, 'hostname' | 'acmeAccountId' | 'replaces' | 'createdAt'>): OrderRow {
      declare('certificates')
      return rows.insert({ ...row, state: 'created' })
    },
    changeOrder(id: number, values: Partial<OrderRow>): void {
      // The steps of an open order change nothing that is shown.
      if (values.state && endStates.includes(values.state)) declare('certificates')
      rows.update({ id }, values)
    },
    removeOldOrders(nowMs: number): void {
      const isOld = lt(certificateOrders.createdAt, nowMs - keptOrdersMs)
      tables
        .delete(certificateOrders)
        .where(and(inArray(certificateOrders.state, [...endStates]), isOld))
        .run()
    },
  }
}

/** The account at each certificate authority, and the limits that it has set. */
function createAuthority(tables: Tables, declare: Declare) {
  const accounts = rowsOf(tables, acmeAccounts)
  const limits = rowsOf(tables, certificateLimits)

  return {
    account: (directory: string): AcmeAccountRow | undefined => accounts.find({ directory }),
    addAccount(directory: string, file: string): void {
      accounts.insert({ directory, file, caaIdentities: [] })
    },
    changeAccount(directory: string, values: Partial<AcmeAccountRow>): void {
      accounts.update({ directory }, values)
    },

    limits: (directory: string): LimitRow[] => limits.list({ directory }),
    setLimit(row: LimitRow): void {
      declare('certificates')
      limits.put(row, 'directory', 'domain')
    },
    removeLimits(untilMs: number): void {
      tables.delete(certificateLimits).where(lt(certificateLimits.until, untilMs)).run()
    },
  }
}
