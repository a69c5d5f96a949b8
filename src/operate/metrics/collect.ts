/** Collects the metrics of a running store. */

import { type Fault, faultTexts } from '../../database/faults/fault.ts'
import type { FaultMonitor } from '../../database/faults/monitor.ts'
import type { BatchCounts } from '../../database/writer.ts'
import type { CacheCounts } from '../../lib/cache-counts.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import type { Schedule } from '../../lib/scheduler.ts'
import { version } from '../../lib/version.ts'
import { connectionMetrics, type PublicConnections } from './connections.ts'
import type { DatabaseSize } from './database-size.ts'
import { counter, gauge, type Metric, type Sample, writeExposition } from './exposition.ts'
import { type CertificateFacts, certificateMetrics, domainMetrics } from './hosting.ts'
import type { RequestMetrics } from './requests.ts'

/** The memory and processor time of the process. */
export interface ProcessUsage {
  readonly residentBytes: number
  /** User and system time. */
  readonly cpuSeconds: number
}

/** The parts of the store that are measured. */
export interface MeasuredParts {
  readonly clock: Clock
  readonly faults: FaultMonitor
  readonly databaseSize: () => DatabaseSize
  readonly limiter: { readonly bans: { readonly begun: number } }
  readonly writer: { readonly batches: BatchCounts }
  readonly events: { readonly written: () => number }
  readonly followers: { readonly size: () => number }
  readonly live: { readonly size: () => number }
  readonly webhookDelivery: {
    readonly results: Readonly<Record<'delivered' | 'failed', number>>
    readonly oldestPendingMs: () => number
  }
  readonly authenticator: { readonly cacheCounts: CacheCounts }
  readonly endpointParts: { readonly pageCacheCounts: CacheCounts }
  readonly domainHosting: Parameters<typeof domainMetrics>[0]
  /** Without `certificates`, none are ordered. */
  readonly hostingParts: { readonly certificates?: CertificateFacts | undefined }
  readonly listening: { readonly connections: (() => PublicConnections) | undefined }
  readonly jobs: Pick<Schedule, 'states'>
  readonly environment: Environment
  readonly requestMetrics: RequestMetrics
}

/**
 * Returns a function that writes every metric. If the database cannot be read, its metrics are left out. Without
 * `processUsage`, the process is not the store's own, for example in a test suite.
 */
export function createCollector(app: MeasuredParts, processUsage?: () => ProcessUsage): () => string {
  const { clock } = app
  const { certificates } = app.hostingParts
  const startedMs = clock.monotonic()
  const startedAt = clock.now()

  /** The result of `read`, or nothing if the storage has a fault, which is recorded. */
  function readable<T>(read: () => readonly T[]): readonly T[] {
    try {
      return read()
    } catch (error) {
      if (app.faults.readFailed(error) === undefined) throw error
      return []
    }
  }

  return () => {
    const usage = processUsage?.()
    const size = app.databaseSize()
    return writeExposition([
      ...requestMetrics(app.requestMetrics),
      counter('petstore_bans_total', 'Bans of keys that began.', [[{}, app.limiter.bans.begun]]),
      ...writerMetrics(app),
      ...cacheMetrics(app),
      ...readable(() => eventMetrics(app)),
      ...readable(() => webhookMetrics(app)),
      gauge('petstore_database_size_bytes', 'Size of the database file.', known(size.databaseBytes)),
      gauge('petstore_database_wal_size_bytes', 'Size of the write-ahead log.', known(size.logBytes)),
      gauge(
        'petstore_storage_fault',
        'Whether the storage has a fault now, by its kind.',
        (Object.keys(faultTexts) as Fault[]).map((fault) => [{ fault }, app.faults.has(fault) ? 1 : 0]),
      ),
      ...(certificates ? readable(() => certificateMetrics(certificates, clock.now())) : []),
      ...readable(() => domainMetrics(app.domainHosting)),
      ...connectionMetrics(app.listening.connections?.()),
      ...jobMetrics(app.jobs),
      gauge('petstore_build_info', 'The version of petstore, its runtime and its environment; always 1.', [
        [{ version, bun: Bun.version, environment: app.environment }, 1],
      ]),
      gauge('petstore_uptime_seconds', 'Time since the service started.', [
        [{}, (clock.monotonic() - startedMs) / 1000],
      ]),
      gauge('process_start_time_seconds', 'Start of the service, as a Unix time.', [[{}, startedAt / 1000]]),
      gauge('process_resident_memory_bytes', 'Resident memory.', known(usage?.residentBytes)),
      counter('process_cpu_seconds_total', 'User and system time.', known(usage?.cpuSeconds)),
    ])
  }
}

function requestMetrics({ statuses, operations, errors }: RequestMetrics): Metric[] {
  return [
    counter(
      'petstore_requests_total',
      'Responses by operation and status; operation is none if a request was rejected before it was routed.',
      [...statuses()].map(({ operation, status, count }) => [{ operation, status }, count]),
    ),
    {
      type: 'histogram',
      name: 'petstore_request_duration_seconds',
      help: 'Time from the head of a request until its response is ready, by operation.',
      scale: 1 / 1000,
      samples: [...operations()].map(({ operation, durations }) => [{ operation }, durations]),
    },
    counter(
      'petstore_errors_total',
      'Rejected and failed requests by error code.',
      Object.entries(errors).map(([code, count]) => [{ code }, count]),
    ),
  ]
}

function writerMetrics({ writer }: Pick<MeasuredParts, 'writer'>): Metric[] {
  const { sizes, durationsMs } = writer.batches
  return [
    {
      type: 'histogram',
      name: 'petstore_write_batch_size',
      help: 'Writes that were committed together in one transaction.',
      scale: 1,
      samples: [[{}, sizes]],
    },
    {
      type: 'histogram',
      name: 'petstore_write_batch_duration_seconds',
      help: 'Time from the beginning of such a transaction until it is on disk.',
      scale: 1 / 1000,
      samples: [[{}, durationsMs]],
    },
    counter('petstore_write_batches_failed_total', 'Transactions that were rolled back or could not be committed.', [
      [{}, writer.batches.failed],
    ]),
  ]
}

function cacheMetrics({
  authenticator,
  endpointParts,
}: Pick<MeasuredParts, 'authenticator' | 'endpointParts'>): Metric[] {
  const caches = [
    ['principals', authenticator.cacheCounts],
    ['pages', endpointParts.pageCacheCounts],
  ] as const
  return [
    counter(
      'petstore_cache_hits_total',
      'Look-ups that found an entry in a cache: principals by their keys, pages of lists by their queries.',
      caches.map(([cache, { hits }]) => [{ cache }, hits]),
    ),
    counter(
      'petstore_cache_misses_total',
      'Look-ups that had to read the database.',
      caches.map(([cache, { misses }]) => [{ cache }, misses]),
    ),
  ]
}

function eventMetrics({ events, followers, live }: Pick<MeasuredParts, 'events' | 'followers' | 'live'>): Metric[] {
  return [
    counter('petstore_events_total', 'Events that were written since the store was created.', [[{}, events.written()]]),
    gauge('petstore_event_streams', 'Streams that are open: of events for keys, and of the dashboard.', [
      [{ reader: 'key' }, followers.size()],
      [{ reader: 'dashboard' }, live.size()],
    ]),
  ]
}

function webhookMetrics({ webhookDelivery }: Pick<MeasuredParts, 'webhookDelivery'>): Metric[] {
  const { results, oldestPendingMs } = webhookDelivery
  return [
    counter(
      'petstore_webhook_attempts_total',
      'Attempts to deliver an event to a webhook, by what they came to.',
      Object.entries(results).map(([result, count]) => [{ result }, count]),
    ),
    gauge(
      'petstore_webhook_oldest_pending_seconds',
      'Age of the oldest event that an enabled webhook has not delivered; 0 if there is none.',
      [[{}, oldestPendingMs() / 1000]],
    ),
  ]
}

function jobMetrics(jobs: MeasuredParts['jobs']): Metric[] {
  const states = jobs.states()
  return [
    gauge(
      'petstore_job_failing',
      'Whether the last run of a periodic job failed.',
      states.map(({ name, isFailing }) => [{ job: name }, isFailing ? 1 : 0]),
    ),
    counter(
      'petstore_job_failures_total',
      'Runs of a periodic job that failed.',
      states.map(({ name, failures }) => [{ job: name }, failures]),
    ),
  ]
}

/** The one sample of a metric, or none. */
function known(value: number | undefined): readonly Sample[] {
  return value === undefined ? [] : [[{}, value]]
}
