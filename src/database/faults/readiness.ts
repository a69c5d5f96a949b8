/** Checks whether the database can be read and written. */

import { sql } from 'drizzle-orm'
import type { Clock } from '../../lib/clock.ts'
import { lazily, type Tables } from '../open.ts'
import { readinessProbe } from '../table.ts'
import type { Writer } from '../writer.ts'
import { StorageUnavailable } from './fault.ts'
import type { FaultMonitor } from './monitor.ts'

const resultKeptMs = 1_000

const ballastBytes = 65_536

export interface ProbeParts {
  readonly tables: Tables
  readonly writer: Writer
  readonly faults: FaultMonitor
  readonly clock: Pick<Clock, 'now'>
}

/** Returns a function that writes as much as a few requests do. It resolves when that is on disk, or rejects with the writer's error. */
export function createStorageProbe({ tables, writer, faults, clock }: ProbeParts): () => Promise<void> {
  const probe = lazily(() =>
    tables
      .insert(readinessProbe)
      .values({ id: 1, probedAt: sql.placeholder('probedAt'), ballast: sql`zeroblob(${ballastBytes})` })
      .onConflictDoUpdate({
        target: readinessProbe.id,
        set: { probedAt: sql`excluded.probed_at`, ballast: sql`excluded.ballast` },
      })
      .prepare(),
  )
  return async () => {
    await writer.write(() => {
      probe.run({ probedAt: clock.now() })
    })
    faults.writeSucceeded()
  }
}

export interface ReadinessParts {
  readonly probe: () => Promise<void>
  readonly faults: FaultMonitor
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * Returns a function that probes at most once a second, however often it is called. It resolves if the probe succeeds and
 * no fault is present, and otherwise rejects with `StorageUnavailable`.
 */
export function createReadiness({ probe, faults, clock }: ReadinessParts): () => Promise<void> {
  let result: Promise<void> | undefined
  let startedMs = 0

  return async () => {
    if (!result || clock.monotonic() - startedMs >= resultKeptMs) {
      startedMs = clock.monotonic()
      result = probe()
    }
    const failure = await result.then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failure !== undefined && !(failure instanceof StorageUnavailable)) throw failure
    // A request may have detected a fault since the probe.
    const fault = failure?.fault ?? faults.current()
    if (fault !== undefined) throw new StorageUnavailable(fault, 'not_read', failure)
  }
}
