/** Projects as the API shows them: with their address, if hosting is on, and their live deploy. */

import { timeOrNull } from '../../api/schemas.ts'
import type { HostingConfig } from '../../config/hosting.ts'
import type { certificateStates, Project } from './schemas.ts'
import type { ProjectRow, ProjectStore } from './store.ts'

/** The certificate of a hostname. Times are Unix milliseconds. */
export interface CertificateStatus {
  /**
   * `none`: the name is not wanted. `queued`, `issuing`: before the first certificate. `renewing`, `failed`: also with
   * a valid one, as `expiresAt` shows.
   */
  readonly status: (typeof certificateStates)[number]
  readonly expiresAt: number | null
  /** Null while nothing waits for a time. */
  readonly nextAttemptAt: number | null
  readonly rateLimitedUntil: number | null
  /** Why there is no new certificate, with the authority's own words, and what to do. */
  readonly error: string | null
}

export interface ProjectViewParts {
  /** Undefined if hosting is off. */
  readonly hosting: HostingConfig | undefined
  /** Undefined where the service needs no certificates. */
  readonly certificateOf: ((hostname: string) => CertificateStatus) | undefined
  readonly deploys: { find(id: number): { readonly id: number; readonly createdAt: number } | undefined }
  readonly projects: Pick<ProjectStore, 'hasWebshop'>
}

/** The name to which the records of a project's custom domains point. */
export function cnameTargetOf(cnameToken: string, platformDomain: string): string {
  return `${cnameToken}.edge.${platformDomain}`
}

/** A certificate in its JSON form. */
export function toCertificate(status: CertificateStatus): NonNullable<Project['certificate']> {
  return {
    status: status.status,
    expiresAt: timeOrNull(status.expiresAt),
    nextAttemptAt: timeOrNull(status.nextAttemptAt),
    rateLimitedUntil: timeOrNull(status.rateLimitedUntil),
    error: status.error,
  }
}

/** The address of the website of a project; null if hosting is off. */
export function urlOf(slug: string, hosting: HostingConfig | undefined): string | null {
  if (!hosting) return null
  const { isLocal, sitesDomain, httpPort } = hosting
  return isLocal ? `http://${slug}.${sitesDomain}:${httpPort}` : `https://${slug}.${sitesDomain}`
}

export type ProjectView = (row: ProjectRow) => Project

export function createProjectView({ hosting, deploys, projects, certificateOf }: ProjectViewParts): ProjectView {
  const hasOwnCertificates = hosting !== undefined && hosting.platformCert === undefined && certificateOf !== undefined
  return (row) => {
    const { id, accountId, name, slug, cnameToken, liveDeployId, createdAt } = row
    const live = liveDeployId === null ? undefined : deploys.find(liveDeployId)
    return {
      id,
      accountId,
      name,
      slug,
      cnameTarget: hosting ? cnameTargetOf(cnameToken, hosting.platformDomain) : null,
      url: urlOf(slug, hosting),
      liveDeploy: live ? { id: live.id, createdAt: new Date(live.createdAt).toISOString() } : null,
      hasWebshop: projects.hasWebshop(row),
      certificate: hasOwnCertificates ? toCertificate(certificateOf(`${slug}.${hosting.sitesDomain}`)) : null,
      createdAt: new Date(createdAt).toISOString(),
    }
  }
}
