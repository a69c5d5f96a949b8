/** A domain as the API shows it. */

import { timeOrNull } from '../../api/schemas.ts'
import type { Finding } from '../../dns/report.ts'
import type { ProjectRow } from '../projects/store.ts'
import { type CertificateStatus, cnameTargetOf, toCertificate } from '../projects/view.ts'
import type { Platform } from './checks/platform.ts'
import { unicodeForm } from './hostname.ts'
import { recordsFor } from './records.ts'
import type { Domain } from './schemas.ts'
import { noCertificate, stateOf } from './state.ts'
import type { DomainRow, DomainStore } from './store.ts'

export interface ViewParts {
  readonly domains: DomainStore
  /** Undefined while hosting is off: domains then have no records. */
  readonly platform: Pick<Platform, 'platformDomain' | 'publicAddresses'> | undefined
  /** Undefined where a proxy ends TLS, and the service needs no certificates. */
  readonly certificateOf: ((hostname: string, accountId: number) => CertificateStatus) | undefined
  readonly certificateFindings?: ((hostname: string, accountId: number) => readonly Finding[]) | undefined
}

export function toDomain(parts: ViewParts, project: ProjectRow, row: DomainRow, nowMs: number): Domain {
  const to = row.isPrimary ? undefined : parts.domains.primaryOf(row.projectId)
  const { accountId } = project
  const certificate = parts.certificateOf && shownCertificate(parts, row, accountId, parts.certificateOf)
  return {
    hostname: row.hostname,
    unicodeHostname: unicodeForm(row.hostname),
    projectId: row.projectId,
    role: row.isPrimary ? 'primary' : 'redirect',
    redirect: to === undefined ? null : { to, status: row.redirectStatus as 301 },
    hsts: row.hsts,
    state: stateOf(row, certificate, nowMs),
    dns: { status: row.dnsStatus, checkedAt: timeOrNull(row.checkedAt), nextCheckAt: timeOrNull(row.nextCheckAt) },
    certificate: toCertificate(certificate ?? noCertificate),
    records: recordsOf(parts, project, row),
    findings: findingsOf(parts, row, accountId),
    createdAt: new Date(row.createdAt).toISOString(),
  }
}

/** A proven name waits for its certificate at once, even before the job that orders certificates has run. */
function shownCertificate(
  { platform }: Pick<ViewParts, 'platform'>,
  row: DomainRow,
  accountId: number,
  certificateOf: (hostname: string, accountId: number) => CertificateStatus,
): CertificateStatus {
  if (!row.holdsName) return noCertificate
  const certificate = certificateOf(row.hostname, accountId)
  return certificate.status === 'none' && platform ? { ...certificate, status: 'queued' } : certificate
}

/** Copies a stored finding, so that its members are those of the schema. */
function toFinding({ expected, observed, ...rest }: Finding): Domain['findings'][number] {
  return {
    ...rest,
    expected: [...expected],
    observed: observed.map((server) => ({ ...server, values: [...server.values] })),
  }
}

/** The findings of the last check, and those about the certificate. */
export function findingsOf(
  { certificateFindings }: Pick<ViewParts, 'certificateFindings'>,
  row: DomainRow,
  accountId: number,
) {
  const more = row.holdsName ? (certificateFindings?.(row.hostname, accountId) ?? []) : []
  return [...row.findings, ...more].map(toFinding)
}

function recordsOf({ domains, platform }: ViewParts, project: ProjectRow, row: DomainRow) {
  if (!platform) return []
  const { hostname, zone } = row
  const needsToken = hostname === zone || domains.wasHeldByAnother(hostname, project.accountId)
  return recordsFor({
    hostname,
    zone,
    cnameTarget: cnameTargetOf(project.cnameToken, platform.platformDomain),
    publicAddresses: platform.publicAddresses(),
    token: needsToken ? domains.tokenOf(project.accountId) : undefined,
  })
}
