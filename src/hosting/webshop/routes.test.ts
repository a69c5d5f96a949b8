import { afterEach, beforeEach, expect, test } from 'bun:test'
import { imageBytes } from '../../shop/photos/testing/images.ts'
import { openTestStore, type TestStore, testHosting } from '../../testing/harness.ts'

const website = { kind: 'shop', name: 'Paws & Co.', language: 'en' }

let store: TestStore
beforeEach(async () => {
  store = await openTestStore({ hosting: testHosting })
})
afterEach(() => store.close())

const get = () => store.call('GET', '/v1/store/website')
const put = (body: object, headers: Record<string, string> = {}) =>
  store.call('PUT', '/v1/store/website', { body: { ...website, ...body }, headers })
const projects = async () => (await store.call('GET', '/v1/projects')).json
const events = async () =>
  (await store.call('GET', '/v1/events?types=website.*')).json.map(({ data }: { data: object }) => data)

async function addImage(image: string, type = 'image/jpeg') {
  const bytes = new Uint8Array(await imageBytes('jpeg', 600, 400))
  const options = { headers: { 'Content-Type': type }, rawBody: new Blob([bytes]).stream() }
  return store.call('POST', `/v1/store/website/${image}`, options)
}

test('a web shop is created with a project, changed, and deleted without it', async () => {
  expect((await get()).status).toBe(404)
  const created = await put({ phone: '+49 30 123456', color: '#FFEE00', hours: 'Mon 9 to 5\r\nTue closed  ' })
  expect(created.status).toBe(200)
  expect(created.json).toEqual({
    ...{ ...website, projectId: 1, tagline: null, about: null, imprint: null, privacy: null, address: null },
    ...{ phone: '+49 30 123456', email: null, hours: 'Mon 9 to 5\nTue closed', color: '#ffee00', shows: 'all' },
    ...{ logo: null, picture: null, url: 'https://paws-co.stores.example', shown: 0 },
    updatedAt: '2026-11-20T10:15:00.000Z',
  })
  const { json, headers } = await get()
  expect([json, headers.get('etag')]).toEqual([created.json, created.headers.get('etag')])
  expect(await projects()).toMatchObject([{ id: 1, name: 'Paws & Co.', liveDeploy: null, hasWebshop: true }])

  store.clock.advance(1_000)
  const changed = await put({ name: 'Paws', about: '# Us', phone: null }, { 'If-Match': '*' })
  expect(changed.json).toMatchObject({ name: 'Paws', about: '# Us', phone: null, color: '#ffee00', projectId: 1 })
  expect((await put({ name: 'Paws' })).json).toEqual(changed.json)
  // As it was read.
  expect((await put(changed.json)).json).toEqual(changed.json)
  expect((await put({ name: 'X' }, { 'If-Match': created.headers.get('etag') ?? '' })).status).toBe(412)

  expect((await store.call('DELETE', '/v1/store/website')).status).toBe(204)
  expect((await get()).status).toBe(404)
  expect((await store.call('DELETE', '/v1/store/website')).status).toBe(404)
  expect(await projects()).toMatchObject([{ hasWebshop: false }])
  const [first, second, third, ...others] = await events()
  expect(first).toMatchObject({ projectId: 1, updatedAt: '2026-11-20T10:15:00.000Z' })
  expect(second).toEqual({ projectId: 1, changed: ['name', 'about', 'phone'], updatedAt: '2026-11-20T10:15:01.000Z' })
  expect([third.projectId, others]).toEqual([null, []])
  const { json: audit } = await store.call('GET', '/v1/audit')
  expect(audit.map(({ action }: { action: string }) => action).slice(0, 4)).toEqual([
    'website.deleted',
    'website.changed',
    'website.created',
    'project.created',
  ])
})

test('its project is one of the account of the store, and cannot be deleted', async () => {
  const partner = await store.newKey()
  await store.call('POST', '/v1/projects', { body: { name: 'Theirs' }, key: partner.key })
  await store.call('POST', '/v1/projects', { body: { name: 'Ours' } })
  expect(await put({ projectId: 1 })).toMatchObject({ status: 409, json: { code: 'conflict' } })
  expect((await put({ projectId: 9 })).status).toBe(404)
  expect((await put({ projectId: 2 })).json).toMatchObject({ projectId: 2, url: 'https://ours.stores.example' })
  expect((await store.call('DELETE', '/v1/projects/2')).status).toBe(409)
  expect((await put({})).json.projectId).toBe(2)
  await store.call('DELETE', '/v1/store/website')
  expect((await store.call('DELETE', '/v1/projects/2')).status).toBe(204)
})

test('the project of a web shop counts as published, and can have domains without a deploy', async () => {
  await put({})
  expect(store.app.projects.published()).toMatchObject([{ slug: 'paws-co' }])
  const add = () => store.call('POST', '/v1/projects/1/domains', { body: { hostname: 'paws.example.com' } })
  expect((await add()).status).toBe(201)
  await store.call('DELETE', '/v1/projects/1/domains/paws.example.com')
  await store.call('DELETE', '/v1/store/website')
  expect(await add()).toMatchObject({ status: 409, json: { code: 'no_successful_deploy' } })
})

test('what cannot be shown is rejected, with a reason', async () => {
  const cases: readonly (readonly [body: object, message: RegExp])[] = [
    [{ color: 'red' }, /color/],
    [{ color: '#0f6b5g' }, /color/],
    [{ email: 'Ada <ada@paws.example>' }, /email must be one e-mail address/],
    [{ email: '\ud800@paws.example' }, /email must be/],
    [{ hours: `x${'\nx'.repeat(10)}` }, /hours must have at most 10 lines/],
    [{ about: 'x'.repeat(10_001) }, /about/],
    [{ language: 'fr' }, /language/],
    [{ name: ' ' }, /name/],
    [{ logo: 'x', icon: 1 }, /icon/],
  ]
  for (const [body, message] of cases) {
    const { status, json } = await put(body)
    expect([body, status, json.code, message.test(json.message)]).toEqual([body, 400, 'invalid_body', true])
  }
  const reader = await store.newKey()
  expect((await store.call('GET', '/v1/store/website', { key: reader.key })).status).toBe(403)
})

test('it has a logo and a picture, which are served like photos until they are deleted', async () => {
  const serve = async (address: string) =>
    (await store.app.photoResponder(new Request(`http://localhost${address}`)))?.status
  expect((await addImage('logo')).status).toBe(404)
  await put({})
  const { status, json, headers } = await addImage('logo')
  expect([status, headers.get('location')]).toEqual([201, '/v1/store/website'])
  expect(json).toMatchObject({ logo: { width: 600, height: 400 }, picture: null })
  expect(headers.get('etag')).toBe((await get()).headers.get('etag'))
  await addImage('logo')
  await addImage('picture')
  const { logo, picture } = (await get()).json
  expect(logo.id).not.toBe(json.logo.id)
  expect(await serve(logo.large)).toBe(200)
  expect((await store.call('DELETE', '/v1/store/website/logo')).status).toBe(204)
  expect((await store.call('DELETE', '/v1/store/website/logo')).status).toBe(404)
  expect((await get()).json).toMatchObject({ logo: null, picture })
  await store.call('DELETE', '/v1/store/website')
  expect(await serve(picture.large)).toBeUndefined()
  expect((await events()).at(1)).toMatchObject({ changed: ['logo'] })
})

test('a preview shows a change, with the animals of the store, and stores nothing', async () => {
  await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 2 } })
  const preview = (body: object) => store.call('POST', '/v1/store/website/preview', { body: { ...website, ...body } })
  const { status, json } = await preview({ name: 'Katzen & Co.', language: 'de', color: '#ffee00' })
  expect(status).toBe(200)
  expect(json.html).toMatch(/^<!doctype html><html lang="de">.*Katzen &amp; Co\..*Ada.*<\/html>$/s)
  expect(json.html).toContain('/shop/style.css?color=ffee00')
  expect((await get()).status).toBe(404)
  await put({ tagline: 'Since 1999' })
  expect((await preview({})).json.html).toContain('Since 1999')
})

test('a German web shop without an Impressum needs attention', async () => {
  const kinds = async () =>
    (await store.call('GET', '/v1/overview')).json.attention.map(({ kind }: { kind: string }) => kind)
  await put({})
  expect(await kinds()).not.toContain('imprint_missing')
  await put({ language: 'de' })
  expect(await kinds()).toContain('imprint_missing')
  await put({ language: 'de', imprint: 'Paws, Hauptstraße 1' })
  expect(await kinds()).not.toContain('imprint_missing')
})
