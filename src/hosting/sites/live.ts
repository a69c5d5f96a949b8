/** The sites of the live deploys. A request finds its site in memory; a change of the live deploy makes a new one. */

import { LRUCache } from 'lru-cache'
import { contextOf, setErrorCode } from '../../api/context.ts'
import type { Site } from '../../api/host.ts'
import type { Announcements } from '../../database/announcements.ts'
import type { FaultMonitor } from '../../database/faults/monitor.ts'
import type { ContentStore } from '../../lib/contents/store.ts'
import type { Log } from '../../lib/log.ts'
import type { PhotoResponder } from '../../shop/photos/serve.ts'
import type { FileRows } from '../deploys/file-rows.ts'
import type { DeployStore } from '../deploys/store.ts'
import type { ProjectRow, ProjectStore } from '../projects/store.ts'
import { createContents } from './contents.ts'
import { unavailablePage, unpublishedPage } from './pages.ts'
import type { FindFile } from './paths.ts'
import { createAddressCache, createSite, type Fallback, type SiteOptions, siteOperation } from './site.ts'

/** The most sites that are kept in memory. Each is small: its files are looked up one by one. */
const keptSites = 5_000

export interface LiveSite {
  /** Undefined while the database can't be read. */
  readonly projectId: number | undefined
  readonly site: Site
}

interface CachedSite extends LiveSite {
  /** Differs between any two states of the site. */
  readonly version: string
  /** The generation of announcements in which the version was read. */
  readonly generation: number
}

/**
 * `ofSlug` and `ofProject` return the site to serve, undefined for a slug or project that there is not. They are
 * called for each request, so that a new deploy is served from the next request on.
 */
export function createLiveSites(parts: {
  readonly projects: Pick<ProjectStore, 'find' | 'findBySlug'>
  readonly deploys: Pick<DeployStore, 'find' | 'isLiveSecondShared'>
  readonly deployFiles: Pick<FileRows, 'find'>
  readonly files: Pick<ContentStore, 'pathOf'>
  /** Serves the photos of the store's animals, on the sites of its own account. */
  readonly photos: PhotoResponder
  /** Responds where the project that has it has no file. */
  readonly webshop: Fallback & { projectId(): number | undefined }
  /** The id of the store's own account; 0 if there is none. */
  readonly ownAccountId: () => number
  readonly announcements: Pick<Announcements, 'subscribe'>
  readonly faults: Pick<FaultMonitor, 'readFailed'>
  readonly log: Log
}) {
  const { projects, deploys, deployFiles, files, photos, webshop, ownAccountId, announcements, faults, log } = parts
  let options: Pick<SiteOptions, 'contents' | 'addresses' | 'log'> | undefined
  const sites = new LRUCache<string | number, CachedSite>({ max: keptSites })
  let generation = 0
  announcements.subscribe(['projects', 'deploys'], () => {
    generation++
  })

  const hasWebshop = ({ id }: ProjectRow) => webshop.projectId() === id

  function versionOf(project: ProjectRow): string {
    const kind = hasWebshop(project) ? 'webshop' : ''
    const { liveDeployId } = project
    if (liveDeployId === null) return kind
    const deploy = deploys.find(liveDeployId)
    // Compressed forms appear in the middle of a deploy's life, and a deploy may go live again.
    return `${liveDeployId}.${deploy?.liveAt}.${deploy?.compressedAt ?? 0}${kind}`
  }

  function createLive(project: ProjectRow, version: string): Site {
    const { liveDeployId } = project
    const fallback = hasWebshop(project) ? webshop : undefined
    if (liveDeployId === null && fallback === undefined) return unpublishedSite
    // Created with the first site: allocating the cache would delay every start.
    options ??= { contents: createContents(files), addresses: createAddressCache(), log }
    const deploy = liveDeployId === null ? undefined : deploys.find(liveDeployId)
    const find: FindFile = (path) => (liveDeployId === null ? undefined : deployFiles.find(liveDeployId, path))
    const live = { ms: deploy?.liveAt ?? 0, isShared: deploy !== undefined && deploys.isLiveSecondShared(deploy) }
    const site = createSite(find, { ...options, name: version, live, fallback })
    return (request) => {
      try {
        return site(request)
      } catch (error) {
        if (faults.readFailed(error) === undefined) throw error
        return unavailableSite(request)
      }
    }
  }

  /** The site of a project, with photos if it is the store's own. */
  function withPhotos({ accountId }: ProjectRow, site: Site): Site {
    return (request) => photos(request, () => accountId === ownAccountId()) ?? site(request)
  }

  /** `key` is the slug or the id of the project that `find` finds. */
  function siteOf(key: string | number, find: () => ProjectRow | undefined): LiveSite | undefined {
    const known = sites.get(key)
    if (known?.generation === generation) return known
    try {
      const project = find()
      if (project === undefined) {
        sites.delete(key)
        return undefined
      }
      const version = versionOf(project)
      const site = known?.version === version ? known.site : withPhotos(project, createLive(project, version))
      const live = { projectId: project.id, site, version, generation }
      sites.set(key, live)
      return live
    } catch (error) {
      if (faults.readFailed(error) === undefined) throw error
      // The database can't be read: a site that was served a moment ago still is.
      return known ?? { projectId: undefined, site: unavailableSite }
    }
  }

  return {
    ofSlug: (slug: string): LiveSite | undefined => siteOf(slug, () => projects.findBySlug(slug)),
    ofProject: (projectId: number): LiveSite | undefined => siteOf(projectId, () => projects.find(projectId)),
  }
}
export type LiveSites = ReturnType<typeof createLiveSites>

const unpublishedSite: Site = (request) => {
  const context = contextOf(request)
  if (context) context.operation = siteOperation
  setErrorCode(request, 'not_found')
  return unpublishedPage()
}

const unavailableSite: Site = (request) => {
  const context = contextOf(request)
  if (context) context.operation = siteOperation
  setErrorCode(request, 'storage_unavailable')
  return unavailablePage()
}
