/** Where visitors find the website of a project. */

import { useQuery } from '@tanstack/react-query'
import { isValid } from '../domains/certificate.tsx'
import { domainsQuery } from '../domains/queries.ts'
import { NewTabLink } from '../ui/new-tab-link.tsx'
import type { StatusWords } from '../ui/status.tsx'
import { isPublished, type Project } from './queries.ts'

export interface Site {
  /** For people. */
  readonly host: string
  readonly url: string
  /** Whether it can be opened: there is something to see, and a certificate. */
  readonly isOpen: boolean
}

/** The address at which the website was put first; undefined while hosting is off. */
export function firstSiteOf(project: Project): Site | undefined {
  const { url, certificate } = project
  if (url === null) return undefined
  const isOpen = isPublished(project) && (certificate === null || isValid(certificate))
  return { host: new URL(url).host, url, isOpen }
}

/** What to say of a published website: nobody sees it while hosting is off, and browsers refuse it without a certificate. */
export function liveStateOf(site: Site | undefined): StatusWords {
  if (site === undefined) return ['Offline', 'quiet']
  return site.isOpen ? ['Live', 'good'] : ['No certificate', 'warn']
}

/** The result of publishing: what is live now, or what will be once hosting is on. */
export const liveWords = ({ url }: Project, subject: string, isAgain = false): string =>
  url === null ? `${subject} goes online once hosting is on.` : `${subject} is live${isAgain ? ' again' : ''}.`

/** What a website that cannot be opened yet waits for. */
export function waitingWords(project: Project, host: string): string {
  const { certificate } = project
  if (!isPublished(project)) return `The website will be at ${host} once you publish it.`
  if (certificate?.status === 'failed' || certificate?.status === 'expired') {
    return `The website at ${host} has no valid certificate. The page of its project says why, below “Address”.`
  }
  return `The website will be at ${host} as soon as it has its certificate, in a minute or two.`
}

/** The main address: that of the primary domain once it is live, until then the first one. */
export function useSite(project: Project): Site | undefined {
  const { data: domains = [] } = useQuery({ ...domainsQuery(project.id), enabled: isPublished(project) })
  const first = firstSiteOf(project)
  const main = domains.find(({ role, state }) => role === 'primary' && state === 'active')
  if (main === undefined || first === undefined) return first
  return { host: main.unicodeHostname, url: `https://${main.hostname}`, isOpen: true }
}

/** The main address as a link, or what it waits for. */
export function Address({ project }: { readonly project: Project }) {
  const site = useSite(project)
  if (site === undefined) return project.slug
  const { host, url, isOpen } = site
  if (!isOpen) return waitingWords(project, host)
  return <NewTabLink href={url}>{host}</NewTabLink>
}
