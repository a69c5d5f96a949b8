/** Checks whether the database can be read and written, on request and periodically. */

import { sql } from 'drizzle-orm'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Job, togetherMs } from '../../lib/scheduler.ts'
import { lazily, type OpenDatabase, share, type Tables } from '../open.ts'
import { isOnReadOnlyDisk } from '../permissions.ts'
import { readinessProbe } from '../table.ts'
import type { Writer } from '../writer.ts'
import { StorageUnavailable } from './fault.ts'
import type { FaultMonitor } from './monitor.ts'
import type { StorageWatch } from './watch.ts'

const resultKeptMs = 1_000

const ballastBytes = 65_536

interface ProbeParts {
  readonly tables: Tables
  readonly writer: Writer
  readonly faults: FaultMonitor
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Returns a function that writes as much as a few requests do. It resolves when that is on disk, or rejects with the
 * writer's error.
 */
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

interface ReadinessParts {
  readonly probe: () => Promise<void>
  readonly faults: FaultMonitor
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * Returns a function that probes at most once a second, however often it is called. It resolves if the probe succeeds
 * and no fault is present, and otherwise rejects with `StorageUnavailable`.
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

interface StorageParts {
  readonly databasePath: string
  readonly database: OpenDatabase
  readonly faults: FaultMonitor
  readonly watch: StorageWatch
  readonly log: Log
  /** Resolves if the database can be written. */
  readonly readiness: () => Promise<void>
}

/** Periodic checks: they detect faults that no request has caused, and the end of faults. */
export function storageJobs({ databasePath, database, faults, watch, log, readiness }: StorageParts): readonly Job[] {
  let isExclusive = database.mode === 'exclusive'
  let isReadOnly = database.isReadOnly

  /** Called when a full disk has space again: commands can then use the database again. */
  function endExclusive(): void {
    share(database.connection)
    database.files.renew()
    isExclusive = false
  }

  /** SQLite has opened its files for reading only and can't change that. */
  function adviseRestart(): void {
    if (isOnReadOnlyDisk(databasePath)) return
    isReadOnly = false
    log.warn('the disk of the database is no longer read-only: restart petstore, which then accepts writes again')
  }

  return [
    { name: 'check the database files', everyMs: togetherMs, run: watch.check },
    {
      name: 'check whether a storage fault has ended',
      everyMs: 1_000,
      async run() {
        faults.endQuiet()
        if (isReadOnly) adviseRestart()
        if (faults.current() === undefined && !isExclusive) return
        try {
          await readiness()
          if (isExclusive) endExclusive()
        } catch {
          // The monitor has recorded the reason.
        }
      },
    },
  ]
}
