/**
 * Domains: claims of projects on hostnames, every name that an account ever held, the accounts' tokens, and the
 * history.
 */

import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { accounts } from '../../access/accounts/table.ts'
import type { Finding } from '../../dns/report.ts'
import { projects } from '../projects/table.ts'
import { dnsStatuses, failureKinds } from './state.ts'

/**
 * One row for each project that claims a hostname. Any number of unverified claims coexist; one at most holds the name.
 */
export const domains = sqliteTable(
  'domains',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** In A-label form, lower case, without the final dot. */
    hostname: text().notNull(),
    /** Every other domain of the project redirects to its primary. */
    isPrimary: integer('is_primary', { mode: 'boolean' }).notNull(),
    /** The status of the redirect, which counts while the domain is not the primary. */
    redirectStatus: integer('redirect_status').notNull(),
    hsts: integer({ mode: 'boolean' }).notNull(),
    /** Whether the claim is proven, so that the hostname is served. */
    holdsName: integer('holds_name', { mode: 'boolean' }).notNull(),
    dnsStatus: text('dns_status', { enum: dnsStatuses }).notNull(),
    /** Why the last check that had a result failed; null if it did not. */
    failure: text({ enum: failureKinds }),
    /** Unix milliseconds, as are all times here. */
    checkedAt: integer('checked_at'),
    /** Null if the service no longer checks it without a request. */
    nextCheckAt: integer('next_check_at'),
    /** For how long the unproven claim has been checked, in milliseconds. */
    waitedMs: integer('waited_ms').notNull(),
    /** When the claim was proven; null while it does not hold the name. */
    verifiedAt: integer('verified_at'),
    /** The first of the checks that have failed one after another while the domain was verified. */
    driftedAt: integer('drifted_at'),
    /** Whether a further check has failed an hour after the first one. */
    isDegraded: integer('is_degraded', { mode: 'boolean' }).notNull(),
    /** The zone of the hostname; until a check has found it, the registrable domain. */
    zone: text().notNull(),
    /** The findings of the last check. */
    findings: text({ mode: 'json' }).notNull().$type<readonly Finding[]>(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('domains_by_project').on(table.projectId, table.hostname),
    uniqueIndex('domains_by_holder').on(table.hostname).where(sql`holds_name = 1`),
    index('domains_by_hostname').on(table.hostname),
    index('domains_by_next_check').on(table.nextCheckAt),
    index('domains_by_dns_status').on(table.dnsStatus),
  ],
)

/** Rows are never removed: the next account needs the proof by TXT for a name that another one has held. */
export const heldNames = sqliteTable(
  'held_names',
  {
    hostname: text().notNull(),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    /** When the account held the name first. */
    heldAt: integer('held_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.hostname, table.accountId] })],
)

/** The value of an account's TXT records at `_petstore-verify.<hostname>`. */
export const ownershipTokens = sqliteTable('ownership_tokens', {
  accountId: integer('account_id')
    .primaryKey()
    .references(() => accounts.id),
  token: text().notNull(),
})

/** The history of a hostname in a project. It remains if the domain is removed, and ends with the project. */
export const domainEvents = sqliteTable(
  'domain_events',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    hostname: text().notNull(),
    at: integer().notNull(),
    type: text().notNull(),
    message: text().notNull(),
  },
  (table) => [index('domain_events_by_domain').on(table.projectId, table.hostname, table.id)],
)
