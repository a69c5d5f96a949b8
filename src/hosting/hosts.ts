/** The hosts of a running store: its projects by slug and by domain. */

import type { Announcements } from '../database/announcements.ts'
import type { Clock } from '../lib/clock.ts'
import type { Site } from '../server/handle.ts'
import type { DomainRoutes } from './domains/routing-table.ts'
import type { ProjectStore } from './projects/store.ts'
import { createHostTable, type Host, type HostTable } from './sites/hosts.ts'

export interface HostsParts extends Pick<HostTable, 'platformDomain' | 'sitesDomain' | 'platform'> {
  readonly projects: Pick<ProjectStore, 'findBySlug'>
  readonly routes: Pick<DomainRoutes, 'find' | 'primaryOf'>
  readonly siteOfProject: (projectId: number) => Site | undefined
  readonly announcements: Pick<Announcements, 'subscribe'>
  readonly clock: Pick<Clock, 'monotonic'>
  /** Called after hosts may have changed. */
  readonly onChange: () => void
}

/** The number of hosts that are kept in memory. */
const keptHosts = 10_000

/** A certificate that expires changes a route without an announcement. */
const keptMs = 1_000

/** While the primary domain works, the slug leads there; it may stop to. */
const slugRedirectStatus = 307

/** Returns the host of a name, which is kept in memory until something changes. */
export function createHosts(parts: HostsParts): (name: string) => Host | undefined {
  const { projects, routes, siteOfProject, announcements, clock, onChange } = parts
  const kept = new Map<string, Host>()
  let keptSinceMs = Number.NEGATIVE_INFINITY

  const find = createHostTable({
    ...parts,
    siteOfSlug(slug) {
      const project = projects.findBySlug(slug)
      if (!project) return undefined
      const to = routes.primaryOf(project.id)
      return to === undefined ? siteHost(project.id) : { redirect: { to, status: slugRedirectStatus } }
    },
    siteOfDomain(name) {
      const route = routes.find(name)
      if (!route) return undefined
      const { hsts } = route
      return 'redirect' in route ? { redirect: route.redirect, hsts } : siteHost(route.projectId, hsts)
    },
  })

  function siteHost(projectId: number, hsts = false): Host | undefined {
    const site = siteOfProject(projectId)
    return site && { site, hsts }
  }

  function changed(): void {
    kept.clear()
    onChange()
  }

  // The routes follow the database before: they have subscribed first.
  announcements.subscribe(['projects', 'deploys', 'certificates', 'routing'], changed)

  return (name) => {
    const nowMs = clock.monotonic()
    if (nowMs - keptSinceMs > keptMs || kept.size >= keptHosts) {
      kept.clear()
      keptSinceMs = nowMs
    }
    const known = kept.get(name)
    if (known !== undefined) return known
    const host = find(name)
    if (host !== undefined) kept.set(name, host)
    return host
  }
}
