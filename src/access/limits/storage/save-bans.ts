/** Stores a ban at once, with its entry in the audit log, so that it survives a crash. A job repeats it until it succeeds. */

import type { NewBan } from '../bans.ts'
import type { LimitParts } from './parts.ts'

type BanParts = Pick<LimitParts, 'limiter' | 'keys' | 'audit' | 'writer' | 'clock' | 'storedLimits'>

/** Stores the bans that are not stored yet; resolves when they are on disk. */
export async function saveBans({ limiter, keys, audit, writer, clock, storedLimits: stored }: BanParts): Promise<void> {
  const bans = limiter.bans.unsaved()
  if (bans.length === 0) {
    stored.bansPendingMs = undefined
    return
  }
  stored.bansPendingMs ??= clock.monotonic()
  try {
    await writer.write(() => {
      for (const ban of bans) {
        const { keyId, accountId } = ban
        const row = stored.toStored(ban)
        // An earlier attempt may have been stored although it was reported as failed.
        if (keys.find(keyId)?.bannedAt === row.startedAt) continue
        keys.setBan(row)
        const details = { until: new Date(row.endsAt).toISOString() }
        audit.record({ actor: 'system', nowMs: row.startedAt }, { action: 'key.banned', accountId, keyId, details })
      }
      stored.writeBans(bans)
    })
    stored.confirm(limiter.bans)
    stored.bansPendingMs = undefined
  } catch (error) {
    stored.discard()
    throw error
  }
}

/** Returns the function to call when a ban begins. */
export function banHandler(parts: () => BanParts & Pick<LimitParts, 'log'>) {
  return ({ keyId, endsMs }: NewBan): void => {
    const { limiter, log } = parts()
    const until = new Date(limiter.time.wallAt(endsMs)).toISOString()
    log.warn('a key is banned: it kept sending requests after a 429', { keyId, until })
    saveBans(parts()).catch((error: unknown) =>
      log.error('a ban could not be stored yet; it is in force and storing it is tried again', { keyId, error }),
    )
  }
}
