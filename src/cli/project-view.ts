/** How commands find and show projects, with the state of certificates as the server has stored it. */

import type { OptionValues } from '../config/values.ts'
import { readCertificates } from '../hosting/certificates/stored.ts'
import type { ProjectRow } from '../hosting/projects/store.ts'
import { createProjectView, type ProjectView } from '../hosting/projects/view.ts'
import { hostingOf } from '../hosting/settings.ts'
import { AppError } from '../lib/error.ts'
import { nearest } from '../lib/nearest.ts'
import { allPages, type CommandStore } from './store.ts'

export function projectViewOf(store: Pick<CommandStore, 'tables' | 'deploys'>, values: OptionValues): ProjectView {
  const hosting = hostingOf(store.tables, values)
  const certificateOf = readCertificates(store.tables, hosting)?.certificateOf
  return createProjectView({ deploys: store.deploys, hosting, certificateOf })
}

/** The project of a slug, in upper or lower case. Throws `not_found` with the nearest slug. */
export function projectOf({ projects }: Pick<CommandStore, 'projects'>, slug: string): ProjectRow {
  const found = projects.findBySlug(slug.toLowerCase())
  if (found) return found
  const slugs = allPages((after, limit) => projects.page(undefined, after, limit)).map((row) => row.slug)
  const near = nearest(slug, slugs)
  const advice = near === undefined ? 'See: petstore projects list' : `Did you mean ${near}?`
  throw new AppError('not_found', `There is no project with the slug "${slug}". ${advice}`)
}
