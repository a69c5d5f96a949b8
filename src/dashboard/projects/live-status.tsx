/** The status of a published website: nobody sees it while hosting is off, or while it has no certificate. */

import { Status } from '../ui/status.tsx'
import type { Project } from './queries.ts'
import { useSite } from './site.ts'

export function LiveStatus({ project }: { readonly project: Project }) {
  const site = useSite(project)
  if (site === undefined) return <Status tone="quiet">Offline</Status>
  return site.isOpen ? <Status tone="good">Live</Status> : <Status tone="warn">Waits for its certificate</Status>
}
