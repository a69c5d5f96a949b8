/** Hosts for tests: the real decisions, about projects and domains that a test names. */

import type { Site } from '../../api/host.ts'
import { createHosts, type HostsParts } from '../hosts.ts'

/** The destination of a slug or domain: a site, or a domain to which it redirects. */
export interface TestTarget {
  readonly site?: Site
  readonly redirect?: { readonly to: string; readonly status: number }
  readonly hsts?: boolean
}

export interface TestHostsOptions extends Partial<HostsParts> {
  /** By slug; the redirect of a slug always has the status 307. */
  readonly slugs?: Pick<ReadonlyMap<string, TestTarget>, 'get'>
  readonly domains?: Pick<ReadonlyMap<string, TestTarget>, 'get'>
}

const noSite: Site = () => new Response('no site')

/** The platform's domain is `stores.example`, and holds the slugs too; no name has a certificate. */
export function createTestHosts({ slugs = new Map(), domains = new Map(), ...parts }: TestHostsOptions) {
  /** The index is the id of the project. */
  const projects: TestTarget[] = []
  const idOf = (target: TestTarget) => projects.push(target) - 1

  return createHosts({
    platformDomain: 'stores.example',
    sitesDomain: 'stores.example',
    isProxied: false,
    isLocal: false,
    httpsPort: () => 443,
    platform: () => new Response('the API'),
    sites: {
      ofSlug(slug) {
        const target = slugs.get(slug)
        return target && { projectId: idOf(target), site: target.site ?? noSite }
      },
      ofProject: (projectId) => ({ projectId, site: projects[projectId]?.site ?? noSite }),
    },
    routes: {
      find(name) {
        const target = domains.get(name)
        if (target === undefined) return undefined
        const { redirect, hsts = false } = target
        const common = { projectId: idOf(target), hsts, hasCertificate: true }
        return redirect === undefined ? { ...common, serve: true } : { ...common, redirect }
      },
      primaryOf: (projectId) => projects[projectId]?.redirect?.to,
    },
    certificateOf: () => undefined,
    challengeResponse: () => undefined,
    probeText: 'this process',
    isTrusted: () => false,
    ...parts,
  })
}
