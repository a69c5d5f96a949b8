/** The address of a website. */

import { NewTabLink } from '../ui/new-tab-link.tsx'
import type { Project } from './queries.ts'
import { useSite, waitingWords } from './site.ts'

/** The address as a link, or what it waits for. */
export function Address({ project }: { readonly project: Project }) {
  const site = useSite(project)
  if (site === undefined) return project.slug
  const { host, url, isOpen } = site
  if (!isOpen) return waitingWords(project, host)
  return <NewTabLink href={url}>{host}</NewTabLink>
}
