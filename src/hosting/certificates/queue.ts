/** Chooses which names get an order now: the platform's own first, then domains, then project slugs. */

import { type AttemptParts, attempt, type NameOwner, type Outcome, outcomes } from './attempt.ts'
import { hasCome, limitFor, ordersPerHour, orderWindowMs, rateLimitedUntil } from './rules.ts'
import type { Candidate, CertificateRow, LimitRow } from './store.ts'
import { certificateKinds } from './table.ts'

/** How many orders run at the same time. */
export const maximumRunning = 4
/** How long nothing is tried after a result could not be stored, in milliseconds. */
const storagePauseMs = 30_000

export interface OrderQueue {
  /** Starts the attempts that are due, as far as there is room. */
  start(owner: NameOwner): void
  /** Ends the attempt for a name, if one is running; nothing of it is stored afterwards. */
  abort(hostname: string): void
  /** How many names wait for their turn before this one. */
  waitingBefore(hostname: string): number
  /** Resolves when no attempt is running. */
  settled(): Promise<void>
  /** Ends every attempt. The orders go on at the next start. */
  close(): Promise<void>
  readonly counts: Readonly<Record<Outcome, number>>
}

export function createOrderQueue(parts: Omit<AttemptParts, keyof NameOwner>): OrderQueue {
  const { store, client, clock, log } = parts
  const running = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>()
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>
  let waiting: readonly string[] = []
  let isClosed = false
  let pausedUntilMs = 0

  function start(owner: NameOwner): void {
    if (isClosed || clock.monotonic() < pausedUntilMs) return
    const due = dueNames()
    waiting = due.map(({ hostname }) => hostname)
    for (const { hostname } of due) {
      if (running.size >= maximumRunning) return
      const row = store.find(hostname)
      if (row) run(row, owner)
    }
  }

  function dueNames(): Candidate[] {
    const nowMs = clock.now()
    const limits = store.limits(client.directoryUrl)
    return store
      .candidates(client.directoryUrl, parts.authorityClock.now())
      .filter((row) => !running.has(row.hostname) && isDue(row, limits, nowMs))
      .sort(
        (a, b) => rank(a, nowMs) - rank(b, nowMs) || (a.nextAttemptAt ?? a.wantedAt) - (b.nextAttemptAt ?? b.wantedAt),
      )
  }

  function isDue(row: Candidate, limits: readonly LimitRow[], nowMs: number): boolean {
    if (!hasCome(row.nextAttemptAt, nowMs)) return false
    return rateLimitedUntil({ row, limit: limitFor(limits, row.hostname), nowMs }) === null
  }

  function run(row: CertificateRow, owner: NameOwner): void {
    const { hostname } = row
    const nowMs = clock.now()
    const recent = store.openOrder(hostname) ? [] : store.recentFailures(hostname, nowMs)
    const oldest = recent[ordersPerHour - 1]
    const abort = new AbortController()
    const work =
      oldest === undefined ? attempt({ ...parts, ...owner }, row, abort.signal) : postpone(row, oldest + orderWindowMs)
    const done = work
      .then((outcome) => {
        if (outcome !== 'postponed') counts[outcome]++
      })
      .catch((error) => {
        if (abort.signal.aborted) return
        // The storage has a fault. The order was saved at its last step.
        pausedUntilMs = clock.monotonic() + storagePauseMs
        log.error('the state of an order could not be stored; it goes on later', { hostname, error })
      })
      .then(() => {
        running.delete(hostname)
        start(owner)
      })
    running.set(hostname, { abort, done })
  }

  async function postpone({ hostname }: CertificateRow, nextAttemptAt: number): Promise<'postponed'> {
    await parts.writer.write(() => store.change(hostname, { nextAttemptAt }))
    const next = new Date(nextAttemptAt).toISOString()
    log.info(`${ordersPerHour} orders of a certificate have failed within an hour; the next one waits`, {
      hostname,
      next,
    })
    return 'postponed'
  }

  return {
    start,
    abort: (hostname) => running.get(hostname)?.abort.abort(),
    waitingBefore: (hostname) => Math.max(0, waiting.indexOf(hostname)) + (running.has(hostname) ? 0 : running.size),
    async settled() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done))
    },
    async close() {
      isClosed = true
      for (const { abort } of running.values()) abort.abort()
      await Promise.all([...running.values()].map(({ done }) => done))
    },
    counts,
  }
}

/** First by kind; a name without a valid certificate before a renewal. */
function rank({ kind, notAfter }: Candidate, nowMs: number): number {
  return certificateKinds.indexOf(kind) * 2 + ((notAfter ?? 0) <= nowMs ? 0 : 1)
}
