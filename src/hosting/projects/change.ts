/** Finding, creating, renaming and deleting a project. Changes are to be called in a transaction. */

import type { AccountStore } from '../../access/accounts/store.ts'
import type { AuditContext, AuditStore } from '../../access/audit/store.ts'
import { AppError } from '../../lib/error.ts'
import { assertRoom, assertSlugRoom, maySee, type ProjectViewer } from './rules.ts'
import { slugsFor } from './slug.ts'
import type { ProjectRow, ProjectStore } from './store.ts'

interface ProjectStores {
  readonly projects: ProjectStore
  readonly accounts: Pick<AccountStore, 'find'>
  readonly audit: Pick<AuditStore, 'add'>
}

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

/** `name` as it is stored. */
export type NewProject = Pick<ProjectRow, 'accountId' | 'name'>

/**
 * Throws `not_found` for an unknown account, and `conflict` for one that has as many projects or slugs as it may have.
 */
export function createProject(
  stores: ProjectStores,
  { accountId, name }: NewProject,
  context: AuditContext,
): ProjectRow {
  const { projects, audit } = stores
  const slug = freeSlug(stores, { accountId, name })
  assertRoom(accountId, projects.countOf(accountId))
  if (!projects.ownsSlug(slug, accountId)) assertSlugRoom(accountId, projects.slugCountOf(accountId))
  const project = projects.add({
    accountId,
    name,
    slug,
    cnameToken: randomHex(16),
    liveDeployId: null,
    createdAt: context.nowMs,
  })
  audit.add(context, { action: 'project.created', accountId, details: { projectId: project.id, name, slug } })
  return project
}

/**
 * The slug that a project of this name would get now: the best one that no other project has, and no other account ever
 * had. It is not reserved. Throws `not_found` for an unknown account.
 */
export function freeSlug(
  { projects, accounts }: Pick<ProjectStores, 'projects' | 'accounts'>,
  { accountId, name }: NewProject,
): string {
  if (!accounts.find(accountId)) throw new AppError('not_found', `There is no account ${accountId}.`)
  const candidates = slugsFor(name, () => randomHex(4))
  let slug = candidates.next().value
  while (!projects.isFree(slug, accountId)) slug = candidates.next().value
  return slug
}

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')
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
 * throws, and `conflict` for the project of the web shop.
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
  if (projects.hasWebshop(project)) {
    throw new AppError('conflict', 'The web shop is at this project: delete it first, or move it to another project.')
  }
  const { id, accountId, name, slug } = project
  domains.removeOf(project)
  projects.remove(id)
  deploys.removeOf(id)
  audit.add(context, { action: 'project.deleted', accountId, details: { projectId: id, name, slug } })
}
