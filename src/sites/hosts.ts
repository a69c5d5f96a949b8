/**
 * The hosts of the public listeners. `api.` of the platform's domain is the API and its pages, a label below the domain
 * of the sites is the project with that slug, and every other name that projects may have is a custom domain.
 */

import type { Site } from '../server/listener.ts'
import { badRequestPage, misdirectedPage } from './pages.ts'

export interface HostTable {
  /** In lower case, without final dot. */
  readonly platformDomain: string
  /** The domain whose labels are slugs; it may be the platform's own. */
  readonly sitesDomain: string
  /** The API and its pages. */
  readonly platform: Site
  readonly siteOfSlug: (slug: string) => Site | undefined
  /** Called only for names outside of both domains. */
  readonly siteOfDomain: (hostname: string) => Site | undefined
}

/** Returns `siteOf` of a listener: unknown names get 421 (RFC 9110 section 15.5.20), an unusable Host 400. */
export function createHostTable(table: HostTable): (host: string | undefined) => Site {
  const { platformDomain, sitesDomain, platform, siteOfSlug, siteOfDomain } = table
  const apiHost = `api.${platformDomain}`
  const isBelow = (host: string, domain: string) => host.endsWith(domain) && host.at(-domain.length - 1) === '.'

  function find(host: string): Site | undefined {
    if (host === apiHost) return platform
    if (host === platformDomain || host === sitesDomain) return undefined
    if (isBelow(host, sitesDomain)) {
      const slug = host.slice(0, -sitesDomain.length - 1)
      return slug.includes('.') ? undefined : siteOfSlug(slug)
    }
    return isBelow(host, platformDomain) ? undefined : siteOfDomain(host)
  }

  return (host) => (host === undefined ? badRequestPageSite : (find(host) ?? misdirectedSite))
}

const badRequestPageSite: Site = () => badRequestPage()
const misdirectedSite: Site = () => misdirectedPage()
