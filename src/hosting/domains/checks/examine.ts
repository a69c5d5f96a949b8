/** Examines the DNS of a claim, and derives whether the claim is proven. Changes nothing. */

import { isOfProbe, probeFindings } from '../../../dns/http-probe.ts'
import { bySeverity, type Diagnosis, type Finding } from '../../../dns/report.ts'
import { cnameTargetOf } from '../../projects/view.ts'
import type { FailureKind } from '../state.ts'
import type { Claim, DomainStore } from '../store.ts'
import type { Platform } from './platform.ts'

export interface ExamineParts {
  readonly domains: DomainStore
  readonly platform: Platform
}

export type Verdict =
  | { readonly kind: 'proven' }
  | { readonly kind: 'failed'; readonly failure: FailureKind }
  /** The servers did not respond, which proves nothing. */
  | { readonly kind: 'unknown' }

export interface Examination {
  readonly report: Diagnosis
  readonly verdict: Verdict
}

/**
 * Queries DNS, which has the verdict, and fetches a page from the addresses if the records lead to them. `isForOrder`:
 * also for a name that has a certificate. Undefined if `signal` was aborted.
 */
export async function examine(
  parts: ExamineParts,
  claim: Claim,
  signal: AbortSignal,
  isForOrder = false,
): Promise<Examination | undefined> {
  await parts.platform.learnAddresses(signal)
  const report = await queryDns(parts.platform, claim, signal)
  if (signal.aborted) return undefined
  if (report.routing !== 'verified') return { report, verdict: verdictOf(report, false) }
  const verdict = verdictOf(report, parts.domains.wasHeldByAnother(claim.hostname, claim.accountId))
  const probed = await probe(parts, claim, signal, isForOrder)
  if (signal.aborted) return undefined
  return { report: { ...report, findings: bySeverity([...report.findings, ...probed]) }, verdict }
}

async function queryDns(platform: Platform, claim: Claim, signal: AbortSignal): Promise<Diagnosis> {
  // Loaded here, because the Public Suffix List would double the time that every start takes.
  const { checkDomain } = await import('../../../dns/check.ts')
  const request = requestFor(platform, claim)
  const withToken = { ...request, ownershipToken: claim.token ?? '' }
  const options = { ...platform.checkOptions(), signal }
  const isTokenExpected = claim.zone === claim.hostname || claim.wasHeldByAnother
  const report = await checkDomain(isTokenExpected ? withToken : request, options)
  // Only the check has shown that the name is an apex, where addresses need the proof by TXT.
  if (report.routedBy === 'address' && !isTokenExpected) return await checkDomain(withToken, options)
  return report
}

/**
 * The findings about the way to this service. A certificate that is valid was issued over this way; without one, the
 * owner has to know where it is blocked.
 */
async function probe(
  { domains, platform }: ExamineParts,
  { id, hostname }: Claim,
  signal: AbortSignal,
  isForOrder: boolean,
): Promise<Finding[]> {
  // Without a probe, those of the last one are still what is known.
  if (!platform.probe) return domains.findById(id)?.findings.filter(isOfProbe) ?? []
  if (!isForOrder && platform.hasCertificate?.(hostname)) return []
  return await probeFindings(platform.probe, hostname, platform.publicAddresses(), signal)
}

function requestFor(platform: Platform, { hostname, cnameToken }: Claim) {
  const { platformDomain, sitesDomain, publicAddresses, acceptedAddresses } = platform
  const caa = platform.caa()
  return {
    hostname,
    cnameTargets: [cnameTargetOf(cnameToken, platformDomain)],
    publicAddresses: publicAddresses(),
    acceptedAddresses: acceptedAddresses(),
    platformDomains: [platformDomain, sitesDomain],
    ...(caa ? { caa } : {}),
  }
}

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
function needsToken({ routedBy }: Pick<Diagnosis, 'routedBy'>, wasHeldByAnother: boolean): boolean {
  return routedBy !== 'cname' || wasHeldByAnother
}

/** The findings that concern the owner: not those about a TXT record that turned out to be unnecessary. */
export function relevantFindings(report: Diagnosis, wasHeldByAnother: boolean): readonly Finding[] {
  const { findings } = report
  const relevant = needsToken(report, wasHeldByAnother) ? findings : findings.filter(({ type }) => type !== 'TXT')
  return relevant.slice(0, maximumFindings).map(bounded)
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
