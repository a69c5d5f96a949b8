/**
 * Counts the responses of the server and their durations. Memory and series are limited: labels are operations, statuses
 * and error codes, never texts of a client. After the first request of an operation, counting allocates nothing.
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

const lowestStatus = 100
const statusCount = 500

interface OperationMetrics {
  readonly operation: string
  /** The number of responses with each status, from 100 on. */
  readonly statuses: Float64Array
  /** In milliseconds. */
  readonly durations: Histogram
}

export type RequestMetrics = ReturnType<typeof createRequestMetrics>

export function createRequestMetrics(clock: Pick<Clock, 'monotonic'>) {
  const operations = new Map<string, OperationMetrics>()
  const errors = Object.fromEntries(Object.keys(errorCodes).map((code) => [code, 0])) as Record<ErrorCode, number>

  function add(operation: string): OperationMetrics {
    const metrics = { operation, statuses: new Float64Array(statusCount), durations: new Histogram(durationBoundsMs) }
    operations.set(operation, metrics)
    return metrics
  }

  return {
    /** Counts a response; to be called when it is ready to be sent. */
    observe({ operation = noOperation, startedMs, errorCode }: RequestContext, status: number): void {
      const { statuses, durations } = operations.get(operation) ?? add(operation)
      const index = status - lowestStatus
      statuses[index] = (statuses[index] as number) + 1
      durations.observe(clock.monotonic() - startedMs)
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
    /** The number of responses with each error code. */
    errors: errors as Readonly<Record<ErrorCode, number>>,
  }
}
