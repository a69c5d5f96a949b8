/** Examines the DNS of a claim. Changes nothing. */

import type { DomainCheck } from '../../dns/checker/start.ts'
import { bySeverity, type Diagnosis, type Finding } from '../../dns/report.ts'
import type { CaaExpectation, CheckOptions } from '../../dns/request.ts'
import type { ProjectRow, ProjectStore } from '../../projects/store.ts'
import { cnameTargetOf } from '../../projects/view.ts'
import type { DomainRow, DomainStore } from '../store.ts'
import { type AddressProbe, isOfProbe } from './probes.ts'
import { type Verdict, verdictOf } from './verdict.ts'

export interface ExamineParts {
  readonly domains: DomainStore
  readonly projects: Pick<ProjectStore, 'find'>
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
 * Undefined if the project is gone, or `signal` was aborted. `isFresh`: the addresses are probed, and no remembered outcome
 * is used.
 */
export async function examine(
  { domains, projects, platform }: ExamineParts,
  row: DomainRow,
  signal: AbortSignal,
  { isFresh = false } = {},
): Promise<Examination | undefined> {
  const project = projects.find(row.projectId)
  if (!project) return undefined
  const { accountId } = project
  const token = domains.tokenOf(accountId) ?? ''
  const request = requestFor(platform, project, row.hostname)
  const options = { ...platform.checkOptions(), signal }
  const isLikelyNeeded = row.zone === row.hostname || domains.wasHeldByAnother(row.hostname, accountId)
  let report = await platform.check(isLikelyNeeded ? { ...request, ownershipToken: token } : request, options)
  // Only the check has shown that the name is an apex, where addresses need the proof by TXT.
  const wasUnexpected = report.routedBy === 'address' && !isLikelyNeeded
  if (wasUnexpected) report = await platform.check({ ...request, ownershipToken: token }, options)
  const probed = report.routing === 'verified' ? await probe(platform, row, signal, isFresh) : []
  if (signal.aborted) return undefined
  if (probed.length > 0) report = { ...report, findings: bySeverity([...report.findings, ...probed]) }
  return { report, verdict: verdictOf(report, domains.wasHeldByAnother(row.hostname, accountId)) }
}

/**
 * The findings about the way to this service. A certificate that is valid was issued over this way; without one, the owner has
 * to know where it is blocked.
 */
async function probe(
  platform: Platform,
  { hostname, findings }: DomainRow,
  signal: AbortSignal,
  isFresh: boolean,
): Promise<Finding[]> {
  // Without a probe, those of the last one are still what is known.
  if (!platform.probe) return findings.filter(isOfProbe)
  if (!isFresh && platform.hasCertificate?.(hostname)) return []
  return await platform.probe(hostname, platform.acceptedAddresses(), signal, isFresh)
}

function requestFor(
  { platformDomain, sitesDomain, acceptedAddresses, caa }: Platform,
  project: ProjectRow,
  hostname: string,
) {
  const expectation = caa()
  return {
    hostname,
    cnameTargets: [cnameTargetOf(project.cnameToken, platformDomain)],
    publicAddresses: acceptedAddresses(),
    platformDomains: [platformDomain, sitesDomain],
    ...(expectation ? { caa: expectation } : {}),
  }
}
