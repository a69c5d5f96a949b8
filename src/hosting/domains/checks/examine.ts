/** Examines the DNS of a claim. Changes nothing. */

import type { DomainCheck } from '../../../dns/checker/start.ts'
import { bySeverity, type Diagnosis, type Finding } from '../../../dns/report.ts'
import type { CaaExpectation, CheckOptions } from '../../../dns/request.ts'
import { cnameTargetOf } from '../../projects/view.ts'
import type { Claim } from '../claims/ownership-store.ts'
import type { DomainStore } from '../store.ts'
import { type AddressProbe, isOfProbe } from './probes.ts'
import { type Verdict, verdictOf } from './verdict.ts'

export interface ExamineParts {
  readonly domains: DomainStore
  readonly platform: Platform
}

/** The expectations that every domain is compared with, and how servers are queried. */
export interface Platform {
  readonly platformDomain: string
  readonly sitesDomain: string
  /** The public addresses of this machine. */
  readonly publicAddresses: () => readonly string[]
  /** Those that records may have: a replaced address is accepted for an hour. */
  readonly acceptedAddresses: () => readonly string[]
  /** The certificate authority that CAA records must allow; undefined while it is unknown. */
  readonly caa: () => CaaExpectation | undefined
  readonly checkOptions: () => CheckOptions
  readonly check: DomainCheck
  /** Undefined for commands, which do not know the response of the service. */
  readonly probe?: AddressProbe | undefined
  /** Whether a hostname has a valid certificate; undefined if the service orders none. */
  readonly hasCertificate?: ((hostname: string) => boolean) | undefined
}

export interface Examination {
  readonly report: Diagnosis
  readonly verdict: Verdict
}

/**
 * Queries DNS, and fetches a page from the addresses. `isFresh`: no remembered outcome of that is used. Undefined if `signal`
 * was aborted.
 */
export async function examine(
  parts: ExamineParts,
  claim: Claim,
  signal: AbortSignal,
  isFresh = false,
): Promise<Examination | undefined> {
  const examination = await examineRecords(parts, claim, signal)
  return examination && (await withProbe(parts, claim, examination, signal, isFresh))
}

/** Queries DNS, which has the verdict. Undefined if `signal` was aborted. */
export async function examineRecords(
  { domains, platform }: ExamineParts,
  claim: Claim,
  signal: AbortSignal,
): Promise<Examination | undefined> {
  const { hostname, accountId, zone } = claim
  const token = claim.token ?? ''
  const request = requestFor(platform, claim)
  const options = { ...platform.checkOptions(), signal }
  const isLikelyNeeded = zone === hostname || claim.wasHeldByAnother
  let report = await platform.check(isLikelyNeeded ? { ...request, ownershipToken: token } : request, options)
  // Only the check has shown that the name is an apex, where addresses need the proof by TXT.
  const wasUnexpected = report.routedBy === 'address' && !isLikelyNeeded
  if (wasUnexpected) report = await platform.check({ ...request, ownershipToken: token }, options)
  if (signal.aborted) return undefined
  return { report, verdict: verdictOf(report, isRouted(report) && domains.wasHeldByAnother(hostname, accountId)) }
}

/** Adds the findings of a probe of the addresses, if the records lead to them. Undefined if `signal` was aborted. */
export async function withProbe(
  parts: ExamineParts,
  claim: Claim,
  examination: Examination,
  signal: AbortSignal,
  isFresh = false,
): Promise<Examination | undefined> {
  const { report } = examination
  const probed = isRouted(report) ? await probe(parts, claim, signal, isFresh) : []
  if (signal.aborted) return undefined
  if (probed.length === 0) return examination
  return { ...examination, report: { ...report, findings: bySeverity([...report.findings, ...probed]) } }
}

const isRouted = ({ routing }: Diagnosis) => routing === 'verified'

/**
 * The findings about the way to this service. A certificate that is valid was issued over this way; without one, the owner has
 * to know where it is blocked.
 */
async function probe(
  { domains, platform }: ExamineParts,
  { id, hostname }: Claim,
  signal: AbortSignal,
  isFresh: boolean,
): Promise<Finding[]> {
  // Without a probe, those of the last one are still what is known.
  if (!platform.probe) return domains.findById(id)?.findings.filter(isOfProbe) ?? []
  if (!isFresh && platform.hasCertificate?.(hostname)) return []
  return await platform.probe(hostname, platform.publicAddresses(), signal, isFresh)
}

function requestFor(
  { platformDomain, sitesDomain, publicAddresses, acceptedAddresses, caa }: Platform,
  { hostname, cnameToken }: Claim,
) {
  const expectation = caa()
  return {
    hostname,
    cnameTargets: [cnameTargetOf(cnameToken, platformDomain)],
    publicAddresses: publicAddresses(),
    acceptedAddresses: acceptedAddresses(),
    platformDomains: [platformDomain, sitesDomain],
    ...(expectation ? { caa: expectation } : {}),
  }
}
