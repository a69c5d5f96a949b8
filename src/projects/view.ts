/** Projects as the API and the commands show them: with their address, if hosting is on, and their live deploy. */

import type { HostingConfig } from '../config/hosting.ts'
import type { Project } from './schemas.ts'
import type { ProjectRow } from './store.ts'

export interface ProjectViewParts {
  /** Undefined if hosting is off. */
  readonly hosting: Pick<HostingConfig, 'platformDomain' | 'sitesDomain'> | undefined
  readonly deploys: { find(id: number): { readonly id: number; readonly createdAt: number } | undefined }
}

/** The name to which the records of a project's custom domains point. */
export function cnameTargetOf(cnameToken: string, platformDomain: string): string {
  return `${cnameToken}.edge.${platformDomain}`
}

export type ProjectView = (row: ProjectRow) => Project

export function createProjectView({ hosting, deploys }: ProjectViewParts): ProjectView {
  return ({ id, accountId, name, slug, cnameToken, liveDeployId, createdAt }) => {
    const live = liveDeployId === null ? undefined : deploys.find(liveDeployId)
    return {
      id,
      accountId,
      name,
      slug,
      cnameTarget: hosting ? cnameTargetOf(cnameToken, hosting.platformDomain) : null,
      url: hosting ? `https://${slug}.${hosting.sitesDomain}` : null,
      liveDeploy: live ? { id: live.id, createdAt: new Date(live.createdAt).toISOString() } : null,
      createdAt: new Date(createdAt).toISOString(),
    }
  }
}
