/**
 * Responds with the pages of the web shop. A page is cached, also compressed, until an announcement of what it shows or
 * the end of the day, because ages grow. What is cached is what the address says: no header has a part in it.
 */

import type { Database } from 'bun:sqlite'
import { LRUCache } from 'lru-cache'
import { isCurrent } from '../../api/conditions.ts'
import { codingOf } from '../../api/content-coding.ts'
import { contextOf } from '../../api/context.ts'
import { pathOf } from '../../api/target.ts'
import type { HostingConfig } from '../../config/hosting.ts'
import type { Announcements, Topic } from '../../database/announcements.ts'
import type { Clock } from '../../lib/clock.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import type { CategoryStore } from '../../shop/categories/store.ts'
import { toPhoto } from '../../shop/photos/schemas.ts'
import { type ProfileReaders, pageOfProfiles } from '../../shop/profiles/read.ts'
import type { Profile } from '../../shop/profiles/schemas.ts'
import type { DomainRoutes } from '../domains/routing-table.ts'
import type { ProjectStore } from '../projects/store.ts'
import { urlOf } from '../projects/view.ts'
import { notFoundPage } from '../sites/pages.ts'
import { cacheControl } from '../sites/resource.ts'
import { animalAddress, listAddress, type Target, targetOf } from './addresses.ts'
import type { RenderPage } from './pages/render.tsx'
import { defaultColor, imagePetIds, type WebsiteContent } from './rules.ts'
import { createShownReader, type Shown } from './shown.ts'
import type { WebsiteStore } from './store.ts'
import { icon, styleSheet } from './style.ts'
import type { PageContent, ShopView } from './view.ts'

/** The most memory of cached pages. */
const cachedBytes = 32 * 1_048_576
/** Estimated, of an entry beside its bytes. */
const entryBytes = 2_000
const animalsOfHome = 8
const dayMs = 86_400_000

/** What pages show. */
const topics: readonly Topic[] = [
  'website',
  'pets',
  'profiles',
  'categories',
  'settings',
  'projects',
  'routing',
  'certificates',
]

export interface WebshopParts extends ProfileReaders {
  readonly database: { readonly connection: Database }
  readonly websites: Pick<WebsiteStore, 'find'>
  readonly categories: Pick<CategoryStore, 'find'>
  readonly projects: Pick<ProjectStore, 'find'>
  /** Undefined while hosting is off. */
  readonly hosting: HostingConfig | undefined
  readonly routes: Pick<DomainRoutes, 'primaryOf'>
  readonly announcements: Pick<Announcements, 'subscribe' | 'isChanging'>
  readonly clock: Pick<Clock, 'now'>
}

/** What a response consists of, before it is compressed. */
interface Made {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** A response in one content coding. */
interface Representation {
  readonly etag: string
  readonly headers: Headers
  readonly body: Blob
}

interface Sent {
  readonly status: number
  readonly identity: Representation
  readonly gzip: Representation
}

/** What is read once for all pages. */
interface State {
  readonly view: Omit<ShopView, 'nowMs'>
  readonly list: Shown
}

export function createWebshop(parts: WebshopParts) {
  const { websites, categories, projects, photos, storeSettings } = parts
  const { hosting, routes, announcements, clock } = parts
  const readShown = createShownReader(parts.database.connection)
  const cache = new LRUCache<string, Sent>({
    maxSize: cachedBytes,
    sizeCalculation: ({ identity, gzip }) => identity.body.size + gzip.body.size + entryBytes,
  })
  /** The style sheet and the icon of a color, which every page loads. */
  const assets = new LRUCache<string, Sent>({ max: 20 })
  let state: State | undefined
  let day = 0
  /** Grows with whatever ends the validity of cached pages. */
  let generation = 0
  let renderPage: RenderPage | undefined

  announcements.subscribe(topics, forget)

  function forget(): void {
    state = undefined
    generation++
    cache.clear()
  }

  /** Undefined while there is no web shop. */
  function read(): State | undefined {
    const today = Math.floor(clock.now() / dayMs)
    if (today !== day) forget()
    day = today
    if (state) return state
    const website = websites.find()
    const made = website && stateOf(website, originOf(website.projectId))
    if (!isChanging()) state = made
    return made
  }

  /** What is read inside of a transaction may be rolled back later. */
  const isChanging = () => topics.some(announcements.isChanging)

  /** The address of a web shop at a project, without a path; undefined while hosting is off. */
  function originOf(projectId: number): string | undefined {
    const primary = routes.primaryOf(projectId)
    if (primary !== undefined) return `https://${primary}`
    const slug = projects.find(projectId)?.slug
    return slug === undefined ? undefined : (urlOf(slug, hosting) ?? undefined)
  }

  function stateOf(website: WebsiteContent, origin: string | undefined): State {
    const list = readShown(website.shows)
    const [logo, picture] = [imagePetIds.logo, imagePetIds.picture].map((petId) => photos.ofPet(petId)[0])
    const counts = [...list.counts].map(([id, count]) => ({ id, count, name: categories.find(id)?.name }))
    return {
      list,
      view: {
        website,
        logo: logo && toPhoto(logo),
        picture: picture && toPhoto(picture),
        origin,
        currency: storeSettings.currency(),
        categories: counts.sort((a, b) => a.id - b.id),
        shown: list.newest.length,
      },
    }
  }

  /** The profiles of animals, in the order of their ids here. */
  function profilesOf(ids: readonly number[]): Profile[] {
    const { records } = pageOfProfiles(parts, { ids: ids.join() }, pageRange('asc', undefined), ids.length)
    const byId = new Map(records.map((profile) => [profile.petId, profile]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  /** An animal that has a page: one that is shown, or one that was sold. */
  function animalOf({ list, view }: State, id: number): Profile | undefined {
    const [animal] = profilesOf([id])
    if (animal === undefined || list.has(id)) return animal
    const isVisible = animal.published && (view.website.shows === 'all' || animal.photos.length > 0)
    return animal.pet.status === 'sold' && isVisible ? animal : undefined
  }

  function contentOf(found: State, target: Target): PageContent | undefined {
    const { list, view } = found
    switch (target.page) {
      case 'home':
        return { page: 'home', newest: profilesOf(list.newest.slice(0, animalsOfHome).map(({ id }) => id)) }
      case 'animals': {
        const page = list.page(target.query)
        return page && { page: 'animals', query: target.query, animals: profilesOf(page.ids), found: page.found }
      }
      case 'animal': {
        const animal = animalOf(found, target.id)
        return animal && { page: 'animal', animal }
      }
      case 'privacy':
        return { page: 'privacy' }
      case 'about':
      case 'imprint':
        return view.website[target.page] === null ? undefined : { page: target.page }
      default:
        return undefined
    }
  }

  function render({ view }: State, content: PageContent): Made | Promise<Made> {
    const made = (renderWith: RenderPage): Made => ({
      status: content.page === 'notFound' ? 404 : 200,
      type: 'text/html; charset=utf-8',
      text: renderWith({ ...view, nowMs: clock.now() }, content),
    })
    return renderPage ? made(renderPage) : loadRenderer().then(made)
  }

  /** Loaded with the first page, because most starts need none. */
  async function loadRenderer(): Promise<RenderPage> {
    const { createRenderer } = await import('./pages/render.tsx')
    renderPage ??= createRenderer()
    return renderPage
  }

  function respondWith(request: Request, key: string, made: Made | Promise<Made>): Response | Promise<Response> {
    const madeIn = generation
    const respond = (one: Made): Response => {
      const sent = sentOf(one)
      if (madeIn === generation && !isChanging()) cache.set(key, sent)
      return send(request, sent)
    }
    return made instanceof Promise ? made.then(respond) : respond(made)
  }

  return {
    /** The project that has the web shop. */
    projectId: (): number | undefined => websites.find()?.projectId,
    /** The address of the web shop at a project, and how many animals it shows. */
    shownAt({ projectId, shows }: { readonly projectId: number; readonly shows: WebsiteContent['shows'] }) {
      const shown = state?.view.website.shows === shows && !isChanging() ? state.list : readShown(shows)
      return { url: originOf(projectId) ?? null, shown: shown.newest.length }
    },
    /** The front page of a web shop that is not stored. */
    async preview(website: WebsiteContent): Promise<string> {
      const renderWith = await loadRenderer()
      const draft = stateOf(website, undefined)
      const content = contentOf(draft, { page: 'home' })
      return content ? renderWith({ ...draft.view, nowMs: clock.now() }, content) : ''
    },
    /** Undefined for a path (decoded, without the first slash) at which the web shop has nothing. */
    respond(request: Request, path: string): Response | Promise<Response> | undefined {
      const target = targetOf(path, request.url)
      if (target === undefined) return undefined
      if (target.page === 'style' || target.page === 'icon') {
        const name = `${target.page} ${target.color}`
        const asset = assets.get(name) ?? sentOf(assetOf(target))
        assets.set(name, asset)
        return send(request, asset)
      }
      const found = read()
      if (found === undefined) return undefined
      const key = target.page === 'animals' ? listAddress(target.query) : `/${path}`
      const known = cache.get(key)
      if (known) return send(request, known)
      const text = textOf(found, target)
      if (text) return respondWith(request, key, text)
      const content = contentOf(found, target)
      const address = content?.page === 'animal' ? animalAddress(content.animal.pet) : key
      if (address !== key) return redirect(address)
      return content && respondWith(request, key, render(found, content))
    },
    /** The page for an address at which there is nothing. */
    notFound(request: Request): Response | Promise<Response> {
      const found = read()
      if (found === undefined) return notFoundPage()
      const known = cache.get(notFoundKey)
      return known ? send(request, known) : respondWith(request, notFoundKey, render(found, { page: 'notFound' }))
    },
  }
}
export type Webshop = ReturnType<typeof createWebshop>

/** No path. */
const notFoundKey = '404'

/** Responds with the style sheet and the icon, which the host of the API has for previews; undefined for other paths. */
export function respondWithAsset(request: Request): Response | undefined {
  const path = pathOf(request.url).slice(1)
  if (!path.startsWith('shop/') || (request.method !== 'GET' && request.method !== 'HEAD')) return undefined
  const target = targetOf(path, request.url)
  if (target?.page !== 'style' && target?.page !== 'icon') return undefined
  const context = contextOf(request)
  if (context) context.operation = 'site'
  return send(request, sentOf(assetOf(target)))
}

function assetOf({ page, color }: Extract<Target, { readonly page: 'style' | 'icon' }>): Made {
  return page === 'style'
    ? { status: 200, type: 'text/css; charset=utf-8', text: styleSheet(color ?? defaultColor) }
    : { status: 200, type: 'image/svg+xml', text: icon(color) }
}

/** What programs read. */
function textOf(found: State, { page }: Target): Made | undefined {
  if (page === 'robots') return robots(found)
  return page === 'sitemap' ? sitemap(found) : undefined
}

/** Undefined while the web shop has no address. */
function sitemap({ view, list }: State): Made | undefined {
  const { origin, website } = view
  if (origin === undefined) return undefined
  const texts = (['about', 'imprint'] as const).filter((page) => website[page] !== null).map((page) => `/${page}`)
  const addresses = ['/', '/animals', ...texts, '/privacy', ...list.newest.map(animalAddress)]
  const entries = addresses.map((address) => `<url><loc>${origin}${address}</loc></url>`).join('\n')
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries}\n</urlset>\n`
  return { status: 200, type: 'application/xml; charset=utf-8', text }
}

function robots({ view: { origin } }: State): Made {
  const map = origin === undefined ? '' : `Sitemap: ${origin}/sitemap.xml\n`
  return { status: 200, type: 'text/plain; charset=utf-8', text: `User-agent: *\nAllow: /\n${map}` }
}

/**
 * Scripts and styles inside of pages are not permitted, and nothing is loaded from other hosts. Browsers apply
 * `connect-src` when they read robots.txt to evaluate a page.
 */
const policy =
  "default-src 'none'; img-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

function sentOf({ status, type, text }: Made): Sent {
  const hash = Bun.hash(text).toString(36)
  const identity = Buffer.from(text)
  const represent = (bytes: Uint8Array<ArrayBuffer>, etag: string, coding: Record<string, string>): Representation => ({
    etag,
    body: new Blob([bytes]),
    headers: new Headers({
      'content-type': type,
      'cache-control': cacheControl,
      'content-security-policy': policy,
      'referrer-policy': 'strict-origin-when-cross-origin',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
      etag,
      ...coding,
    }),
  })
  return {
    status,
    identity: represent(identity, `"${hash}"`, {}),
    gzip: represent(Bun.gzipSync(identity), `"${hash}-gzip"`, { 'content-encoding': 'gzip' }),
  }
}

function send(request: Request, { status, ...representations }: Sent): Response {
  const coding = codingOf(request, representations) === 'gzip' ? 'gzip' : 'identity'
  const { etag, headers, body } = representations[coding]
  const isKnown = status === 200 && isCurrent(request.headers.get('if-none-match'), etag, 'perCoding')
  return isKnown ? new Response(null, { status: 304, headers }) : new Response(body, { status, headers })
}

function redirect(location: string): Response {
  return new Response(null, { status: 308, headers: { location, 'cache-control': cacheControl } })
}
