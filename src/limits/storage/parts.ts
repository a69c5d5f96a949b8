/** What storing and loading limits works with. */

import type { AuditStore } from '../../audit/store.ts'
import type { Writer } from '../../database/writer.ts'
import type { KeyStore, StoredBan } from '../../keys/store.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Ban, Bans, NewBan } from '../bans.ts'
import type { Limiter } from '../limiter.ts'
import type { LimitStore } from '../store.ts'
import type { Reserve } from './reserve.ts'

export interface LimitParts {
  readonly limiter: Limiter
  readonly limits: LimitStore
  readonly keys: KeyStore
  readonly audit: AuditStore
  readonly writer: Writer
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly log: Log
  readonly storedLimits: StoredLimits
  /** Undefined for a database in memory, and where the file can't be had. */
  readonly reserve: Reserve | undefined
}

/**
 * What this process knows of what is stored. What a transaction writes becomes known when it has committed: by
 * the announcement of its changes or by the resolution of the write, whichever comes first.
 */
export class StoredLimits {
  /** Steady minus wall time by which the times of stored bans are written. */
  offsetMs = 0
  /** When the first save was begun of those that have not succeeded yet, on the monotonic clock. */
  countsPendingMs: number | undefined
  bansPendingMs: number | undefined
  #writtenOffsetMs: number | undefined
  #writtenBans: readonly NewBan[] = []

  /** To be called in the transaction that writes the times of all bans by `offsetMs`. */
  writeOffset(offsetMs: number): void {
    this.#writtenOffsetMs = offsetMs
  }

  /** To be called in the transaction that writes `bans`. */
  writeBans(bans: readonly NewBan[]): void {
    this.#writtenBans = bans
  }

  /** The transaction has committed. */
  confirm(bans: Bans): void {
    this.offsetMs = this.#writtenOffsetMs ?? this.offsetMs
    for (const ban of this.#writtenBans) bans.markSaved(ban)
    this.discard()
  }

  /** The transaction has failed. */
  discard(): void {
    this.#writtenOffsetMs = undefined
    this.#writtenBans = []
  }

  /** A ban in steady time as it is stored, in wall time; to be called in a transaction. */
  toStored({ keyId, startedMs, endsMs }: Ban): StoredBan {
    const offsetMs = this.#writtenOffsetMs ?? this.offsetMs
    return { keyId, startedAt: startedMs - offsetMs, endsAt: endsMs - offsetMs }
  }

  /** A stored ban in steady time. It never lasts longer than its duration from `nowMs` on. */
  toBan({ keyId, startedAt, endsAt }: StoredBan, nowMs: number): Ban {
    const durationMs = endsAt - startedAt
    const startedMs = Math.min(startedAt + this.offsetMs, nowMs)
    return { keyId, startedMs, endsMs: startedMs + durationMs }
  }
}
