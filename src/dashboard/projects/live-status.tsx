/** The status of a published website: nobody sees it while hosting is off. */

import { Status } from '../ui/status.tsx'
import type { Project } from './queries.ts'

export function LiveStatus({ project: { url } }: { readonly project: Project }) {
  return url === null ? <Status tone="quiet">Offline</Status> : <Status tone="good">Live</Status>
}
