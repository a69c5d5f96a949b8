/** Derives from a report whether a claim on a name is proven. */

import type { Finding, Report } from '../../dns/report.ts'
import type { FailureKind } from '../rules/state.ts'

export type Verdict =
  | { readonly kind: 'proven' }
  | { readonly kind: 'failed'; readonly failure: FailureKind }
  /** The servers did not respond, which proves nothing. */
  | { readonly kind: 'unknown' }

/**
 * The verdict of a report. A CNAME to the project's own target is a proof by itself, unless another account has ever held
 * the name. Addresses prove nothing about the account: they need the TXT record as well.
 */
export function verdictOf(report: Report, wasHeldByAnother: boolean): Verdict {
  if (report.routing === 'failed') return { kind: 'failed', failure: routingFailure(report) }
  if (report.routing !== 'verified') return { kind: 'unknown' }
  if (!needsToken(report, wasHeldByAnother) || report.ownership === 'verified') return { kind: 'proven' }
  return report.ownership === 'unknown' ? { kind: 'unknown' } : { kind: 'failed', failure: 'ownership' }
}

/** Whether the claim needs the TXT record. */
export function needsToken({ routedBy }: Pick<Report, 'routedBy'>, wasHeldByAnother: boolean): boolean {
  return routedBy !== 'cname' || wasHeldByAnother
}

/** The findings that concern the owner: not those about a TXT record that turned out to be unnecessary. */
export function relevantFindings(report: Report, wasHeldByAnother: boolean): readonly Finding[] {
  if (needsToken(report, wasHeldByAnother)) return report.findings
  return report.findings.filter(({ type }) => type !== 'TXT')
}

/** Findings that say that nothing is there yet. */
const absent: readonly string[] = ['record_missing', 'apex_needs_alias', 'domain_not_registered']

function routingFailure({ findings }: Report): FailureKind {
  const errors = findings.filter(({ severity, type }) => severity === 'error' && type !== 'TXT' && type !== 'CAA')
  const isAbsent = ({ code, observed }: Finding) =>
    absent.includes(code) && observed.every(({ values }) => values.length === 0)
  return errors.length > 0 && errors.every(isAbsent) ? 'missing' : 'wrong'
}
