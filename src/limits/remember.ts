/**
 * Carries limits across restarts: counts go to disk once a second and at shutdown, through the common
 * writer, and come back at the start. A crash loses at most the last second of them.
 */

import type { AuditStore } from '../audit/store.ts'
import type { Writer } from '../database/writer.ts'
import type { KeyStore } from '../keys/store.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Job } from '../lib/scheduler.ts'
import type { Ban } from './bans.ts'
import type { Client, Limiter } from './limiter.ts'
import type { LimitStore } from './store.ts'
import { windowSeconds } from './windows.ts'

export interface RememberedLimits {
  readonly limiter: Limiter
  readonly limits: LimitStore
  readonly keys: KeyStore
  readonly writer: Writer
  readonly clock: Pick<Clock, 'now'>
}

/** Takes up what an earlier run left: the windows that still count and the bans. */
export function recallLimits({ limiter, limits, keys, clock }: RememberedLimits): void {
  const second = Math.floor(clock.now() / 1000)
  for (const counted of limits.seconds()) {
    // A clock that was set back since makes the past look like the future: then it counts as now.
    const at = Math.min(counted.second, second)
    if (at > second - windowSeconds) limiter.recount(counted.accountId, at, counted.requests)
  }
  limiter.bans.load(keys.bans())
}

/** Stores what has been counted since the last time; resolves when it is on disk. */
export async function saveCounts({ limiter, limits, writer }: RememberedLimits): Promise<void> {
  const counts = limiter.days.takeUnsaved()
  if (counts.length === 0) return
  try {
    await writer.write(() => {
      for (const { accountId, day, used } of counts) {
        limits.saveDay(accountId, day, used)
        limiter.forEachUnsavedSecond(accountId, (second, requests) =>
          limits.saveSecond({ accountId, second, requests }),
        )
      }
    })
  } catch (error) {
    limiter.days.restore(counts)
    throw error
  }
}

/** The periodic work of limits. */
export function limitJobs(remembered: RememberedLimits): readonly Job[] {
  const { limiter, limits, writer, clock } = remembered
  return [
    { name: 'store request counts', everyMs: 1_000, run: () => saveCounts(remembered) },
    {
      name: 'forget idle windows',
      everyMs: 60_000,
      run() {
        limiter.sweep()
        const second = Math.floor(clock.now() / 1000)
        return writer.write(() => limits.forgetSecondsBefore(second - windowSeconds))
      },
    },
  ]
}

/** What to do when a key is banned: write it through at once, with its entry in the audit log. */
export function banWriter(
  parts: Pick<RememberedLimits, 'keys' | 'writer'> & { readonly audit: AuditStore; readonly log: Log },
  bans: () => Limiter['bans'],
) {
  const { keys, writer, audit, log } = parts
  return (ban: Ban, { accountId }: Client): void => {
    const { keyId, startedAt, endsAt } = ban
    const details = { until: new Date(endsAt).toISOString() }
    writer
      .write(() => {
        keys.setBan(ban)
        audit.record({ actor: 'service', nowMs: startedAt }, { action: 'key.banned', accountId, keyId, details })
      })
      // Another process's change may have had all bans read anew before this one was on disk.
      .then(() => bans().set(ban))
      .catch((error: unknown) => log.error('a ban could not be stored', { keyId, error }))
    log.warn('a key is banned for asking on after 429', { keyId, ...details })
  }
}
