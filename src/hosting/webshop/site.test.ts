import { afterEach, beforeEach, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { imageBytes } from '../../shop/photos/testing/images.ts'
import { openTestStore, type TestStore, testHosting } from '../../testing/harness.ts'
import { createSiteListener } from '../../testing/site-listener.ts'
import { buildZip } from '../deploys/testing/zip.ts'
import { misdirectedPage } from '../sites/pages.ts'

let store: TestStore
let server: ReturnType<typeof createSiteListener>
beforeEach(async () => {
  store = await openTestStore({ hosting: testHosting })
  server = createSiteListener((name = '') => {
    const [slug = ''] = name.split('.')
    return store.app.sites.ofSlug(slug)?.site ?? (() => misdirectedPage())
  })
  await store.call('PATCH', '/v1/store/settings', { body: { currency: 'EUR' } })
})
afterEach(async () => {
  await server.stop()
  await store.close()
})

const put = (body: object = {}) =>
  store.call('PUT', '/v1/store/website', { body: { kind: 'shop', name: 'Paws', language: 'en', ...body } })

async function addPet(name: string, profile: object = {}, categoryId = 2): Promise<number> {
  const { json } = await store.call('POST', '/v1/pets', { body: { name, categoryId } })
  if (Object.keys(profile).length > 0) await changeProfile(json.id, profile)
  return json.id
}
const changeProfile = (id: number, profile: object) => store.call('PATCH', `/v1/pets/${id}/profile`, { body: profile })
const changePet = (id: number, body: object) => store.call('PATCH', `/v1/pets/${id}`, { body })

async function addPhoto(id: number) {
  const rawBody = new Blob([new Uint8Array(await imageBytes('jpeg', 600, 400))]).stream()
  return (await store.call('POST', `/v1/pets/${id}/photos`, { headers: { 'Content-Type': 'image/jpeg' }, rawBody }))
    .json
}

async function deploy(files: Readonly<Record<string, string>>): Promise<void> {
  const archive = buildZip(Object.entries(files).map(([name, content]) => ({ name, content })))
  const headers = { 'Content-Type': 'application/zip' }
  await store.call('POST', '/v1/projects/1/deploys', { headers, rawBody: new Blob([new Uint8Array(archive)]) })
}

const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  server.send(path, { host: 'paws.stores.example', ...headers }, method)
const page = async (path: string) => {
  const response = await send(path)
  return { status: response.status, html: await response.text() }
}
const statusOf = async (path: string) => (await page(path)).status

test('every page is there, with what it shows, and nothing is on the sites of others', async () => {
  await store.call('POST', '/v1/projects', { body: { name: 'Other' } })
  await store.call('POST', '/v1/projects', { body: { name: 'Paws' } })
  await put({ projectId: 2, about: '# Since 1999', imprint: 'Main Street', email: 'a@paws.example', phone: '030 123' })
  const id = await addPet('Mr. Ünder', { price: 4_990, breed: 'Tabby', number: 'A-1', birthDate: '2024-03' })
  expect((await page('/')).html).toContain(`href="/animals/${id}/mr-under"`)
  expect((await page('/animals')).html).toContain('€49.90')
  const { html } = await page(`/animals/${id}/mr-under`)
  for (const text of ['Tabby', '€49.90', 'A-1', 'about 2 years', 'March 2024', 'href="tel:030123"']) {
    expect(html).toContain(text)
  }
  expect(html).toContain('mailto:a@paws.example?subject=Mr.%20%C3%9Cnder%20(A-1)')
  expect(html).toContain('<link rel="canonical" href="https://paws.stores.example/animals/1/mr-under"/>')
  expect(html).toContain('"price":"49.90","priceCurrency":"EUR","availability":"https://schema.org/InStock"')
  expect((await page('/about')).html).toContain('<h2>Since 1999</h2>')
  expect((await page('/imprint')).html).toContain('Main Street')
  expect((await page('/privacy')).html).toContain('no cookies')
  expect((await page('/robots.txt')).html).toContain('Sitemap: https://paws.stores.example/sitemap.xml')
  expect((await page('/sitemap.xml')).html).toContain(`<loc>https://paws.stores.example/animals/${id}/mr-under</loc>`)
  for (const path of ['/', '/animals', '/shop/style.css', '/sitemap.xml']) {
    expect([path, (await send(path, { host: 'other.stores.example' })).status]).toEqual([path, 404])
  }
})

test('an address has one form, and one where there is nothing is a page with status 404', async () => {
  await put()
  const id = await addPet('Ada')
  for (const path of [`/animals/${id}`, `/animals/${id}/`, `/animals/${id}/ADA`, `/animals/${id}/evil?x=1`]) {
    const response = await send(path)
    expect([path, response.status, response.headers.get('location')]).toEqual([path, 308, `/animals/${id}/ada`])
  }
  const canonical = async (path: string) => /rel="canonical" href="([^"]*)"/.exec((await page(path)).html)?.[1]
  const list = 'https://paws.stores.example/animals'
  expect(await canonical('/animals?page=1&sort=newest&x=%22%3E%3Cscript%3E&category=')).toBe(list)
  expect(await canonical('/animals?sort=price&utm=1&category=2')).toBe(`${list}?category=2&amp;sort=price`)
  for (const path of [
    ...['/about', '/imprint', '/animals/99', '/animals/0', '/animals/99/ada', '/animals/-1', '/animals/1e9'],
    ...['/animals/1/ada/x', '/animals?page=2', '/v1/pets', '/dashboard/', '/openapi.json', '/shop/', '/__proto__'],
    ...['/animals/99999999999999999999', '/.env', '/constructor', '/animals?category=3', '/animals?category=9'],
  ]) {
    const { status, html } = await page(path)
    expect([path, status, html.includes('Page not found')]).toEqual([path, 404, true])
  }
  expect(server.statuses.at(-1)).toBe('GET site 404 not_found')
  expect((await page('/.well-known/acme-challenge/x')).html).not.toContain('Paws')
  expect((await send('/', {}, 'POST')).status).toBe(405)
})

test('no address, however it is written, leads out of the web shop', async () => {
  await put()
  for (const path of [
    ...[
      '/../v1/pets',
      '/animals/1/../../v1/pets',
      '/./v1/pets',
      '//v1/pets',
      '/v1%2fpets',
      '/%76%31/pets',
      '/\\v1\\pets',
    ],
    ...[
      '/..%2fv1/pets',
      '/%2e%2e%2fv1/pets',
      '/%252e%252e/v1',
      '/shop/../metrics',
      '/photos/../dashboard/',
      '/animals%00',
    ],
    ...['/animals%3Fpage=1', '//animals', '/animals//', '/anim%E4ls', '/%C0%AE%C0%AE/', `/${'a/'.repeat(7_000)}`],
  ]) {
    const { status, body } = await server.sendLines(`GET ${path} HTTP/1.1`, 'Host: paws.stores.example')
    expect([path, status, body.includes('Page not found')]).toEqual([path, 404, true])
  }
})

test('a file of the deploy comes first, then the web shop, then the page 404.html', async () => {
  await put()
  const id = await addPet('Ada')
  const { small } = await addPhoto(id)
  await deploy({ 'about.html': 'own page', 'shop/style.css': 'own style', '404.html': 'own 404' })
  expect((await page('/about')).html).toBe('own page')
  expect((await page('/shop/style.css?color=0f6b57')).html).toBe('own style')
  expect((await page('/')).html).toContain('Ada')
  expect(await page('/none')).toEqual({ status: 404, html: 'own 404' })
  const photo = await send(small)
  expect(photo.headers.get('content-type')).toBe('image/webp')
  for (const range of ['bytes=0-9', 'bytes=99999999-']) {
    const whole = await send(small, { range })
    expect([whole.status, whole.headers.get('content-length')]).toEqual([200, photo.headers.get('content-length')])
  }
  await store.call('DELETE', '/v1/store/website')
  expect(await page('/animals')).toEqual({ status: 404, html: 'own 404' })
})

test('a change is seen by the next request, and pages of other days have other ages', async () => {
  await put({ shows: 'all' })
  const id = await addPet('Ada', { birthDate: '2026-11-18', price: 1_000 })
  const path = `/animals/${id}/ada`
  expect((await page(path)).html).toContain('2 days')
  await changeProfile(id, { price: 2_000 })
  expect((await page(path)).html).toContain('€20')
  await changePet(id, { status: 'pending' })
  expect((await page('/')).html).toContain('Reserved')
  await changePet(id, { name: 'Bella' })
  expect(await statusOf(path)).toBe(308)
  await changeProfile(id, { published: false })
  expect(await statusOf(`/animals/${id}/bella`)).toBe(404)
  await changeProfile(id, { published: true })
  await put({ shows: 'withPhoto' })
  expect(await statusOf(`/animals/${id}/bella`)).toBe(404)
  const photo = await addPhoto(id)
  expect((await page(`/animals/${id}/bella`)).html).toContain(photo.large)
  await store.call('DELETE', `/v1/pets/${id}/photos/${photo.id}`)
  await put({ shows: 'all', name: 'Claws' })
  const { html } = await page(`/animals/${id}/bella`)
  expect([html.includes('/photos/'), html.includes('Claws')]).toEqual([false, true])
  store.clock.advance(86_400_000)
  expect((await page(`/animals/${id}/bella`)).html).toContain('3 days')
})

test('the page of a sold animal says so, and is not for search engines, until the animal is deleted', async () => {
  await put({ kind: 'shelter', phone: '030 123' })
  const id = await addPet('Ada', { price: 5_000 })
  await changePet(id, { status: 'sold' })
  const { status, html } = await page(`/animals/${id}/ada`)
  expect([status, html.includes('Ada has found a home.'), html.includes('name="robots" content="noindex"')]).toEqual([
    200,
    true,
    true,
  ])
  expect(html).not.toMatch(/€50|canonical/)
  for (const path of ['/', '/animals', '/sitemap.xml']) expect((await page(path)).html).not.toContain('/ada')
  await store.call('DELETE', `/v1/pets/${id}`)
  expect(await statusOf(`/animals/${id}/ada`)).toBe(404)
})

test('a page has no script, no style and no foreign content, whatever the texts are', async () => {
  const hostile = [
    '"><script>alert(1)</script>',
    '</title></script><img src=x onerror=alert(1)>',
    '\u202eevil\u2066',
    '👩‍👩‍👧‍👦'.repeat(14),
    '{{7*7}} %s',
  ]
  const [first = ''] = hostile
  await put()
  const { status } = await put({
    name: first,
    tagline: first,
    address: first,
    hours: first,
    phone: `030123 ${first}`,
    about: first,
  })
  expect(status).toBe(200)
  await store.call('POST', '/v1/categories', { body: { name: first } })
  for (const [i, name] of hostile.entries()) {
    const attributes = [{ label: first.slice(0, 40), text: first }]
    const values = { breed: name, color: first, number: `${i}${first}`, description: first, attributes, price: 100 }
    await addPet(name, { ...values, microchip: `27609810${i}` }, i === 0 ? 7 : 2)
  }
  await addPet('Secret', { published: false, breed: 'Undisclosed' })
  const { html: home } = await page('/')
  const paths = [
    '/',
    '/animals',
    '/about',
    '/privacy',
    '/none',
    ...[...home.matchAll(/"(\/animals\/[^"]+)"/g)].map(([, to]) => to),
  ]
  expect(paths.length).toBeGreaterThan(9)
  for (const path of paths) {
    const { html } = await page(path ?? '')
    const withoutData = html.replace(/<script type="application\/ld\+json">([^<]*)<\/script>/g, (_, json: string) => {
      expect(JSON.parse(json)['@context']).toBe('https://schema.org')
      return ''
    })
    expect(withoutData).not.toMatch(/<script|<img [^>]*onerror| style=|<style|javascript:|276098|Secret|Undisclosed/i)
    expect(html).not.toMatch(/(?:src|srcset|action)="(?:https?:)?\/\//i)
  }
})

test('headers do not change a page, and it is compressed and revalidated', async () => {
  await put()
  await addPet('Ada')
  const plain = await send('/', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp', cookie: 'a=b' })
  expect(Object.fromEntries(plain.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=0, must-revalidate',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
  })
  expect(plain.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(plain.headers.get('content-security-policy')).not.toContain('unsafe')
  const text = await plain.text()
  expect(text).not.toContain('evil')
  const compressed = await send('/', { 'accept-encoding': 'gzip, br' })
  expect(compressed.headers.get('content-encoding')).toBe('gzip')
  expect(gunzipSync(await compressed.bytes()).toString()).toBe(text)
  const etag = compressed.headers.get('etag') ?? ''
  expect((await send('/', { 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(304)
  const head = await send('/', {}, 'HEAD')
  expect([head.headers.get('content-length'), await head.text()]).toEqual([String(Buffer.byteLength(text)), ''])
})

test('a full page of a list is small, with long texts, photos and many categories too', async () => {
  await put()
  for (let i = 0; i < 25; i++) {
    const id = await addPet(`Animal number ${i}`, {
      breed: 'British Shorthair',
      sex: 'female',
      birthDate: '2024-05-01',
    })
    if (i % 4 === 0) await addPhoto(id)
  }
  const { html } = await page('/animals')
  expect(html.match(/class="card"/g)?.length).toBe(24)
  expect(html.length).toBeLessThan(30_000)
  expect((await page('/animals?page=2')).html.match(/class="card"/g)?.length).toBe(1)
  const rows = Array.from({ length: 500 }, (_, i) => `Animal ${i},Category number ${i}`)
  const headers = { 'Content-Type': 'text/csv' }
  await store.call('POST', '/v1/imports', { headers, rawBody: ['name,category', ...rows].join('\n') })
  expect((await page('/animals')).html.length).toBeLessThan(30_000)
})
