/**
 * Counts the responses of the server and their durations. Memory and series are limited: labels are operations,
 * statuses and error codes, never texts of a client. After the first request of an operation, counting allocates
 * nothing.
 */

import type { RequestContext } from '../../api/context.ts'
import { errorCodes } from '../../api/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ErrorCode } from '../../lib/error.ts'
import { Histogram } from '../../lib/histogram.ts'

/** Upper bounds of the buckets of response times, in milliseconds. */
const durationBoundsMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

/** The operation of requests that were rejected before they were routed, and of requests for web pages. */
const noOperation = 'none'

/** The last hour is counted by minute: this many, including the current one. */
const countedMinutes = 60

const lowestStatus = 100
const statusCount = 500

interface OperationMetrics {
  readonly operation: string
  /** The number of responses with each status, from 100 on. */
  readonly statuses: Float64Array
  /** In milliseconds. */
  readonly durations: Histogram
}

/** Responses of the last hour, without those to commands. */
export interface LastHour {
  readonly requests: number
  /** With a status from 400 to 499. */
  readonly rejected: number
  /** With a status from 500 on. */
  readonly failed: number
}

export type RequestMetrics = ReturnType<typeof createRequestMetrics>

export function createRequestMetrics(clock: Pick<Clock, 'monotonic'>) {
  const operations = new Map<string, OperationMetrics>()
  const errors = Object.fromEntries(Object.keys(errorCodes).map((code) => [code, 0])) as Record<ErrorCode, number>

  /** The minutes of the last hour. An older one is cleared when its place is needed again. */
  const minutes = Array.from({ length: countedMinutes }, () => ({ minute: -1, requests: 0, rejected: 0, failed: 0 }))

  function countInMinute(nowMs: number, status: number): void {
    const minute = Math.floor(nowMs / 60_000)
    const counts = minutes[minute % countedMinutes] as (typeof minutes)[number]
    if (counts.minute !== minute) Object.assign(counts, { minute, requests: 0, rejected: 0, failed: 0 })
    counts.requests++
    if (status >= 500) counts.failed++
    else if (status >= 400) counts.rejected++
  }

  function add(operation: string): OperationMetrics {
    const metrics = { operation, statuses: new Float64Array(statusCount), durations: new Histogram(durationBoundsMs) }
    operations.set(operation, metrics)
    return metrics
  }

  return {
    /** Counts a response; to be called when it is ready to be sent. */
    observe({ operation = noOperation, startedMs, errorCode, isCommand }: RequestContext, status: number): void {
      const nowMs = clock.monotonic()
      const { statuses, durations } = operations.get(operation) ?? add(operation)
      const index = status - lowestStatus
      statuses[index] = (statuses[index] as number) + 1
      durations.observe(nowMs - startedMs)
      if (isCommand !== true) countInMinute(nowMs, status)
      if (errorCode !== undefined) errors[errorCode]++
    },
    /** The counts by operation and status. */
    *statuses(): Generator<{ readonly operation: string; readonly status: number; readonly count: number }> {
      for (const { operation, statuses } of operations.values()) {
        for (const [index, count] of statuses.entries()) {
          if (count > 0) yield { operation, status: index + lowestStatus, count }
        }
      }
    },
    operations: (): Iterable<OperationMetrics> => operations.values(),
    lastHour(): LastHour {
      const oldest = Math.floor(clock.monotonic() / 60_000) - countedMinutes
      const sum = { requests: 0, rejected: 0, failed: 0 }
      for (const { minute, requests, rejected, failed } of minutes) {
        if (minute <= oldest) continue
        sum.requests += requests
        sum.rejected += rejected
        sum.failed += failed
      }
      return sum
    },
    /** The number of responses with each error code. */
    errors: errors as Readonly<Record<ErrorCode, number>>,
  }
}
