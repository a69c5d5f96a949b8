/** Examines the DNS of a claim. Changes nothing. */

import { isOfProbe, probeFindings } from '../../../dns/http-probe.ts'
import { bySeverity, type Diagnosis, type Finding } from '../../../dns/report.ts'
import { cnameTargetOf } from '../../projects/view.ts'
import type { Claim, DomainStore } from '../store.ts'
import type { Platform } from './platform.ts'
import { type Verdict, verdictOf } from './verdict.ts'

export interface ExamineParts {
  readonly domains: DomainStore
  readonly platform: Platform
}

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
  const needsToken = claim.zone === claim.hostname || claim.wasHeldByAnother
  const report = await checkDomain(needsToken ? withToken : request, options)
  // Only the check has shown that the name is an apex, where addresses need the proof by TXT.
  if (report.routedBy === 'address' && !needsToken) return await checkDomain(withToken, options)
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
