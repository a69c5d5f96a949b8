import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const create = (name: string, { key = store.key } = {}) => store.call('POST', '/v1/projects', { key, body: { name } })

test('the preview of a name says which slug its project would get, and reserves nothing', async () => {
  const preview = (name: string, rest = '') =>
    store.call('GET', `/v1/projects/preview?name=${encodeURIComponent(name)}${rest}`)
  expect((await preview('  Paws & Co. ')).json).toEqual({ slug: 'paws-co', url: null })
  for (const name of ['Paws & Co.', '🐱', 'www', 'https://www.kiosk.example/', 'x'.repeat(100)]) {
    for (const again of [1, 2]) {
      const { slug } = (await preview(name)).json
      expect([again, name, (await create(name)).json.slug]).toEqual([again, name, slug])
    }
  }
  expect((await preview('Taken', '&accountId=1')).status).toBe(200)
  expect((await preview('Taken', '&accountId=99')).json).toMatchObject({ status: 404, code: 'not_found' })
  for (const query of ['', '?name=', '?name=%20', `?name=${'x'.repeat(101)}`, '?name=a&name=b']) {
    expect([query, (await store.call('GET', `/v1/projects/preview${query}`)).status]).toEqual([query, 400])
  }
})

test('the slug of a deleted project is given to its own account again, and to no other', async () => {
  const own = await store.newKey()
  const other = await store.newKey()
  await create('Paws', { key: own.key })
  await store.call('DELETE', '/v1/projects/1', { key: own.key })
  expect((await create('Paws', { key: other.key })).json).toMatchObject({ id: 2, slug: 'paws-2' })
  expect((await create('Paws', { key: own.key })).json).toMatchObject({ id: 3, slug: 'paws' })
  expect((await create('Paws', { key: own.key })).json).toMatchObject({ id: 4, slug: 'paws-3' })
})

test('an account that creates and deletes projects reserves at most 100 slugs, and may use those again', async () => {
  const { app, clock } = store
  const own = await store.newKey()
  const { createProject } = await import('./change.ts')
  const context = { actor: 'system', nowMs: clock.now() } as const
  await app.writer.write(() => {
    for (let n = 0; n < 100; n++) {
      app.projects.remove(createProject(app, { accountId: own.accountId, name: `Shop ${n}` }, context).id)
    }
  })
  const another = await create('Another shop', { key: own.key })
  expect(another.json).toMatchObject({ code: 'conflict', message: expect.stringContaining('100'), status: 409 })
  expect((await create('Shop 7', { key: own.key })).json).toMatchObject({ slug: 'shop-7' })
  expect((await create('Another shop')).status).toBe(201)
})

test('a project renamed away keeps its slug, so that nobody else gets it', async () => {
  await create('Paws')
  await store.call('PATCH', '/v1/projects/1', { body: { name: 'Claws' } })
  expect((await create('Paws')).json).toMatchObject({ slug: 'paws-2' })
  expect((await create('Claws')).json).toMatchObject({ slug: 'claws' })
})

test('the ten thousandth project of one name costs a bounded number of look-ups', async () => {
  const { app, clock } = store
  const { createProject } = await import('./change.ts')
  const { openAccount } = await import('../../access/accounts/open.ts')
  const context = { actor: 'system', nowMs: clock.now() } as const
  let lookUps = 0
  const projects = {
    ...app.projects,
    isFree(slug: string, accountId: number) {
      lookUps++
      return app.projects.isFree(slug, accountId)
    },
  }
  await app.writer.write(() => {
    for (let i = 0; i < 500; i++) {
      const { id } = openAccount(app, { name: 'Shop', plan: 'free', custom: {} }, context)
      for (let n = 0; n < 20; n++) createProject({ ...app, projects }, { accountId: id, name: 'Shop' }, context)
    }
    lookUps = 0
    createProject({ ...app, projects }, { accountId: 1, name: 'Shop' }, context)
  })
  expect(lookUps).toBeLessThanOrEqual(11)
})
