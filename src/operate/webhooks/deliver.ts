/**
 * Delivers events. Each webhook has at most one attempt at a time, so that its events arrive in order while nothing fails. What is
 * still to be delivered is not stored: it is the events after the webhook's position, and the failed deliveries that have a next
 * attempt. An attempt is stored when it has ended, so a crash repeats it.
 */

import type { AuditStore } from '../../access/audit/store.ts'
import type { EventLog, StoredEvent } from '../../access/events/log.ts'
import type { Announcements } from '../../database/announcements.ts'
import { faultOf } from '../../database/faults/fault.ts'
import type { Writer } from '../../database/writer.ts'
import { type Cancel, type Clock, systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Job } from '../../lib/scheduler.ts'
import { createSlots } from '../../lib/slots.ts'
import { dueInMs, dueUntilMs, longestRetryMs } from '../outbox/schedule.ts'
import { messageOf } from './message.ts'
import { createRate } from './rate.ts'
import {
  attemptsAtOnce,
  attemptsOfPair,
  deliveriesKept,
  deliveriesKeptMs,
  filterOf,
  liveSecrets,
  pairOf,
  waitingWhileFailing,
} from './rules.ts'
import type { Webhook } from './schemas.ts'
import type { Outcome, Send } from './send.ts'
import { settle, withClock } from './settle.ts'
import { type DeliveryRow, requested, type WebhookRow, type WebhookStore } from './store.ts'

export interface DeliverParts {
  readonly webhooks: WebhookStore
  readonly events: Pick<EventLog, 'readAfter' | 'find' | 'newestOnDisk' | 'onFlushed' | 'write'>
  readonly audit: Pick<AuditStore, 'add'>
  readonly writer: Pick<Writer, 'write'>
  readonly announcements: Pick<Announcements, 'subscribe'>
  readonly clock: Clock
  readonly cutoff: (keptMs: number) => number
  readonly log: Log
  /** Whether the process is a command, which delivers nothing. */
  readonly isCommand: boolean
  readonly send: Send
  /** Whether a webhook waits for a key of its account. */
  readonly isResting: (webhook: WebhookRow) => boolean
  /** Whether nothing is delivered, because the store was restored on another machine. */
  readonly isHeld: () => boolean
  readonly toWebhook: (webhook: WebhookRow) => Webhook
  /** Milliseconds by which the clock of this machine is wrong; undefined if it is not, or if that is unknown. */
  readonly clockWrongByMs: () => number | undefined
}

/** How often deliveries that are too old are removed, in milliseconds. */
const pruneMs = 3_600_000
/** Deliveries are removed too after so many attempts of a webhook. */
const pruneAfter = 100
/** When the database cannot be read or written, it is tried again after this time, in milliseconds. */
const faultMs = 60_000

/** Webhooks look for work this long after a change, in milliseconds, so that they look rarely under load. */
export const gatherMs = 50

/** What a webhook delivers next: the event of a delivery that is due, or one after its position. */
interface Work {
  readonly webhook: WebhookRow
  readonly delivery: DeliveryRow | undefined
  /** Undefined if it has expired. */
  readonly event: StoredEvent | undefined
}

export function createDeliverer(parts: DeliverParts) {
  const { webhooks, events, audit, writer, announcements, clock, cutoff, log, isCommand, send, isResting, isHeld } =
    parts
  const stopping = new AbortController()
  /** By account and host. Attempts to failing webhooks wait behind the others. */
  const slots = createSlots<string>(attemptsAtOnce, attemptsOfPair)
  const rate = createRate(clock)
  /** The webhooks whose events are being delivered. */
  const lanes = new Map<number, Promise<void>>()
  /** When time alone brings work for a webhook, Unix milliseconds. */
  const workAt = new Map<number, number>()
  /** How far the events after a position were searched in vain. */
  const searched = new Map<number, { readonly of: string; readonly to: number }>()
  const unpruned = new Map<number, number>()
  const results = { delivered: 0, failed: 0 }
  /** Undefined after a change of webhooks or keys. */
  let active: readonly WebhookRow[] | undefined
  let cancelLook: Cancel | undefined
  let faultEndsAt: number | undefined
  let prunedMs = clock.monotonic()
  let hasReleased = false
  let wakeJob = () => {}

  /** Looks for work soon, for all changes until then. Real time passes, also where a test moves the clock. */
  function wake(): void {
    if (isCommand || active?.length === 0) return
    cancelLook ??= systemClock.after(gatherMs, () => {
      cancelLook = undefined
      look()
    })
  }

  function look(): void {
    try {
      active ??= isHeld() ? [] : webhooks.active()
      workAt.clear()
      for (const { id } of active) if (!lanes.has(id)) begin(id)
    } catch (error) {
      fail(error)
    }
  }

  function begin(id: number): void {
    if (nextOf(id) === undefined) return
    const lane = deliverAll(id).catch(fail)
    lanes.set(
      id,
      lane.finally(() => {
        lanes.delete(id)
        wakeJob()
      }),
    )
  }

  function fail(error: unknown): void {
    if (stopping.signal.aborted) return
    // Faults of the storage are reported by others.
    if (faultOf(error) === undefined) log.error('webhooks cannot be delivered; it is tried again', { error })
    faultEndsAt = clock.now() + faultMs
    wakeJob()
  }

  async function deliverAll(id: number): Promise<void> {
    const { signal } = stopping
    for (let ready = nextOf(id); ready !== undefined; ready = nextOf(id)) {
      const { webhook } = ready
      const giveBack = await slots.wait(pairOf(webhook), signal, webhook.failingSince !== null)
      try {
        // It may have been changed while it waited for its turn.
        const work = nextOf(id)
        if (work === undefined) return
        if (work.delivery === undefined) rate.count(work.webhook.accountId)
        await deliver(work, signal)
      } finally {
        giveBack()
      }
    }
  }

  /** Undefined if there is nothing to deliver now; `workAt` then says when there is. */
  function nextOf(id: number): Work | undefined {
    workAt.delete(id)
    const webhook = webhooks.find(id)
    if (!webhook?.isEnabled || webhook.heldSince !== null || isResting(webhook)) return undefined
    const delivery = dueOf(webhook)
    if (delivery) return { webhook, delivery, event: events.find(delivery.eventId) }
    const waitMs = rate.waitMs(webhook.accountId)
    if (waitMs > 0) {
      workAt.set(id, Math.min(workAt.get(id) ?? Number.POSITIVE_INFINITY, clock.now() + waitMs))
      return undefined
    }
    const event = newOf(webhook)
    return event && { webhook, delivery: undefined, event }
  }

  function dueOf({ id, failingSince }: WebhookRow): DeliveryRow | undefined {
    const nowMs = clock.now()
    const isFailing = failingSince !== null
    const due = webhooks.due(id, isFailing ? requested : dueUntilMs(nowMs), nowMs + longestRetryMs)
    if (due) return due
    const next = isFailing ? webhooks.oldestWaiting(id) : webhooks.earliest(id)
    if (!next || dueInMs(next.nextAt, nowMs) === 0) return next
    workAt.set(id, next.nextAt ?? nowMs)
    return undefined
  }

  /** The next event after the position. A failing webhook stays there while many older ones wait: its receiver may be dead. */
  function newOf(webhook: WebhookRow): StoredEvent | undefined {
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

  async function deliver({ webhook, delivery, event }: Work, signal: AbortSignal): Promise<void> {
    if (event === undefined) {
      await writer.write(() => webhooks.removeDelivery(webhook.id, delivery?.eventId ?? 0))
      return
    }
    const receiver = { url: webhook.url, secrets: liveSecrets(webhook, clock.now()) }
    const outcome = withClock(await send(receiver, messageOf(event), signal), parts.clockWrongByMs())
    results[outcome.isDelivered ? 'delivered' : 'failed']++
    await writer.write(() => store(webhook, event, delivery === undefined, outcome))
  }

  /** Stores what an attempt came to, unless the webhook was deleted meanwhile. */
  function store(tried: WebhookRow, event: StoredEvent, isNew: boolean, outcome: Outcome): void {
    const webhook = webhooks.find(tried.id)
    if (!webhook) return
    const { id, accountId, url } = webhook
    const nowMs = clock.now()
    const settled = settle(webhook, event, webhooks.deliveryOf(id, event.id), outcome, nowMs)
    const lastDeliveryId = webhooks.putDelivery(settled.delivery)
    // It may have been moved meanwhile, as by a replay.
    const position = isNew && webhook.position === tried.position ? event.id : webhook.position
    const changes = { ...settled.webhook, position, lastDeliveryId }
    webhooks.update(id, changes)
    if (settled.isRecovered) webhooks.hasten(id, nowMs)
    if (changes.isEnabled === false && webhook.isEnabled) {
      audit.add({ actor: 'system', nowMs }, { action: 'webhook.disabled', accountId, details: { webhookId: id, url } })
      events.write('webhook.disabled', accountId, parts.toWebhook({ ...webhook, ...changes }))
      // The path of the URL can be a secret of the receiver.
      const { host } = new URL(url)
      log.warn('a webhook is disabled because its receiver does not work', { webhook: id, host, reason: outcome.error })
    }
    const count = (unpruned.get(id) ?? 0) + 1
    unpruned.set(id, count % pruneAfter)
    if (count >= pruneAfter) prune(id)
  }

  const prune = (id: number) => webhooks.prune(id, deliveriesKept, cutoff(deliveriesKeptMs))

  /** A restore holds every webhook. Those with nothing pending leave nothing to decide. */
  async function releaseIdle(): Promise<void> {
    if (hasReleased) return
    const idle = webhooks.held().filter((webhook) => parts.toWebhook(webhook).pending === 0)
    if (idle.length > 0) {
      await writer.write(() => {
        for (const { id } of idle) webhooks.update(id, { heldSince: null })
      })
    }
    hasReleased = true
  }

  const job: Job = {
    name: 'deliver webhooks',
    everyMs: 20,
    idleMs() {
      const pruneInMs = active?.length === 0 ? Number.POSITIVE_INFINITY : prunedMs + pruneMs - clock.monotonic()
      // A webhook that is being delivered looks itself.
      const waiting = [...workAt].flatMap(([id, at]) => (lanes.has(id) ? [] : [at]))
      const nextAt = Math.min(...waiting, faultEndsAt ?? Number.POSITIVE_INFINITY)
      return Math.max(0, Math.min(nextAt - clock.now(), pruneInMs))
    },
    wokenBy(wakeIdle) {
      wakeJob = wakeIdle
    },
    async run() {
      faultEndsAt = undefined
      await releaseIdle()
      look()
      if (clock.monotonic() - prunedMs < pruneMs) return
      prunedMs = clock.monotonic()
      for (const { id } of webhooks.active()) await writer.write(() => prune(id))
    },
  }

  announcements.subscribe(['webhooks', 'keys', 'owner'], () => {
    active = undefined
    wake()
  })
  events.onFlushed(wake)

  return {
    job,
    slots,
    signal: stopping.signal,
    /** The age of the oldest event that is still to be delivered, in milliseconds; 0 if there is none. */
    oldestPendingMs(): number {
      const ages = (isHeld() ? [] : webhooks.active()).map((webhook) => {
        const oldest = webhooks.oldestWaiting(webhook.id)?.eventId ?? newOf(webhook)?.id
        // Ids are Unix microseconds.
        return oldest === undefined ? 0 : Math.max(0, clock.now() - oldest / 1_000)
      })
      return Math.max(0, ...ages)
    },
    /** The number of attempts since the start, by what they came to. */
    results: results as Readonly<typeof results>,
    /** Aborts the attempts in progress, which the next start repeats, and begins no more. */
    async close(): Promise<void> {
      stopping.abort()
      cancelLook?.()
      await Promise.all(lanes.values())
    },
  }
}
