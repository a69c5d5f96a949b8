/** Derives from a report whether a claim on a name is proven. */

import type { Diagnosis, Finding } from '../../../dns/report.ts'
import type { FailureKind } from '../state.ts'

export type Verdict =
  | { readonly kind: 'proven' }
  | { readonly kind: 'failed'; readonly failure: FailureKind }
  /** The servers did not respond, which proves nothing. */
  | { readonly kind: 'unknown' }

/**
 * The verdict of a report. A CNAME to the project's own target is sufficient proof, unless another account has ever
 * held the name. Addresses prove nothing about the account: they need the TXT record as well.
 */
export function verdictOf(report: Diagnosis, wasHeldByAnother: boolean): Verdict {
  if (report.routing === 'failed') return { kind: 'failed', failure: routingFailure(report) }
  if (report.routing !== 'verified') return { kind: 'unknown' }
  if (!needsToken(report, wasHeldByAnother) || report.ownership === 'verified') return { kind: 'proven' }
  return report.ownership === 'unknown' ? { kind: 'unknown' } : { kind: 'failed', failure: 'ownership' }
}

/** Whether the claim needs the TXT record. */
export function needsToken({ routedBy }: Pick<Diagnosis, 'routedBy'>, wasHeldByAnother: boolean): boolean {
  return routedBy !== 'cname' || wasHeldByAnother
}

/** The findings that concern the owner: not those about a TXT record that turned out to be unnecessary. */
export function relevantFindings(report: Diagnosis, wasHeldByAnother: boolean): readonly Finding[] {
  const { findings } = report
  const relevant = needsToken(report, wasHeldByAnother) ? findings : findings.filter(({ type }) => type !== 'TXT')
  return relevant.slice(0, maximumFindings).map(bounded)
}

export const takenWords =
  'The records are right, but another project uses the name, and its records are right too or could not be checked.'

/** The finding about a claim that is proven, while another one keeps the name. It does not say which. */
export function nameTaken(hostname: string): Finding {
  return {
    code: 'name_taken',
    severity: 'error',
    name: hostname,
    type: null,
    expected: [],
    observed: [],
    message: takenWords,
    fix: `If the other project is yours, remove ${hostname} there. If not, keep only the records that are shown here: delete other A, AAAA and CNAME records of this name, and other TXT records with the name "_petstore-verify" in front of it. Then verify again.`,
    expiresAt: null,
  }
}

/**
 * Findings are stored and sent with every domain: a hostile server must not fill them. Their values are short already.
 */
const maximumFindings = 30
const maximumServers = 24

function bounded(finding: Finding): Finding {
  return { ...finding, observed: finding.observed.slice(0, maximumServers) }
}

/** Findings that say that nothing is there yet. */
const absent: readonly string[] = ['record_missing', 'apex_needs_alias', 'domain_not_registered']

function routingFailure({ findings }: Diagnosis): FailureKind {
  const errors = findings.filter(({ severity, type }) => severity === 'error' && type !== 'TXT' && type !== 'CAA')
  const isAbsent = ({ code, observed }: Finding) =>
    absent.includes(code) && observed.every(({ values }) => values.length === 0)
  return errors.length > 0 && errors.every(isAbsent) ? 'missing' : 'wrong'
}
