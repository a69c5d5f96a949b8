/** Queries over webhooks and their deliveries. Those of the job are prepared. */

import { and, asc, count, desc, eq, gt, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { lazily, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { type DeliveryState, webhookDeliveries as deliveries, webhooks } from './table.ts'

export type WebhookRow = typeof webhooks.$inferSelect
export type DeliveryRow = typeof deliveries.$inferSelect

/** An attempt that somebody has requested is due at this time, before all others. */
export const requested = 0

export function createWebhookStore(tables: Tables, declare: Declare = declareNothing) {
  const rows = rowsOf(tables, webhooks)
  const enabled = (condition: SQL): WebhookRow[] =>
    tables
      .select()
      .from(webhooks)
      .where(and(eq(webhooks.isEnabled, true), condition))
      .all()
  const deliveriesOf = createDeliveries(tables, declare)

  return {
    ...deliveriesOf,
    find: (id: number): WebhookRow | undefined => rows.find({ id }),
    /** At most `limit` webhooks with ids greater than `after`, by id: those of an account, or all without one. */
    page: (accountId: number | undefined, after: number, limit: number): WebhookRow[] =>
      rows.list({ accountId }, { orderBy: 'id', above: after, limit }),
    countOf: (accountId: number): number => rows.count({ accountId }),
    /** The webhooks that deliver: enabled, and not on hold. */
    active: () => enabled(isNull(webhooks.heldSince)),
    /** The webhooks that a restore has put on hold until somebody decides. */
    onHold: () => enabled(isNotNull(webhooks.heldSince)),
    /** At most `limit` webhooks that the service has disabled, in the order in which it did. */
    disabledByService: (limit: number): WebhookRow[] =>
      tables
        .select()
        .from(webhooks)
        .where(isNotNull(webhooks.disabledAt))
        .orderBy(asc(webhooks.disabledAt))
        .limit(limit)
        .all(),
    add(row: Omit<WebhookRow, 'id'>): WebhookRow {
      declare('webhooks')
      return rows.insert(row)
    },
    update(id: number, changes: Partial<Omit<WebhookRow, 'id'>>): void {
      declare('webhooks')
      rows.update({ id }, changes)
    },
    remove(id: number): void {
      declare('webhooks')
      deliveriesOf.removeAll(id)
      rows.remove({ id })
    },
  }
}
export type WebhookStore = ReturnType<typeof createWebhookStore>

/** The events that were attempted, each with the result of its last attempt. */
function createDeliveries(tables: Tables, declare: Declare) {
  const value = sql.placeholder
  const ofWebhook = eq(deliveries.webhookId, value('webhookId'))
  const isWaiting = sql`${deliveries.nextAt} is not null`
  const attempts = rowsOf(tables, deliveries)
  /** The first waiting delivery of a webhook in an order. */
  const firstWaiting = (order: SQL, condition?: SQL) =>
    lazily(() =>
      tables
        .select()
        .from(deliveries)
        .where(and(ofWebhook, isWaiting, condition))
        .orderBy(order)
        .limit(1)
        .prepare(),
    )
  const oldestWaiting = firstWaiting(asc(deliveries.eventId))
  const earliest = firstWaiting(asc(deliveries.nextAt))
  const due = firstWaiting(
    asc(deliveries.eventId),
    or(lte(deliveries.nextAt, value('untilMs')), gt(deliveries.nextAt, value('latestMs'))),
  )
  const waitingCount = lazily(() =>
    tables.select({ count: count() }).from(deliveries).where(and(ofWebhook, isWaiting)).prepare(),
  )

  return {
    findDelivery: (id: number): DeliveryRow | undefined => attempts.find({ id }),
    deliveryOf: (webhookId: number, eventId: number): DeliveryRow | undefined => attempts.find({ webhookId, eventId }),
    /** At most `limit` deliveries with ids below `before`, the newest first. */
    deliveries: (webhookId: number, state: DeliveryState | undefined, before: number, limit: number): DeliveryRow[] =>
      attempts.list({ webhookId, state }, { orderBy: 'id', descending: true, below: before, limit }),
    waitingCount: (webhookId: number): number => waitingCount.get({ webhookId })?.count ?? 0,
    /** The waiting delivery of the oldest event. */
    oldestWaiting: (webhookId: number): DeliveryRow | undefined => oldestWaiting.get({ webhookId }),
    /**
     * Of the deliveries whose next attempt is at `untilMs` or before, or after `latestMs`, that of the oldest event.
     */
    due: (webhookId: number, untilMs: number, latestMs: number): DeliveryRow | undefined =>
      due.get({ webhookId, untilMs, latestMs }),
    /** The delivery with the earliest next attempt. */
    earliest: (webhookId: number): DeliveryRow | undefined => earliest.get({ webhookId }),
    /** Adds the delivery of an event, or changes it; returns its id. */
    putDelivery(row: Omit<DeliveryRow, 'id'>): number {
      declare('webhooks')
      return attempts.put(row, 'webhookId', 'eventId').id
    },
    removeDelivery(webhookId: number, eventId: number): void {
      attempts.remove({ webhookId, eventId })
    },
    /** Makes a delivery due, before all others of its webhook; returns it as it is then. */
    request(delivery: DeliveryRow): DeliveryRow {
      declare('webhooks')
      attempts.update({ id: delivery.id }, { nextAt: requested })
      return { ...delivery, nextAt: requested }
    },
    /** Makes the waiting deliveries of a webhook due at `nowMs` if they are due later. */
    retryNow(webhookId: number, nowMs: number): void {
      tables
        .update(deliveries)
        .set({ nextAt: nowMs })
        .where(and(eq(deliveries.webhookId, webhookId), gt(deliveries.nextAt, nowMs)))
        .run()
    },
    /** Cancels the next attempts of all waiting deliveries of a webhook. */
    giveUp(webhookId: number): void {
      declare('webhooks')
      attempts.update({ webhookId }, { nextAt: null })
    },
    /** Removes the deliveries of a webhook. */
    removeAll: (webhookId: number) => attempts.remove({ webhookId }),
    prune: (webhookId: number, kept: number, cutoffMs: number) => pruneDeliveries(tables, webhookId, kept, cutoffMs),
  }
}

/**
 * Deletes deliveries of a webhook: of those that succeeded, all but the newest `kept` and all before `cutoffMs` (Unix
 * milliseconds); of those that failed, all whose event has expired. Of failed ones, only the newest `kept` keep the
 * response.
 */
function pruneDeliveries(tables: Tables, webhookId: number, kept: number, cutoffMs: number): void {
  const inState = (state: DeliveryState, condition?: SQL) =>
    and(eq(deliveries.webhookId, webhookId), eq(deliveries.state, state), condition)
  const beyond = (state: DeliveryState) =>
    tables
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(inState(state))
      .orderBy(desc(deliveries.id))
      .limit(1)
      .offset(kept)
      .get()?.id ?? 0
  const lastDelivered = beyond('delivered')
  tables
    .delete(deliveries)
    .where(inState('delivered', or(lte(deliveries.id, lastDelivered), lt(deliveries.attemptedAt, cutoffMs))))
    .run()
  tables
    .delete(deliveries)
    .where(inState('failed', sql`${deliveries.eventId} < (select coalesce(min(id), 0) from events)`))
    .run()
  tables
    .update(deliveries)
    .set({ response: null })
    .where(inState('failed', and(lte(deliveries.id, beyond('failed')), isNotNull(deliveries.response))))
    .run()
}
