/** Stores a ban at once, with its entry in the audit log, so that it survives a crash. */

import type { AuditStore } from '../../audit/store.ts'
import type { Writer } from '../../database/writer.ts'
import type { KeyStore } from '../../keys/store.ts'
import type { Log } from '../../lib/log.ts'
import type { Ban } from '../bans.ts'
import type { Client, Limiter } from '../limiter.ts'

export interface BanWriterParts {
  readonly keys: KeyStore
  readonly writer: Writer
  readonly audit: AuditStore
  readonly log: Log
}

/** Gives the function to call when a ban begins. */
export function banWriter({ keys, writer, audit, log }: BanWriterParts, bans: () => Limiter['bans']) {
  return (ban: Ban, { accountId }: Client): void => {
    const { keyId, startedAt, endsAt } = ban
    const details = { until: new Date(endsAt).toISOString() }
    writer
      .write(() => {
        keys.setBan(ban)
        audit.record({ actor: 'service', nowMs: startedAt }, { action: 'key.banned', accountId, keyId, details })
      })
      // A change by another process may have reloaded all bans before this one was on disk.
      .then(() => bans().set(ban))
      .catch((error: unknown) => log.error('a ban could not be stored', { keyId, error }))
    log.warn('a key is banned: it kept sending requests after a 429', { keyId, ...details })
  }
}
