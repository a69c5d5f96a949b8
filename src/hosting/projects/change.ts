/** Finding, renaming and deleting a project. Changes are to be called in a transaction. */

import type { AuditContext } from '../../access/audit/store.ts'
import { AppError } from '../../lib/error.ts'
import type { ProjectStores } from './create.ts'
import { maySee, type ProjectViewer } from './rules.ts'
import type { ProjectRow } from './store.ts'

type Stores = Pick<ProjectStores, 'projects' | 'audit'>
type Check = (project: ProjectRow) => void

/** A project that the viewer may see; undefined for any other, as if there was none. */
export function findProject(
  { projects }: Pick<Stores, 'projects'>,
  viewer: ProjectViewer,
  id: number,
): ProjectRow | undefined {
  const project = projects.find(id)
  return project && maySee(viewer, project) ? project : undefined
}

/** Like `findProject`. Throws `not_found` instead of returning undefined. */
export function getProject(stores: Pick<Stores, 'projects'>, viewer: ProjectViewer, id: number): ProjectRow {
  const project = findProject(stores, viewer, id)
  if (!project) throw new AppError('not_found', `There is no project ${id}.`)
  return project
}

/**
 * Gives a project another name, as it is stored; the slug stays. Without a name, or with the one it has, nothing
 * changes. Throws what `assertPreconditions` throws.
 */
export function renameProject(
  { projects, audit }: Stores,
  project: ProjectRow,
  name: string | undefined,
  context: AuditContext,
  assertPreconditions: Check,
): ProjectRow {
  assertPreconditions(project)
  if (name === undefined || name === project.name) return project
  const { id, accountId, slug } = project
  audit.add(context, { action: 'project.changed', accountId, details: { projectId: id, name, slug } })
  return projects.rename(project, name)
}

export interface DomainsOfProject {
  /** Removes the domains of a project that is deleted. */
  removeOf(project: ProjectRow): void
}

/**
 * Deletes a project with its domains and deploys; its slug stays with its account. Throws what `assertPreconditions`
 * throws.
 */
export function deleteProject(
  {
    projects,
    audit,
    domains,
    deploys,
  }: Stores & { readonly domains: DomainsOfProject; readonly deploys: { removeOf(projectId: number): void } },
  project: ProjectRow,
  context: AuditContext,
  assertPreconditions: Check,
): void {
  assertPreconditions(project)
  const { id, accountId, name, slug } = project
  domains.removeOf(project)
  projects.remove(id)
  deploys.removeOf(id)
  audit.add(context, { action: 'project.deleted', accountId, details: { projectId: id, name, slug } })
}
