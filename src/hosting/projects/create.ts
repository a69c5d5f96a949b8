/** Creating a project: a slug for its name, a token, and an entry in the audit log. To be called in a transaction. */

import type { AccountStore } from '../../access/accounts/store.ts'
import type { AuditContext, AuditStore } from '../../access/audit/store.ts'
import { AppError } from '../../lib/error.ts'
import { assertRoom, assertSlugRoom } from './rules.ts'
import { slugsFor } from './slug.ts'
import type { ProjectRow, ProjectStore } from './store.ts'

export interface ProjectStores {
  readonly projects: ProjectStore
  readonly accounts: Pick<AccountStore, 'find'>
  readonly audit: Pick<AuditStore, 'add'>
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
