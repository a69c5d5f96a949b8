/** Whether the database can be read and written, tried at most once a second however often it is probed. */

import { sql } from 'drizzle-orm'
import type { Clock } from '../lib/clock.ts'
import { StorageUnavailable } from './faults/fault.ts'
import type { FaultMonitor } from './faults/monitor.ts'
import type { Tables } from './open.ts'
import { readinessProbe } from './table.ts'
import type { Writer } from './writer.ts'

const resultKeptMs = 1_000

const ballastBytes = 65_536

export interface ReadinessParts {
  readonly tables: Tables
  readonly writer: Writer
  readonly faults: FaultMonitor
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

/**
 * A function that resolves if a write reaches the disk and no fault is present, and rejects with `storage_unavailable`
 * if not.
 */
export function createReadiness({ tables, writer, faults, clock }: ReadinessParts) {
  const probe = tables
    .insert(readinessProbe)
    .values({ id: 1, probedAt: sql.placeholder('probedAt'), ballast: sql`zeroblob(${ballastBytes})` })
    .onConflictDoUpdate({
      target: readinessProbe.id,
      set: { probedAt: sql`excluded.probed_at`, ballast: sql`excluded.ballast` },
    })
    .prepare()
  let result: Promise<void> | undefined
  let startedMs = 0

  async function check(): Promise<void> {
    await writer.write(() => {
      probe.run({ probedAt: clock.now() })
    })
    faults.writeSucceeded()
    const fault = faults.current()
    if (fault !== undefined) throw new StorageUnavailable(fault, 'not_read')
  }

  return (): Promise<void> => {
    if (!result || clock.monotonic() - startedMs >= resultKeptMs) {
      startedMs = clock.monotonic()
      result = check()
    }
    return result
  }
}
