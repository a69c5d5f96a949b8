/** The parts that storing and loading limits need, and the state of the stored limits. */

import type { Writer } from '../../../database/writer.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { AuditStore } from '../../audit/store.ts'
import type { KeyStore, StoredBan } from '../../keys/store.ts'
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
  /** Undefined for a database in memory, and if the file cannot be opened. */
  readonly reserve: Reserve | undefined
}

/**
 * The state of the database as this process knows it. Values of a transaction are confirmed after its commit: by the
 * announcement of its changes or when the write resolves, whichever is first.
 */
export class StoredLimits {
  /** Steady minus wall time, with which the times of stored bans were converted. */
  offsetMs = 0
  /** The start of the first save that has not succeeded yet, on the monotonic clock; undefined if there is none. */
  countsPendingMs: number | undefined
  bansPendingMs: number | undefined
  /** Whether this run has stored the clock. */
  isClockStored = false
  #writtenOffsetMs: number | undefined
  #writtenBans: readonly NewBan[] = []

  /** To be called in the transaction that converts the times of all bans to `offsetMs`. */
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
