/** Turns the error of an attempt into what is stored of it: the words, the next attempt, and limits. */

import { AppError, messageOf } from '../../../lib/error.ts'
import { AccountRejected, AcmeProblem, AcmeUnavailable, isUnauthorized, wordsOf } from '../acme/problem.ts'
import { accountAdviceFor, adviceFor } from '../findings.ts'
import {
  limitScope,
  longestLimitMs,
  pauseAfter,
  pauseAfterHold,
  probeReason,
  retryTimeIn,
  shortened,
} from '../rules.ts'
import type { CertificateRow, LimitRow } from '../store.ts'
import type { StoredProblem } from '../table.ts'
import { OrderEnded } from './parts.ts'

export interface Failure {
  readonly values: Partial<CertificateRow>
  /** A limit that covers further names. */
  readonly limit: Omit<LimitRow, 'directory'> | undefined
  /** Whether the order can't be continued. */
  readonly endsOrder: boolean
  readonly isRateLimit: boolean
}

const dayMs = 86_400_000
/** How long a limit counts whose end the authority does not say. */
const unknownLimitMs = 3_600_000

/** `hasUrl`: whether the authority has accepted the order. */
export function failureOf(row: CertificateRow, error: unknown, hasUrl: boolean, nowMs: number): Failure {
  const problem = error instanceof OrderEnded ? error.problem : error
  const failures = row.failures + 1
  const stored = storedProblem(problem, row.hostname)
  const isRateLimit = problem instanceof AcmeProblem && (problem.type === 'rateLimited' || problem.status === 429)
  const untilMs = limitedUntil(problem, isRateLimit, nowMs)
  const scope = scopeOf(problem, isRateLimit, row.hostname)
  const pauseMs = stored.source === 'held' ? pauseAfterHold(failures, row.kind === 'api') : pauseAfter(failures)
  return {
    isRateLimit,
    endsOrder: error instanceof OrderEnded || (problem instanceof AcmeProblem && !hasUrl && problem.status < 500),
    limit:
      untilMs === undefined || scope === 'name'
        ? undefined
        : {
            domain: scope === 'account' ? '' : scope.domain,
            since: nowMs,
            until: untilMs,
            message: stored.message,
          },
    values: {
      failures,
      problem: stored,
      failedAt: nowMs,
      nextAttemptAt: nowMs + shortened(pauseMs, row.notAfter, nowMs),
      rateLimitedUntil:
        untilMs === undefined || scope !== 'name' ? null : nowMs + shortened(untilMs - nowMs, row.notAfter, nowMs),
      ...(problem instanceof AcmeProblem ? { blockedBy: problem.status === 0 ? probeReason(problem.type) : null } : {}),
    },
  }
}

function scopeOf(problem: unknown, isRateLimit: boolean, hostname: string) {
  return isRateLimit && problem instanceof AcmeProblem ? limitScope(wordsOf(problem), hostname) : 'account'
}

/** Until when the authority wants no request, at most eight days ahead; without a limit undefined. */
function limitedUntil(problem: unknown, isRateLimit: boolean, nowMs: number): number | undefined {
  if (problem instanceof AcmeUnavailable) {
    return problem.retryAtMs === undefined ? undefined : Math.min(problem.retryAtMs, nowMs + dayMs)
  }
  if (!(problem instanceof AcmeProblem)) return undefined
  if (!isRateLimit && (problem.retryAtMs === undefined || problem.status !== 503)) return undefined
  const untilMs = problem.retryAtMs ?? retryTimeIn(problem.message) ?? nowMs + unknownLimitMs
  return untilMs <= nowMs ? undefined : Math.min(untilMs, nowMs + longestLimitMs)
}

function storedProblem(problem: unknown, hostname: string): StoredProblem {
  if (problem instanceof HeldOrder) return { source: 'held', ...problem.reason }
  if (problem instanceof AccountRejected || isUnauthorized(problem)) {
    const { type } = problem
    return { source: 'account', type, message: wordsOf(problem), fix: accountAdviceFor(type, hostname) }
  }
  if (problem instanceof AcmeProblem && problem.type !== 'serverInternal' && problem.status < 500) {
    const { type } = problem
    return { source: 'ca', type, message: wordsOf(problem), fix: adviceFor(type, hostname) }
  }
  if (problem instanceof AppError) return { source: 'held', type: problem.code, message: problem.message }
  const type = problem instanceof AcmeProblem ? problem.type : 'unavailable'
  const message = problem instanceof AcmeProblem ? wordsOf(problem) : messageOf(problem)
  return { source: 'unavailable', type, message, fix: unavailableFix }
}

const unavailableFix =
  'The service tries again by itself. If this lasts, the operator has to check the connection to the internet and --acme-directory.'

/** A check before the order has failed; no request was sent to the authority. */
export class HeldOrder extends Error {
  override readonly name = 'HeldOrder'
  readonly reason: Omit<StoredProblem, 'source'>

  constructor(reason: Omit<StoredProblem, 'source'>) {
    super(reason.message)
    this.reason = reason
  }
}
