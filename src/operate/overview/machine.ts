/** What needs attention of the machine: its disk, the storage of the database, its clock. */

import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AuditStore } from '../../access/audit/store.ts'
import type { AttentionSource } from '../../api/attention.ts'
import { faultTexts } from '../../database/faults/fault.ts'
import type { FaultMonitor } from '../../database/faults/monitor.ts'
import type { Clock } from '../../lib/clock.ts'
import { toleratedFutureMs } from '../../lib/duration.ts'

/** A disk with less space is low, by its share and in bytes. */
const lowShare = 0.05
const lowBytes = 1_073_741_824

/** When this was written: no right clock is earlier. */
const writtenMs = Date.UTC(2026, 10, 1)

/** A fault of the storage. It reads no database. */
export function createStorageAttention(faults: Pick<FaultMonitor, 'lasting'>): AttentionSource {
  return (nowMs) => {
    const found = faults.lasting()
    if (found === undefined) return []
    const { message, advice } = faultTexts[found.fault]
    return [{ kind: 'storage_fault', id: null, name: `${message} ${advice}`, sinceMs: nowMs - found.lastedMs }]
  }
}

export interface Space {
  readonly freeBytes: number
  readonly totalBytes: number
}

export function spaceOf(directory: string): Space {
  const { bavail, blocks, bsize } = statfsSync(directory)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/** Less than 5 % or 1 GiB is free. */
export const isLow = ({ freeBytes, totalBytes }: Space): boolean =>
  freeBytes < lowBytes || freeBytes < totalBytes * lowShare

/** The disk of the database is low on space. */
export function createDiskAttention(
  databasePath: string,
  space: (directory: string) => Space = spaceOf,
): AttentionSource {
  const directory = dirname(databasePath)
  return sinceFirstSeen(() => {
    if (databasePath === ':memory:') return undefined
    return isLow(space(directory)) ? { kind: 'disk_low', name: directory } : undefined
  })
}

/**
 * The clock is an hour off that of the certificate authority, before the newest entry of the audit log, or before this
 * program. An entry that was made while the clock was ahead counts until the next one: a sign-in is one.
 */
export function createClockAttention(parts: {
  readonly audit: Pick<AuditStore, 'page'>
  readonly clock: Pick<Clock, 'now'>
  /**
   * Milliseconds by which the clock differs from that of the certificate authority; undefined if it does not, or is
   * unknown.
   */
  readonly wrongByMs: () => number | undefined
}): AttentionSource {
  const { audit, clock, wrongByMs } = parts
  return sinceFirstSeen(() => {
    const nowMs = clock.now()
    const newestMs = audit.page({}, undefined, 1).records[0]?.at ?? 0
    const isWrong = wrongByMs() !== undefined || nowMs < writtenMs || nowMs < newestMs - toleratedFutureMs
    return isWrong ? { kind: 'clock_wrong', name: null } : undefined
  })
}

/** A source of one item without a time. */
function sinceFirstSeen(
  look: () => { readonly kind: string; readonly name: string | null } | undefined,
): AttentionSource {
  let firstMs: number | undefined
  return (nowMs) => {
    const item = look()
    firstMs = item === undefined ? undefined : (firstMs ?? nowMs)
    return item === undefined ? [] : [{ ...item, id: null, sinceMs: firstMs ?? nowMs }]
  }
}
