/**
 * Finds what a webhook delivers next: the event of a failed delivery that is due, or the first event after its
 * position. Each account has a limited number of first attempts per minute, counted in memory: a restart begins at
 * zero.
 */

import type { EventLog, StoredEvent } from '../../access/events/log.ts'
import type { EventFilter } from '../../access/events/rules.ts'
import type { Clock } from '../../lib/clock.ts'
import { dueInMs, dueUntilMs, longestRetryMs } from '../retry-schedule.ts'
import { filterOf, waitingWhileFailing } from './rules.ts'
import { type DeliveryRow, requested, type WebhookRow, type WebhookStore } from './store.ts'

export interface NextParts {
  readonly webhooks: Pick<WebhookStore, 'find' | 'due' | 'earliest' | 'oldestWaiting' | 'waitingCount'>
  readonly events: Pick<EventLog, 'readAfter' | 'find' | 'newestOnDisk'>
  readonly clock: Clock
  /** Whether a webhook waits for a key of its account. */
  readonly isResting: (webhook: WebhookRow) => boolean
}

/** An event to deliver. */
export interface Work {
  readonly webhook: WebhookRow
  /** Undefined if it is the first attempt. */
  readonly delivery: DeliveryRow | undefined
  /** Undefined if it has expired. */
  readonly event: StoredEvent | undefined
}

export function createNext({ webhooks, events, clock, isResting }: NextParts) {
  const rate = createRate(clock)
  /** When a webhook has work again without another change, Unix milliseconds. */
  const workAt = new Map<number, number>()
  /** How far the events after a position were searched without a match. */
  const searched = new Map<number, { readonly of: string; readonly to: number }>()

  /** Undefined if there is nothing to deliver now; `workAt` then says when there is. */
  function find(id: number): Work | undefined {
    workAt.delete(id)
    const webhook = webhooks.find(id)
    if (!webhook?.isEnabled || webhook.heldSince !== null || isResting(webhook)) return undefined
    const delivery = findDue(webhook)
    if (delivery) return { webhook, delivery, event: events.find(delivery.eventId) }
    const waitMs = rate.waitMs(webhook.accountId)
    if (waitMs > 0) {
      workAt.set(id, Math.min(workAt.get(id) ?? Number.POSITIVE_INFINITY, clock.now() + waitMs))
      return undefined
    }
    const event = findNew(webhook)
    return event && { webhook, delivery: undefined, event }
  }

  function findDue({ id, failingSince }: WebhookRow): DeliveryRow | undefined {
    const nowMs = clock.now()
    const isFailing = failingSince !== null
    const due = webhooks.due(id, isFailing ? requested : dueUntilMs(nowMs), nowMs + longestRetryMs)
    if (due) return due
    const next = isFailing ? webhooks.oldestWaiting(id) : webhooks.earliest(id)
    if (!next || dueInMs(next.nextAt, nowMs) === 0) return next
    workAt.set(id, next.nextAt ?? nowMs)
    return undefined
  }

  /**
   * The next event after the position. A failing webhook stays there while many older ones wait, because its receiver
   * may be dead.
   */
  function findNew(webhook: WebhookRow): StoredEvent | undefined {
    const { id, position, failingSince } = webhook
    if (failingSince !== null && webhooks.waitingCount(id) >= waitingWhileFailing) return undefined
    const of = JSON.stringify([position, webhook.types, webhook.orders])
    const filter = filterOf(webhook)
    const before = searched.get(id)
    let after = before?.of === of ? before.to : position
    for (;;) {
      const newest = events.newestOnDisk()
      if (after >= newest) return undefined
      const { records, searchedTo } = events.readAfter(after, filter, 1)
      if (records[0]) return records[0]
      after = searchedTo ?? newest
      searched.set(id, { of, to: after })
    }
  }

  return {
    find,
    /** Counts a first attempt of an account. */
    countFirst: rate.count,
    /**
     * When a webhook without work at the last `find` has work again, Unix milliseconds; by the id of the webhook.
     */
    workAt: workAt as ReadonlyMap<number, number>,
    /** Forgets `workAt`, before all webhooks are examined again. */
    forgetTimes: () => workAt.clear(),
    /** The id of the oldest pending event; undefined if there is none. */
    oldestPending: (webhook: WebhookRow): number | undefined =>
      webhooks.oldestWaiting(webhook.id)?.eventId ?? findNew(webhook)?.id,
  }
}

/** The number of events after `id` that `filter` selects, up to `most`. */
export function countAfter(
  { readAfter }: Pick<EventLog, 'readAfter'>,
  id: number,
  filter: EventFilter,
  most: number,
): number {
  let count = 0
  for (let after: number | undefined = id; after !== undefined && count < most; ) {
    const { records, searchedTo } = readAfter(after, filter, most - count)
    count += records.length
    after = searchedTo
  }
  return count
}

const firstAttemptsAMinute = 600
const minuteMs = 60_000

/** Counts the first attempts of each account in a minute. */
function createRate({ monotonic }: Pick<Clock, 'monotonic'>) {
  const minutes = new Map<number, { readonly endsMs: number; count: number }>()

  function minuteOf(accountId: number) {
    const nowMs = monotonic()
    const known = minutes.get(accountId)
    if (known && known.endsMs > nowMs) return known
    const begun = { endsMs: nowMs + minuteMs, count: 0 }
    minutes.set(accountId, begun)
    return begun
  }

  return {
    /** Milliseconds until an attempt may be made; 0 if it may be made now. */
    waitMs(accountId: number): number {
      const { count, endsMs } = minuteOf(accountId)
      return count < firstAttemptsAMinute ? 0 : endsMs - monotonic()
    },
    count(accountId: number): void {
      minuteOf(accountId).count++
    },
  }
}
