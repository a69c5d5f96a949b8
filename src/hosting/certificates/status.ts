/** The state of a hostname's certificate, as domains and projects show it. Pure functions. */

import { noCertificate } from '../domains/rules/state.ts'
import type { CertificateStatus } from '../projects/view.ts'
import { explainedAfterMs, hasCome, longestLimitMs } from './rules.ts'
import type { CertificateRow, LimitRow, OrderRow } from './store.ts'

export interface StatusFacts {
  readonly row: CertificateRow | undefined
  readonly order: OrderRow | undefined
  /** The limit that covers the name. */
  readonly limit: LimitRow | undefined
  readonly nowMs: number
  /** How many names wait for an order before this one. */
  readonly waitingBefore: number
}

interface LimitFacts extends Pick<StatusFacts, 'limit' | 'nowMs'> {
  readonly row: Pick<CertificateRow, 'rateLimitedUntil' | 'notAfter'> | undefined
}

export function statusOf(facts: StatusFacts): CertificateStatus {
  const { row, order, nowMs } = facts
  if (!row || row.removedAt !== null) return noCertificate
  const hasCertificate = row.file !== null && row.notAfter !== null
  const isExpired = hasCertificate && row.notAfter !== null && row.notAfter <= nowMs
  const limitedUntil = rateLimitedUntil(facts)
  const waitsUntil = row.nextAttemptAt !== null && !hasCome(row.nextAttemptAt, nowMs) ? row.nextAttemptAt : null
  const isWaiting = waitsUntil !== null || limitedUntil !== null
  return {
    status: isExpired ? 'expired' : phaseOf(row, order, hasCertificate),
    expiresAt: hasCertificate ? row.notAfter : null,
    nextAttemptAt: isWaiting ? Math.max(waitsUntil ?? 0, limitedUntil ?? 0) : null,
    rateLimitedUntil: limitedUntil,
    error: errorOf(facts, hasCertificate && !isExpired),
  }
}

function phaseOf({ failures }: CertificateRow, order: OrderRow | undefined, hasCertificate: boolean) {
  if (failures > 0) return 'failed'
  if (hasCertificate) return order ? 'renewing' : 'active'
  return order ? 'issuing' : 'queued'
}

/** Until when the authority wants no order for the name; null if there is no limit. */
export function rateLimitedUntil({ row, limit, nowMs }: LimitFacts): number | null {
  const times = [row?.rateLimitedUntil ?? null, limit ? limitEnd(limit, row?.notAfter ?? null) : null]
  const ahead = times.filter((time): time is number => time !== null && !hasCome(time, nowMs, longestLimitMs))
  return ahead.length === 0 ? null : Math.max(...ahead)
}

/** When a limit ends for a name: a pause is never longer than a tenth of the life that its certificate had left. */
function limitEnd({ since, until }: LimitRow, notAfter: number | null): number {
  return notAfter !== null && notAfter > since ? Math.min(until, since + Math.floor((notAfter - since) / 10)) : until
}

function errorOf({ row, order, limit, nowMs, waitingBefore }: StatusFacts, isValid: boolean): string | null {
  if (!row) return null
  if (row.problem) return sentences(row.problem.message, row.problem.fix)
  if (limit && rateLimitedUntil({ row, limit, nowMs }) !== null) {
    return `The certificate authority has set a limit: ${limit.message} The order follows when the limit ends; there is nothing to do.`
  }
  if (isValid || nowMs - row.wantedAt < explainedAfterMs) return null
  const minutes = Math.round((nowMs - row.wantedAt) / 60_000)
  const begun = `There is no certificate after ${minutes} minutes:`
  const advice =
    'Check that the domain still verifies and that no CAA record forbids the certificate authority, then verify it again.'
  if (order) return `${begun} the certificate authority has not finished the order yet. ${advice}`
  return waitingBefore > 0
    ? `${begun} ${waitingBefore} other names are waiting for an order before it. There is nothing to do.`
    : `${begun} the order has not begun. ${advice}`
}

/** The words of an authority often end without a full stop. */
function sentences(message: string, fix: string | undefined): string {
  return fix === undefined ? message : `${message.replace(/[^.!?]$/, '$&.')} ${fix}`
}
