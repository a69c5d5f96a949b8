/**
 * Mails the owner about items that need attention: when one appears, then once a day while it lasts, and once when all
 * have ended. The last mail in the outbox shows what the owner knows.
 */

import type { Attention, AttentionItem, AttentionSource } from '../../api/attention.ts'
import type { FaultMonitor } from '../../database/faults/monitor.ts'
import type { Clock } from '../../lib/clock.ts'
import { toleratedFutureMs } from '../../lib/duration.ts'
import type { Job } from '../../lib/scheduler.ts'
import type { Outbox } from './outbox.ts'
import { type AttentionContent, isMailed, wordsFor } from './words.ts'

const lookMs = 60_000
/**
 * All is well once nothing has needed attention for this long, so that a fault that comes and goes causes few mails.
 */
export const wellMs = 600_000
export const reminderMs = 86_400_000

export function createNotice(parts: {
  readonly attention: Pick<Attention, 'items'>
  /** The items that need no database. */
  readonly storageAttention: AttentionSource
  readonly faults: Pick<FaultMonitor, 'readFailed'>
  readonly outbox: Pick<Outbox, 'newest' | 'add'>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly isOpen: () => boolean
}) {
  const { attention, storageAttention, faults, outbox, clock, isOpen } = parts
  let wellSinceMs: number | undefined
  /**
   * The items of the last look. An item is mailed once the next look finds it too, so that a short fault sends no mail.
   */
  let seen: readonly AttentionItem[] = []
  let isIdle = true
  let wake = () => {}

  function currentItems(nowMs: number): readonly AttentionItem[] {
    try {
      return attention.items(nowMs).filter(isMailed)
    } catch (error) {
      if (faults.readFailed(error) === undefined) throw error
      return storageAttention(nowMs, 1)
    }
  }

  /** The mail to send now; undefined if there is none. */
  function next(): AttentionContent | undefined {
    const nowMs = clock.now()
    const all = currentItems(nowMs)
    const last = outbox.newest('attention')
    const reported = (last?.content ?? { items: [], ended: [] }) as AttentionContent
    const items = all.filter((item) => isSameIn(reported.items, item) || isSameIn(seen, item))
    seen = all
    if (items.length > 0) wellSinceMs = undefined
    else wellSinceMs ??= clock.monotonic()
    // The next mail repeats the content of a mail that was never sent.
    const before = last?.nextAt == null ? reported.items : [...reported.items, ...reported.ended]
    const content = { items, ended: before.filter((item) => !isSameIn(all, item)) }
    if (items.some((item) => !isSameIn(reported.items, item))) return content
    if (last === undefined || reported.items.length === 0) return undefined
    if (wellSinceMs !== undefined) return clock.monotonic() - wellSinceMs >= wellMs ? content : undefined
    // A mail that waited for the mail server had the content of a new one.
    const ageMs = nowMs - Math.max(last.createdAt, last.sentAt ?? 0)
    return ageMs >= reminderMs || ageMs < -toleratedFutureMs ? content : undefined
  }

  const job: Job = {
    name: 'mail what needs attention',
    everyMs: lookMs,
    idleMs: () => (isIdle ? Number.POSITIVE_INFINITY : undefined),
    wokenBy(wakeJob) {
      wake = wakeJob
    },
    async run() {
      isIdle = false
      isIdle = !isOpen()
      if (isIdle) return
      const content = next()
      if (content !== undefined) await outbox.add('attention', content)
    },
  }

  return { job, wake: () => wake() }
}

/**
 * Whether a mail would describe one of the items in the same words. Names do not count: one can be the reason of a
 * failure, which may differ after each attempt.
 */
function isSameIn(items: readonly AttentionItem[], item: AttentionItem): boolean {
  const { what } = wordsFor(item)
  return items.some((one) => one.id === item.id && wordsFor(one).what === what)
}
