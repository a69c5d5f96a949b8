/**
 * A limiter whose counts and bans survive restarts. Counts are saved once a second, so that a crash loses at most the
 * last second of them; bans are saved at once. While the database can't be written, both stay in memory, and each job
 * tries again.
 */

import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Job } from '../../lib/scheduler.ts'
import type { AuditStore } from '../audit/store.ts'
import type { EventWriter } from '../events/log.ts'
import { toKey } from '../keys/schemas.ts'
import type { KeyStore } from '../keys/store.ts'
import type { NewBan } from './bans.ts'
import { Limiter } from './limiter.ts'
import type { LimitStore } from './store.ts'
import { windowSeconds } from './window.ts'

export type SavedLimiter = ReturnType<typeof createSavedLimiter>

/** The most accounts that one transaction saves; a larger one would block requests for too long. */
const accountsPerTransaction = 1_000

interface SavedLimiterParts {
  readonly limits: LimitStore
  readonly keys: Pick<KeyStore, 'bans' | 'find' | 'setBan' | 'shiftBans'>
  readonly audit: Pick<AuditStore, 'add'>
  readonly events: EventWriter
  readonly writer: Pick<Writer, 'write'>
  /** Counts the requests that are admitted. */
  readonly admissions?: { count: number }
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly log: Pick<Log, 'warn' | 'error'>
}

export function createSavedLimiter({ limits, keys, audit, events, writer, admissions, clock, log }: SavedLimiterParts) {
  const limiter = new Limiter({ clock, days: limits, onBan, admissions })
  /** The difference between steady and wall time that this run has saved last; undefined before the first time. */
  let savedOffsetMs: number | undefined

  /** The difference between the steady times of bans and their wall times in the database. */
  const banOffsetMs = () => limits.clock()?.offsetMs ?? 0

  /** Loads the state of earlier runs; to be called before the first request. */
  function load(): void {
    const { offsetMs, savedAt } = limits.clock() ?? { offsetMs: 0, savedAt: 0 }
    // If the clock has been set back since then, the time that has passed is unknown and assumed to be zero. The offset
    // is rounded down to whole seconds, so that the seconds of steady time begin with those of the wall clock; a part
    // of one repeats.
    const setBackMs = Math.max(0, savedAt - clock.now())
    limiter.time.startAt(Math.floor((offsetMs + setBackMs) / 1000) * 1000)
    for (const { accountId, second, requests } of limits.seconds()) {
      if (second > limiter.time.second - windowSeconds) limiter.restore(accountId, second, requests)
    }
    loadBans()
  }

  /** Loads all bans again; to be called when they have changed in the database. */
  function loadBans(): void {
    limiter.time.read()
    const offsetMs = banOffsetMs()
    const bans = keys.bans().map(({ keyId, startedAt, endsAt }) => {
      // Whatever the clock was when it was saved, a ban never lasts longer than its duration from now on.
      const startedMs = Math.min(startedAt + offsetMs, limiter.time.nowMs)
      return { keyId, startedMs, endsMs: startedMs + endsAt - startedAt }
    })
    limiter.bans.load(bans)
  }

  /**
   * Saves the counts that are unsaved when it is called; resolves when they are on disk. The clock is saved with them,
   * and once in each run without any: the next run would otherwise compare its clock with the time of an earlier run,
   * and could overlook that the clock was set back.
   */
  async function saveCounts(): Promise<void> {
    limiter.time.read()
    let accounts = limiter.days.unsavedSize
    const isUnchanged = accounts === 0 && limiter.unsavedRejections.size === 0
    if (isUnchanged && limiter.time.offsetMs === savedOffsetMs) return
    do {
      await saveSomeCounts()
      accounts -= accountsPerTransaction
    } while (accounts > 0)
  }

  async function saveSomeCounts(): Promise<void> {
    const { saved, offsetMs } = await writer.write(() => {
      limiter.time.read()
      const unsaved = limiter.unsaved(accountsPerTransaction)
      for (const { count, used } of unsaved.days) limits.saveDay(count.accountId, count.day, used)
      for (const second of unsaved.seconds) limits.saveSecond(second)
      for (const [day, requests] of unsaved.rejections) limits.addRejected(day, requests)
      const { offsetMs, wallMs } = limiter.time
      const movedMs = banOffsetMs() - offsetMs
      limits.saveClock({ offsetMs, savedAt: wallMs })
      if (movedMs !== 0) keys.shiftBans(movedMs)
      return { saved: unsaved, offsetMs }
    })
    limiter.markSaved(saved)
    savedOffsetMs = offsetMs
  }

  /**
   * Saves the bans that are not saved yet, each with its entry in the audit log and its event; resolves when they are
   * on disk.
   */
  async function saveBans(): Promise<void> {
    const bans = limiter.bans.unsaved()
    if (bans.length === 0) return
    await writer.write(() => {
      const offsetMs = banOffsetMs()
      for (const { keyId, accountId, startedMs, endsMs } of bans) {
        const [startedAt, endsAt] = [startedMs - offsetMs, endsMs - offsetMs]
        // The job may save a ban that is being saved already.
        if (keys.find(keyId)?.bannedAt === startedAt) continue
        keys.setBan({ keyId, startedAt, endsAt })
        const details = { until: new Date(endsAt).toISOString() }
        audit.add({ actor: 'system', nowMs: startedAt }, { action: 'key.banned', accountId, keyId, details })
        const banned = keys.find(keyId)
        if (banned) events.write('key.banned', accountId, toKey(banned))
      }
    })
    for (const ban of bans) limiter.bans.markSaved(ban)
  }

  function onBan({ keyId, endsMs }: NewBan): void {
    const until = new Date(limiter.time.wallAt(endsMs)).toISOString()
    log.warn('a key is banned: it kept sending requests after a 429', { keyId, until })
    saveBans().catch((error: unknown) =>
      log.error('a ban could not be saved; it is in force, and will be saved later', { keyId, error }),
    )
  }

  const jobs: readonly Job[] = [
    { name: 'save request counts', everyMs: 1_000, run: saveCounts },
    { name: 'save bans', everyMs: 1_000, run: saveBans },
    {
      name: 'free old bans and day counts',
      everyMs: 60_000,
      async run() {
        limiter.sweep()
        const second = limiter.time.second - windowSeconds
        if (limits.hasSecondsBefore(second)) await writer.write(() => limits.deleteSecondsBefore(second))
      },
    },
  ]

  return {
    limiter,
    load,
    loadBans,
    saveCounts,
    saveBans,
    /**
     * Saves everything when the service stops. A failure is logged: the next run then begins with the counts of the
     * last save.
     */
    async saveLast(): Promise<void> {
      const saves = await Promise.allSettled([saveCounts(), saveBans()])
      const failure = saves.find((save) => save.status === 'rejected')
      const isComplete = limiter.days.unsavedSize === 0 && limiter.bans.unsaved().length === 0
      if (!failure || isComplete) return
      const message = 'the last request counts could not be saved: limits may admit more requests after the next start'
      log.warn(message, { error: failure.reason })
    },
    jobs,
  }
}
