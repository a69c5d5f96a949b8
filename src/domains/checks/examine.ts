/** Examines the DNS of a claim. Changes nothing. */

import type { Report } from '../../dns/report.ts'
import type { CaaExpectation, CheckOptions } from '../../dns/request.ts'
import type { ProjectRow, ProjectStore } from '../../projects/store.ts'
import { cnameTargetOf } from '../../projects/view.ts'
import type { DomainRow, DomainStore } from '../store.ts'
import { type Verdict, verdictOf } from './verdict.ts'

export interface ExamineParts {
  readonly domains: DomainStore
  readonly projects: Pick<ProjectStore, 'find'>
  readonly platform: Platform
}

/** What every domain is compared with, and how servers are queried. */
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
}

export interface Examination {
  readonly report: Report
  readonly verdict: Verdict
}

/** Undefined if the project is gone, or `signal` was aborted. Loads the Public Suffix List at the first call. */
export async function examine(
  { domains, projects, platform }: ExamineParts,
  row: DomainRow,
  signal: AbortSignal,
): Promise<Examination | undefined> {
  const project = projects.find(row.projectId)
  if (!project) return undefined
  const { checkDomain } = await import('../../dns/check.ts')
  const { accountId } = project
  const token = domains.tokenOf(accountId) ?? ''
  const request = requestFor(platform, project, row.hostname)
  const options = { ...platform.checkOptions(), signal }
  const isLikelyNeeded = row.zone === row.hostname || domains.wasHeldByAnother(row.hostname, accountId)
  let report = await checkDomain(isLikelyNeeded ? { ...request, ownershipToken: token } : request, options)
  // Only the check has shown that the name is an apex, where addresses need the proof by TXT.
  const wasUnexpected = report.routedBy === 'address' && !isLikelyNeeded
  if (wasUnexpected) report = await checkDomain({ ...request, ownershipToken: token }, options)
  if (signal.aborted) return undefined
  return { report, verdict: verdictOf(report, domains.wasHeldByAnother(row.hostname, accountId)) }
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
