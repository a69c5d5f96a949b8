/**
 * Delivers events. Each webhook has at most one attempt at a time, so that its events arrive in order while nothing
 * fails. Pending deliveries are not stored: they are the events after the webhook's position, and the failed deliveries
 * that have a next attempt. An attempt is stored when it has ended, so a crash repeats it.
 */

import type { AuditStore } from '../../access/audit/store.ts'
import type { EventLog, StoredEvent } from '../../access/events/log.ts'
import type { Announcements } from '../../database/announcements.ts'
import { faultOf } from '../../database/faults/fault.ts'
import type { Writer } from '../../database/writer.ts'
import { type Cancel, systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Job } from '../../lib/scheduler.ts'
import { createSlots } from '../../lib/slots.ts'
import { messageOf } from './message.ts'
import { createNext, type NextParts, type Work } from './next.ts'
import { attemptsAtOnce, attemptsOfPair, deliveriesKept, deliveriesKeptMs, liveSecrets, pairOf } from './rules.ts'
import type { Webhook } from './schemas.ts'
import type { Outcome, Send } from './send.ts'
import { settle, withClock } from './settle.ts'
import type { WebhookRow, WebhookStore } from './store.ts'

export interface DeliverParts extends NextParts {
  readonly webhooks: WebhookStore
  readonly events: Pick<EventLog, 'readAfter' | 'find' | 'newestOnDisk' | 'onFlushed' | 'write'>
  readonly audit: Pick<AuditStore, 'add'>
  readonly writer: Pick<Writer, 'write'>
  readonly announcements: Pick<Announcements, 'subscribe'>
  readonly cutoff: (keptMs: number) => number
  readonly log: Log
  /** Whether the process is a command, which delivers nothing. */
  readonly isCommand: boolean
  readonly send: Send
  /** Whether nothing is delivered, because the store was restored on another machine. */
  readonly isOnHold: () => boolean
  readonly toWebhook: (webhook: WebhookRow) => Webhook
  /** Milliseconds by which the clock of this machine is wrong; undefined if it is not, or if that is unknown. */
  readonly clockWrongByMs: () => number | undefined
}

/** How often deliveries that are too old are removed, in milliseconds. */
const pruneMs = 3_600_000
/** Old deliveries of a webhook are also removed after this many of its attempts. */
const pruneAfter = 100
/** After the database could not be read or written, the next try begins after this time, in milliseconds. */
const faultMs = 60_000

/** The time from a change until webhooks look for work, in milliseconds: under load they look rarely. */
export const gatherMs = 50

export function createDeliverer(parts: DeliverParts) {
  const { webhooks, events, writer, announcements, clock, log, isCommand, isOnHold } = parts
  const stopping = new AbortController()
  /** By account and host. Attempts to failing webhooks wait behind the others. */
  const slots = createSlots<string>(attemptsAtOnce, attemptsOfPair)
  const next = createNext(parts)
  const { deliver, prune, results } = createAttempts(parts)
  /** The webhooks whose events are being delivered. */
  const running = new Map<number, Promise<void>>()
  /** Undefined after a change of webhooks or keys. */
  let active: readonly WebhookRow[] | undefined
  let cancelLook: Cancel | undefined
  let faultEndsAt: number | undefined
  let prunedMs = clock.monotonic()
  let hasReleased = false
  let wakeJob = () => {}

  /** Looks for work soon, once for all changes until then. It waits in real time, even where a test moves the clock. */
  function wake(): void {
    if (isCommand || active?.length === 0) return
    cancelLook ??= systemClock.after(gatherMs, () => {
      cancelLook = undefined
      look()
    })
  }

  function look(): void {
    try {
      active ??= isOnHold() ? [] : webhooks.active()
      next.forgetTimes()
      for (const { id } of active) if (!running.has(id)) begin(id)
    } catch (error) {
      fail(error)
    }
  }

  function begin(id: number): void {
    if (next.find(id) === undefined) return
    const run = deliverAll(id)
      .catch(fail)
      .finally(() => {
        running.delete(id)
        wakeJob()
      })
    running.set(id, run)
  }

  function fail(error: unknown): void {
    if (stopping.signal.aborted) return
    // The fault monitor reports faults of the storage.
    if (faultOf(error) === undefined) log.error('webhooks cannot be delivered; the service tries again', { error })
    faultEndsAt = clock.now() + faultMs
    wakeJob()
  }

  async function deliverAll(id: number): Promise<void> {
    const { signal } = stopping
    for (let ready = next.find(id); ready !== undefined; ready = next.find(id)) {
      const { webhook } = ready
      const giveBack = await slots.wait(pairOf(webhook), signal, webhook.failingSince !== null)
      try {
        // It may have been changed while it waited for its turn.
        const work = next.find(id)
        if (work === undefined) return
        if (work.delivery === undefined) next.countFirst(work.webhook.accountId)
        await deliver(work, signal)
      } finally {
        giveBack()
      }
    }
  }

  /** A restore puts every webhook on hold. Those with nothing pending leave nothing to decide. */
  async function releaseIdle(): Promise<void> {
    if (hasReleased) return
    const idle = webhooks.onHold().filter((webhook) => parts.toWebhook(webhook).pending === 0)
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
      // A webhook that is delivering finds its next work itself.
      const waiting = [...next.workAt].flatMap(([id, at]) => (running.has(id) ? [] : [at]))
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
    /** The age of the oldest pending event in milliseconds; 0 if there is none. */
    oldestPendingMs(): number {
      const ages = (isOnHold() ? [] : webhooks.active()).map((webhook) => {
        const oldest = next.oldestPending(webhook)
        // Ids are Unix microseconds.
        return oldest === undefined ? 0 : Math.max(0, clock.now() - oldest / 1_000)
      })
      return Math.max(0, ...ages)
    },
    /** The number of attempts since the start, by their result. */
    results,
    /** Aborts the attempts in progress, which the next start repeats, and starts no others. */
    async close(): Promise<void> {
      stopping.abort()
      cancelLook?.()
      await Promise.all(running.values())
    },
  }
}

/** Makes single attempts, and stores their results. */
function createAttempts(parts: DeliverParts) {
  const { webhooks, events, audit, writer, clock, cutoff, log, send } = parts
  const results = { delivered: 0, failed: 0 }
  const unpruned = new Map<number, number>()

  const prune = (id: number) => webhooks.prune(id, deliveriesKept, cutoff(deliveriesKeptMs))

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

  /** Stores the result of an attempt, unless the webhook was deleted meanwhile. */
  function store(tried: WebhookRow, event: StoredEvent, isNew: boolean, outcome: Outcome): void {
    const webhook = webhooks.find(tried.id)
    if (!webhook) return
    const { id, accountId, url } = webhook
    const nowMs = clock.now()
    const settled = settle(webhook, event, webhooks.deliveryOf(id, event.id), outcome, nowMs)
    const lastDeliveryId = webhooks.putDelivery(settled.delivery)
    // A replay may have moved it meanwhile.
    const position = isNew && webhook.position === tried.position ? event.id : webhook.position
    const changes = { ...settled.webhook, position, lastDeliveryId }
    webhooks.update(id, changes)
    if (settled.isRecovered) webhooks.retryNow(id, nowMs)
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

  return { deliver, prune, results: results as Readonly<typeof results> }
}
