/** The web shop compared with one that keeps nothing in memory. */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { pathOf } from '../../api/target.ts'
import { imageBytes } from '../../shop/photos/testing/images.ts'
import { openTestStore, type TestStore, testHosting } from '../../testing/harness.ts'
import { createWebshop, type Webshop } from './respond.ts'

let store: TestStore
/** The same web shop without a cache. */
let uncached: Webshop
beforeEach(async () => {
  store = await openTestStore({ hosting: testHosting })
  uncached = createWebshop({
    ...store.app,
    hosting: testHosting,
    routes: store.app.domainHosting.routes,
    announcements: { subscribe: () => () => {}, isChanging: () => true },
  })
  await call('PATCH', '/store/settings', { currency: 'EUR' })
  await call('PUT', '/store/website', { kind: 'shop', name: 'Paws', language: 'en', about: 'Us' })
})
afterEach(() => store.close())

async function call(method: string, path: string, body?: object) {
  const { status, json } = await store.call(method, `/v1${path}`, body && { body })
  expect([method, path, status < 300 ? '' : json.message]).toEqual([method, path, ''])
  return json
}

async function upload(path: string, type: string, content: BlobPart) {
  const options = { headers: { 'Content-Type': type }, rawBody: new Blob([content]) }
  expect((await store.call('POST', `/v1${path}`, options)).status).toBe(201)
}
const addImage = async (path: string, width: number) =>
  upload(path, 'image/jpeg', new Uint8Array(await imageBytes('jpeg', width, 40)))

const requestOf = (path: string, headers: Record<string, string> = {}) =>
  new Request(`http://paws.stores.example${path}`, { headers })

async function read(response: Response | Promise<Response>) {
  const { status, headers } = await response
  return { status, etag: headers.get('etag') ?? '', text: await (await response).text() }
}
type Visit = Awaited<ReturnType<typeof read>>

function visit(path: string, etag = ''): Promise<Visit> {
  const site = store.app.sites.ofSlug('paws')?.site ?? (() => Response.error())
  return read(site(requestOf(path, { 'if-none-match': etag })))
}

function visitUncached(path: string): Promise<Visit> {
  const request = requestOf(path)
  return read(uncached.respond(request, pathOf(request.url).slice(1)) ?? uncached.notFound(request))
}

test('every change is seen by the next request of every page, and no earlier copy counts as current', async () => {
  const website = { kind: 'shop', name: 'Paws', language: 'en' }
  const [pet, profile, photo] = ['/pets/1', '/pets/1/profile', '/pets/1/photos/1']
  await call('POST', '/categories', { name: 'Rabbits' })
  for (const name of ['Ada', 'Bea']) await call('POST', '/pets', { name, categoryId: 7 })
  await call('PATCH', profile, { birthDate: '2026-11-18' })
  for (const width of [50, 60]) await addImage('/pets/1/photos', width)
  const paths = ['/', '/animals?category=7', '/about', '/sitemap.xml', '/animals/1/ada', '/animals/2/bea']
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    price: () => call('PATCH', profile, { price: 4_990 }),
    currency: () => call('PATCH', '/store/settings', { currency: 'KWD' }),
    'alternative text': () => call('PATCH', photo, { alt: 'Ada asleep' }),
    'order of photos': () => call('PATCH', photo, { position: 2 }),
    'deleted photo': () => call('DELETE', photo),
    unpublished: () => call('POST', '/pets/profiles/batch', { ids: [1], change: { published: false } }),
    published: () => call('PATCH', profile, { published: true }),
    'renamed category': () => call('PUT', '/categories/7', { name: 'Hares' }),
    'merged category': () => call('POST', '/categories/7/merge', { into: 1 }),
    order: () => call('POST', '/store/orders', { petId: 1 }),
    'cancelled order': () => call('POST', '/store/orders/1/cancel'),
    sold: () => call('POST', '/pets/batch', { ids: [1], change: { status: 'sold' } }),
    available: () => call('PATCH', pet, { status: 'available' }),
    deleted: () => call('DELETE', pet),
    restored: () => call('POST', `${pet}/restore`),
    import: () => upload('/imports', 'text/csv', 'name,category\nCleo,Cat\n'),
    'undone import': () => call('DELETE', '/imports/1'),
    picture: () => addImage('/store/website/picture', 70),
    'no picture': () => call('DELETE', '/store/website/picture'),
    'only with photo': () => call('PUT', '/store/website', { ...website, shows: 'withPhoto' }),
    'renamed shop': () => call('PUT', '/store/website', { ...website, name: 'Claws' }),
    'next day': async () => store.clock.advance(86_400_000),
    'removed text': () => call('PUT', '/store/website', { ...website, about: null }),
  }
  for (const [name, change] of Object.entries(changes)) {
    const earlier = new Map<string, Visit>()
    for (const path of paths) earlier.set(path, await visit(path))
    await change()
    const changed: string[] = []
    for (const path of paths) {
      const { text, etag } = earlier.get(path) ?? {}
      const now = await visit(path)
      expect([name, path, now]).toEqual([name, path, await visitUncached(path)])
      if (now.text === text) continue
      changed.push(path)
      expect([name, path, await visit(path, etag)]).toEqual([name, path, now])
    }
    expect([name, changed]).not.toEqual([name, []])
  }
})
