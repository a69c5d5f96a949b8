/**
 * Accounts at certificate authorities, the certificate of each hostname, orders, and limits that an authority has set.
 * Private keys and certificates are files (`files/key-files.ts`); the tables have their names. Times are Unix
 * milliseconds.
 */

import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const acmeAccounts = sqliteTable('acme_accounts', {
  id: integer().primaryKey({ autoIncrement: true }),
  /** The URL of the authority's directory. */
  directory: text().notNull().unique('acme_accounts_by_directory'),
  /** The file with the private key. */
  file: text().notNull(),
  /** Null until the authority has registered the account. */
  url: text(),
  /** The address that was last sent to the authority. */
  email: text(),
  /** From the last directory of the authority, for use while it can't be reached. */
  termsOfService: text('terms_of_service'),
  caaIdentities: text('caa_identities', { mode: 'json' }).$type<readonly string[]>().notNull().default([]),
})

/** A problem, in the words of the authority or of this service. */
export interface StoredProblem {
  /**
   * `ca`: the authority rejected it. `account`: it rejects the account, and so every name. `unavailable`: the authority
   * did not reply. `held`: a check before the order failed.
   */
  readonly source: 'ca' | 'account' | 'unavailable' | 'held'
  /** The type of the problem document, or the code of the finding. */
  readonly type: string
  readonly message: string
  readonly fix?: string
}

export const certificateKinds = ['api', 'domain', 'slug'] as const
export type CertificateKind = (typeof certificateKinds)[number]

/** One row for each hostname that is, or lately was, wanted. */
export const certificates = sqliteTable('certificates', {
  hostname: text().primaryKey(),
  /** The account whose project has the hostname; null for the platform's own. */
  accountId: integer('account_id'),
  kind: text({ enum: certificateKinds }).notNull(),
  wantedAt: integer('wanted_at').notNull(),
  /** Since when the hostname is not wanted; null while it is. */
  removedAt: integer('removed_at'),

  /** The files of key and chain, without their suffixes; null without a certificate. */
  file: text(),
  directory: text(),
  /** Identifies the certificate to the authority (RFC 9773). */
  renewalId: text('renewal_id'),
  notBefore: integer('not_before'),
  notAfter: integer('not_after'),
  installedAt: integer('installed_at'),
  renewAt: integer('renew_at'),
  /** When to query the authority's renewal information again. */
  renewalCheckAt: integer('renewal_check_at'),
  /** The window from which `renewAt` was chosen, as the authority wrote it. */
  renewalWindow: text('renewal_window'),

  /** Failed attempts since the last certificate. */
  failures: integer().notNull().default(0),
  problem: text({ mode: 'json' }).$type<StoredProblem>(),
  failedAt: integer('failed_at'),
  nextAttemptAt: integer('next_attempt_at'),
  rateLimitedUntil: integer('rate_limited_until'),
  /** The finding of the HTTP probe that blocks orders, because the authority has failed for the same reason. */
  blockedBy: text('blocked_by', { enum: ['http_unreachable', 'wrong_server'] }),
})

/**
 * `created`: recorded here; the authority may have it as well. `placed`: its URL is known. `challenged`: the authority
 * may fetch the key authorization. `ready`: it has validated the name; the key is a file. `finalized`: it may have the
 * certificate request. `issued`: the certificate can be downloaded. The others are ends.
 */
export const orderStates = [
  'created',
  'placed',
  'challenged',
  'ready',
  'finalized',
  'issued',
  'installed',
  'failed',
  'cancelled',
] as const
export type OrderState = (typeof orderStates)[number]
export const endStates: readonly OrderState[] = ['installed', 'failed', 'cancelled']

const isOpen = sql`"state" NOT IN ('installed', 'failed', 'cancelled')`

export const certificateOrders = sqliteTable(
  'certificate_orders',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    hostname: text().notNull(),
    acmeAccountId: integer('acme_account_id')
      .notNull()
      .references(() => acmeAccounts.id),
    state: text({ enum: orderStates }).notNull(),
    url: text(),
    /** The challenge of http-01, and the text that the authority expects for it. */
    token: text(),
    keyAuthorization: text('key_authorization'),
    /** The file of the private key, without its suffix. */
    file: text(),
    /** The certificate that this order replaces (RFC 9773, section 5). */
    replaces: text(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    index('certificate_orders_by_hostname').on(table.hostname, table.createdAt),
    uniqueIndex('certificate_orders_open').on(table.hostname).where(isOpen),
    index('certificate_orders_by_token').on(table.token),
  ],
)

/** Limits of an authority that cover several names. */
export const certificateLimits = sqliteTable(
  'certificate_limits',
  {
    directory: text().notNull(),
    /** A domain, for it and all names below; empty for every order of the account. */
    domain: text().notNull(),
    since: integer().notNull(),
    until: integer().notNull(),
    message: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.directory, table.domain] })],
)
