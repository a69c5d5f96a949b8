/** How many projects an account may have, and who may see them. */

import { allows, type Scope } from '../../api/scopes.ts'
import { AppError } from '../../lib/error.ts'

/** The most projects of one account. */
export const maximumProjects = 20

/** Throws `conflict` if an account that has `count` projects cannot have another. */
export function assertRoom(accountId: number, count: number): void {
  if (count < maximumProjects) return
  throw new AppError(
    'conflict',
    `Account ${accountId} has ${count} projects, and ${maximumProjects} is the most: delete one first.`,
  )
}

/** The most slugs that are reserved for one account, those of deleted projects included. */
export const maximumSlugs = 100

/** Throws `conflict` if an account that has `count` slugs cannot have another. */
export function assertSlugRoom(accountId: number, count: number): void {
  if (count < maximumSlugs) return
  throw new AppError(
    'conflict',
    `Account ${accountId} has used ${count} slugs, and ${maximumSlugs} is the most: give the project the name of one that was deleted, whose slug it then gets.`,
  )
}

/** The facts that decide which projects a client may see. */
export interface ProjectViewer {
  readonly accountId: number
  readonly scopes: ReadonlySet<Scope>
}

/** Whether the client may see the projects of every account. */
export function maySeeAllProjects({ scopes }: Pick<ProjectViewer, 'scopes'>): boolean {
  return allows(scopes, 'admin')
}

/** Whether the client may see a project: one of its own account, or any with `admin`. */
export function maySee(viewer: ProjectViewer, project: { readonly accountId: number }): boolean {
  return project.accountId === viewer.accountId || maySeeAllProjects(viewer)
}
