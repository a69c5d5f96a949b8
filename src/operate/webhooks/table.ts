/**
 * Webhooks and their deliveries. Pending deliveries have no rows: they are the events after the position of a webhook.
 */

import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { accounts } from '../../access/accounts/table.ts'

export const orderChoices = ['own', 'all'] as const

export const webhooks = sqliteTable(
  'webhooks',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    url: text().notNull(),
    /** Names of events, and `pet.*`. */
    types: text({ mode: 'json' }).notNull().$type<readonly string[]>(),
    /** Whose order events it gets. */
    orders: text({ enum: orderChoices }).notNull(),
    description: text(),
    /** The scopes of the key that created it, separated by spaces: they decide which events it gets. */
    scopes: text().notNull(),
    isEnabled: integer('is_enabled', { mode: 'boolean' }).notNull(),
    /** Unix milliseconds, like all times here. */
    createdAt: integer('created_at').notNull(),
    /** Readable, because each delivery is signed with it. Backups have it. */
    secret: text().notNull(),
    /** The secret before the last change, which signs too until `previousSecretEndsAt`. */
    previousSecret: text('previous_secret'),
    previousSecretEndsAt: integer('previous_secret_ends_at'),
    /** The id of the last event that was attempted or skipped. */
    position: integer().notNull(),
    /** The attempts that have failed since the last successful one. */
    failures: integer().notNull(),
    /** Since when it is failing; null if it is not. */
    failingSince: integer('failing_since'),
    /** The delivery that was attempted last. It may be deleted. */
    lastDeliveryId: integer('last_delivery_id'),
    /** When the service disabled it; null if it is enabled or a person disabled it. */
    disabledAt: integer('disabled_at'),
    /** When a backup was restored and nobody has decided since what happens to the pending deliveries. */
    heldSince: integer('held_since'),
  },
  (table) => [index('webhooks_by_account').on(table.accountId)],
)

export const deliveryStates = ['delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** The attempts to deliver one event to one webhook. */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    webhookId: integer('webhook_id')
      .notNull()
      .references(() => webhooks.id),
    eventId: integer('event_id').notNull(),
    type: text().notNull(),
    state: text({ enum: deliveryStates }).notNull(),
    attempts: integer().notNull(),
    attemptedAt: integer('attempted_at').notNull(),
    /** The time of the next attempt, 0 if somebody has requested it; null if there is none. */
    nextAt: integer('next_at'),
    /** The status of the last response; null if there was none. */
    status: integer(),
    durationMs: integer('duration_ms').notNull(),
    /** Why the last attempt failed, for people; null if it did not. */
    error: text(),
    /** The beginning of the last response, if the attempt failed. */
    response: text(),
  },
  (table) => [
    uniqueIndex('deliveries_by_event').on(table.webhookId, table.eventId),
    index('deliveries_by_webhook').on(table.webhookId),
    index('deliveries_by_state').on(table.webhookId, table.state),
    index('waiting_deliveries').on(table.webhookId, table.nextAt).where(sql`next_at is not null`),
  ],
)
