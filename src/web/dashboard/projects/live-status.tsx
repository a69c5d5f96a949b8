/** The status of a published website. */

import { Status } from '../ui/status.tsx'
import type { Project } from './queries.ts'
import { liveStateOf, useSite } from './site.ts'

export function LiveStatus({ project }: { readonly project: Project }) {
  const [label, tone] = liveStateOf(useSite(project))
  return <Status tone={tone}>{label}</Status>
}
