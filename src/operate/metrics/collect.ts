/** Collects the metrics of a running store. */

import { type Fault, faultTexts } from '../../database/faults/fault.ts'
import type { FaultMonitor } from '../../database/faults/monitor.ts'
import type { BatchCounts } from '../../database/writer.ts'
import type { Certificates } from '../../hosting/certificates/create.ts'
import { dnsStatuses } from '../../hosting/domains/state.ts'
import type { CacheCounts } from '../../lib/cache-counts.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import type { Schedule } from '../../lib/scheduler.ts'
import { version } from '../../lib/version.ts'
import type { DatabaseSize } from './database-size.ts'
import { counter, gauge, type Metric, type Sample, writeExposition } from './exposition.ts'
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
export function createCollector(parts: MeasuredParts, processUsage?: () => ProcessUsage): () => string {
  const { clock } = parts
  const { certificates } = parts.hostingParts
  const startedMs = clock.monotonic()
  const startedAt = clock.now()

  /** The result of `read`, or an empty list if the storage has a fault, which is recorded. */
  function readable<T>(read: () => readonly T[]): readonly T[] {
    try {
      return read()
    } catch (error) {
      if (parts.faults.readFailed(error) === undefined) throw error
      return []
    }
  }

  return () => {
    const usage = processUsage?.()
    const size = parts.databaseSize()
    return writeExposition([
      ...requestMetrics(parts.requestMetrics),
      counter('petstore_bans_total', 'Bans of keys that began.', [[{}, parts.limiter.bans.begun]]),
      ...writerMetrics(parts),
      ...cacheMetrics(parts),
      ...readable(() => eventMetrics(parts)),
      ...readable(() => webhookMetrics(parts)),
      gauge('petstore_database_size_bytes', 'Size of the database file.', known(size.databaseBytes)),
      gauge('petstore_database_wal_size_bytes', 'Size of the write-ahead log.', known(size.logBytes)),
      gauge(
        'petstore_storage_fault',
        'Whether the storage has a fault now, by its kind.',
        (Object.keys(faultTexts) as Fault[]).map((fault) => [{ fault }, parts.faults.has(fault) ? 1 : 0]),
      ),
      ...(certificates ? readable(() => certificateMetrics(certificates, clock.now())) : []),
      ...readable(() => domainMetrics(parts.domainHosting)),
      ...connectionMetrics(parts.listening.connections?.()),
      ...jobMetrics(parts.jobs),
      gauge('petstore_build_info', 'The version of petstore, its runtime and its environment; always 1.', [
        [{ version, bun: Bun.version, environment: parts.environment }, 1],
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
      'Attempts to deliver an event to a webhook, by their result.',
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

/** Connections of a public listener since the start, by their outcome. */
export type ConnectionCounts = Readonly<
  Record<'accepted' | 'overLimit' | 'rejected' | 'tooSlow' | 'unreachable', number>
>

export interface PublicConnections {
  /** Open now, of all listeners. */
  readonly open: number
  readonly http: ConnectionCounts
  /** Undefined if a proxy ends TLS. */
  readonly https: ConnectionCounts | undefined
}

/** Empty while there are no public listeners. */
export function connectionMetrics(connections: PublicConnections | undefined): Metric[] {
  if (connections === undefined) return []
  const { open, http, https } = connections
  const listeners = [['http', http] as const, ...(https ? [['https', https] as const] : [])]
  return [
    gauge('petstore_public_connections', 'Open connections of the public listeners.', [[{}, open]]),
    counter(
      'petstore_public_connections_total',
      'Connections of the public listeners: accepted, and those closed early by the reason.',
      listeners.flatMap(([listener, counts]) => [
        [{ listener, result: 'accepted' }, counts.accepted] as const,
        [{ listener, result: 'over_limit' }, counts.overLimit] as const,
        [{ listener, result: 'rejected' }, counts.rejected] as const,
        [{ listener, result: 'too_slow' }, counts.tooSlow] as const,
        [{ listener, result: 'unreachable' }, counts.unreachable] as const,
      ]),
    ),
  ]
}

export interface DomainFacts {
  readonly domains: { countsByStatus(): readonly { readonly status: string; readonly count: number }[] }
  /** Undefined while hosting is off. */
  readonly checks: { readonly counts: Readonly<Record<string, number>>; readonly inProgress: () => number } | undefined
}

/** Reads the database: throws if the storage has a fault. */
export function domainMetrics({ domains, checks }: DomainFacts): Metric[] {
  if (!checks) return []
  const found = new Map(domains.countsByStatus().map(({ status, count }) => [status, count]))
  return [
    gauge(
      'petstore_domains',
      'Domains of projects by the status of their DNS.',
      dnsStatuses.map((status) => [{ status }, found.get(status) ?? 0]),
    ),
    counter(
      'petstore_domain_checks_total',
      'Checks of domains by outcome: proven, failed, unknown (the servers did not respond), taken (another project has the name), gone (removed meanwhile).',
      Object.entries(checks.counts).map(([outcome, count]) => [{ outcome }, count]),
    ),
    gauge('petstore_domain_checks_in_progress', 'Checks of domains that are running or waiting.', [
      [{}, checks.inProgress()],
    ]),
  ]
}

export type CertificateFacts = Pick<Certificates, 'counts' | 'expiringFirst' | 'outcomes' | 'clockWrongByMs'>

/** The most certificates that have their own series: those that expire first. */
const maximumNamed = 200
const dayMs = 86_400_000

/** `nowMs` is Unix milliseconds. */
export function certificateMetrics(certificates: CertificateFacts, nowMs: number): Metric[] {
  const { wanted, installed, valid, failing } = certificates.counts(nowMs)
  const first = certificates.expiringFirst(maximumNamed).map(({ hostname, kind, notAfter, renewAt }) => {
    return { labels: { hostname, kind }, notAfter: notAfter ?? 0, renewAt: renewAt ?? notAfter ?? 0 }
  })
  return [
    counter(
      'petstore_certificate_orders_total',
      'Attempts to get a certificate, by outcome.',
      Object.entries(certificates.outcomes).map(([outcome, count]) => [{ outcome }, count]),
    ),
    gauge(
      'petstore_certificates',
      'Names that want a certificate: with a valid one, with an expired one, or without one.',
      [
        [{ state: 'valid' }, valid],
        [{ state: 'expired' }, installed - valid],
        [{ state: 'missing' }, wanted - installed],
      ],
    ),
    gauge('petstore_certificates_failing', 'Names whose last attempt to get a certificate failed.', [[{}, failing]]),
    gauge(
      'petstore_certificate_days_left',
      `Days until a certificate expires, of the ${maximumNamed} that expire first.`,
      first.map(({ labels, notAfter }) => [labels, (notAfter - nowMs) / dayMs]),
    ),
    gauge(
      'petstore_certificate_renewal_time_seconds',
      'When a certificate will be renewed, as a Unix time, of the same certificates.',
      first.map(({ labels, renewAt }) => [labels, renewAt / 1000]),
    ),
    gauge(
      'petstore_clock_wrong_seconds',
      "By how much this machine's clock is ahead of the certificate authority's; 0 unless it is more than an hour off.",
      [[{}, (certificates.clockWrongByMs() ?? 0) / 1000]],
    ),
  ]
}
