/**
 * The hosts of the public listeners. `api.` of the platform's domain is the API and its pages, a label below the domain
 * of the sites is the project with that slug, and every other name that projects may have is a custom domain.
 */

import type { Site } from '../../server/handle.ts'

/** The target of a name of a site. */
export type Destination =
  | { readonly site: Site }
  /** `to` is a host name; path and query of the request are kept. */
  | { readonly redirect: { readonly to: string; readonly status: number } }

/** `hsts`: whether responses over HTTPS have `Strict-Transport-Security` (RFC 6797). */
export type Host = { readonly platform: Site } | (Destination & { readonly hsts?: boolean })

export interface HostTable {
  /** In lower case, without final dot. */
  readonly platformDomain: string
  /** The domain whose labels are slugs; it may be the platform's own. */
  readonly sitesDomain: string
  /** The API and its pages. */
  readonly platform: Site
  readonly siteOfSlug: (slug: string) => Host | undefined
  /** Called only for names outside of both domains. */
  readonly siteOfDomain: (hostname: string) => Host | undefined
}

/** Returns the host of a name in lower case without port and final dot; undefined for a name that is none here. */
export function createHostTable(table: HostTable): (name: string) => Host | undefined {
  const { platformDomain, sitesDomain, platform, siteOfSlug, siteOfDomain } = table
  const apiHost = `api.${platformDomain}`
  const api: Host = { platform }
  const isBelow = (name: string, domain: string) => name.endsWith(domain) && name.at(-domain.length - 1) === '.'

  return (name) => {
    if (name === apiHost) return api
    if (name === platformDomain || name === sitesDomain) return undefined
    if (isBelow(name, sitesDomain)) {
      const slug = name.slice(0, -sitesDomain.length - 1)
      return slug.includes('.') ? undefined : siteOfSlug(slug)
    }
    return isBelow(name, platformDomain) ? undefined : siteOfDomain(name)
  }
}
