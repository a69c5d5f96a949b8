/** Reads the state of certificates from the tables. */

import type { Finding } from '../../dns/report.ts'
import type { Clock } from '../../lib/clock.ts'
import { noCertificate } from '../domains/state.ts'
import type { CertificateStatus } from '../projects/view.ts'
import { hostOf } from './acme/transport.ts'
import { certificateFindings, sentences } from './findings.ts'
import { explainedAfterMs, hasCome, limitFor, rateLimitedUntil } from './rules.ts'
import type { CertificateRow, CertificateStore, LimitRow, OrderRow } from './store.ts'

interface StatusParts {
  readonly store: CertificateStore
  readonly acmeDirectory: string
  readonly clock: Pick<Clock, 'now'>
}

/** `waitingBefore`: how many names wait for an order before this one. */
export function createStatusReader(
  { store, acmeDirectory, clock }: StatusParts,
  waitingBefore: (hostname: string) => number,
) {
  /** `accountId`: the account that has the name now. A certificate of a former one counts for nothing. */
  return (hostname: string, accountId?: number): CertificateStatus => {
    const row = rowOf(store, hostname, accountId)
    return statusOf({
      row,
      order: row && store.openOrder(hostname),
      limit: row && limitFor(store.limits(acmeDirectory), hostname),
      nowMs: clock.now(),
      waitingBefore: row?.file === null ? waitingBefore(hostname) : 0,
    })
  }
}

function rowOf(store: CertificateStore, hostname: string, accountId: number | undefined) {
  const row = store.find(hostname)
  return accountId === undefined || row?.accountId === accountId ? row : undefined
}

/** `clockWrongByMs`: by how much this machine's clock is ahead of the authority's, as far as that was measured. */
export function createFindingsReader(
  { store, acmeDirectory, clock }: StatusParts,
  clockWrongByMs: () => number | undefined,
) {
  /** The findings about a name's certificate; empty for a name that is not wanted. */
  return (hostname: string, accountId?: number): Finding[] => {
    const row = rowOf(store, hostname, accountId)
    if (!row || row.removedAt !== null) return []
    return certificateFindings({
      row,
      limit: limitFor(store.limits(acmeDirectory), hostname),
      nowMs: clock.now(),
      clockWrongByMs: clockWrongByMs(),
      authority: hostOf(acmeDirectory),
    })
  }
}

interface StatusFacts {
  readonly row: CertificateRow | undefined
  readonly order: OrderRow | undefined
  /** The limit that covers the name. */
  readonly limit: LimitRow | undefined
  readonly nowMs: number
  /** How many names wait for an order before this one. */
  readonly waitingBefore: number
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

function errorOf({ row, order, limit, nowMs, waitingBefore }: StatusFacts, isValid: boolean): string | null {
  if (!row) return null
  if (row.problem) return sentences(row.problem.message, row.problem.fix)
  if (limit && rateLimitedUntil({ row, limit, nowMs }) !== null) {
    return sentences(
      `The certificate authority has set a limit: ${limit.message}`,
      'The order follows when the limit ends; there is nothing to do.',
    )
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
