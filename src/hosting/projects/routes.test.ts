import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Scope } from '../../api/scopes.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { openTestStore, type TestStore, testHosting, testStart } from '../../testing/harness.ts'
import { noCertificate } from '../domains/state.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const create = (name: string, options: { key?: string; accountId?: number; headers?: Record<string, string> } = {}) => {
  const { key = store.key, accountId, headers = {} } = options
  return store.call('POST', '/v1/projects', { key, headers, body: { name, accountId } })
}
const auditLog = async () => (await store.call('GET', '/v1/audit?limit=100')).json
const projectEntries = async () =>
  (await auditLog()).filter(({ action }: { action: string }) => action.startsWith('project.'))

test('a project is created, fetched, renamed and deleted', async () => {
  const made = await create('  Paws & Co. ')
  const project = {
    id: 1,
    accountId: 1,
    name: 'Paws & Co.',
    slug: 'paws-co',
    cnameTarget: null,
    url: null,
    liveDeploy: null,
    hasWebshop: false,
    certificate: null,
    createdAt: new Date(store.clock.now()).toISOString(),
  }
  expect([made.status, made.json]).toEqual([201, project])
  const path = made.headers.get('location') ?? ''
  const found = await store.call('GET', path)
  expect([found.text, found.headers.get('etag')]).toEqual([made.text, made.headers.get('etag')])
  store.clock.advance(5_000)
  const renamed = await store.call('PATCH', path, { body: { name: 'Claws', slug: 'x', accountId: 2, id: 9 } })
  expect([renamed.status, renamed.json]).toEqual([200, { ...project, name: 'Claws' }])
  expect((await store.call('GET', '/v1/projects')).json).toEqual([{ ...project, name: 'Claws' }])
  expect((await store.call('DELETE', path)).status).toBe(204)
  expect((await store.call('GET', path)).json).toMatchObject({ code: 'not_found', status: 404 })
  expect((await store.call('DELETE', path)).status).toBe(404)
  expect((await store.call('PATCH', path, { body: { name: 'Gone' } })).status).toBe(404)
  expect((await store.call('GET', '/v1/projects')).json).toEqual([])
})

test('the preview needs the scope to create projects, and admin for another account', async () => {
  const statusFor = async (key: string, query = '') =>
    (await store.call('GET', `/v1/projects/preview?name=Paws${query}`, { key })).status
  const reader = await store.newKey({ scopes: ['projects:read'] })
  const writer = await store.newKey({ scopes: ['projects:write'] })
  expect(await statusFor(reader.key)).toBe(403)
  expect(await statusFor(writer.key)).toBe(200)
  expect(await statusFor(writer.key, `&accountId=${writer.accountId}`)).toBe(200)
  expect(await statusFor(writer.key, '&accountId=1')).toBe(403)
})

test('each change is in the audit log, and a change that changes nothing is not', async () => {
  await create('Paws')
  for (const body of [{}, { name: 'Paws' }, { name: ' Paws ' }, { name: 'Claws' }]) {
    expect((await store.call('PATCH', '/v1/projects/1', { body })).status).toBe(200)
  }
  await store.call('DELETE', '/v1/projects/1')
  const common = { actor: 'key:1', accountId: 1, keyId: null }
  const claws = { projectId: 1, name: 'Claws', slug: 'paws' }
  expect(await projectEntries()).toMatchObject([
    { ...common, action: 'project.deleted', details: claws },
    { ...common, action: 'project.changed', details: claws },
    { ...common, action: 'project.created', details: { projectId: 1, name: 'Paws', slug: 'paws' } },
  ])
})

test('a project of another account is not found, and admin sees all', async () => {
  const own = await store.newKey()
  const other = await store.newKey()
  const project = (await create('Paws', { key: own.key })).json
  expect(project.accountId).toBe(own.accountId)
  for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const) {
    const options = { key: other.key, ...(body ? { body } : {}) }
    const response = await store.call(method, '/v1/projects/1', options)
    expect(response.json).toEqual({ code: 'not_found', message: 'There is no project 1.', status: 404 })
    const unknown = await store.call(method, '/v1/projects/2', options)
    expect(unknown.json).toEqual({ ...response.json, message: 'There is no project 2.' })
  }
  const list = async (key: string) => (await store.call('GET', '/v1/projects', { key })).json
  // Twice, because the second response may come from the cache.
  for (let i = 0; i < 2; i++) {
    expect([await list(other.key), await list(own.key), await list(store.key)]).toEqual([[], [project], [project]])
  }
  expect((await store.call('PATCH', '/v1/projects/1', { body: { name: 'Renamed' } })).json.name).toBe('Renamed')
  expect((await list(own.key))[0].name).toBe('Renamed')
  expect((await store.call('DELETE', '/v1/projects/1')).status).toBe(204)
})

test('a key with admin creates a project for another account, any other key only for its own', async () => {
  const partner = await store.newKey()
  const { accountId } = partner
  expect((await create('Paws', { accountId })).json).toMatchObject({ accountId })
  expect((await create('Paws', { key: partner.key, accountId })).status).toBe(201)
  const foreign = await create('Paws', { key: partner.key, accountId: 1 })
  expect(foreign.json).toMatchObject({ code: 'insufficient_scope', status: 403 })
  expect((await create('Paws', { accountId: 999 })).json).toMatchObject({ code: 'not_found', status: 404 })
})

test('each operation on projects needs its scope, and new keys have both', async () => {
  const statuses = async (key: string) => {
    const body = { name: 'Paws' }
    return [
      (await store.call('GET', '/v1/projects', { key })).status,
      (await store.call('GET', '/v1/projects/99', { key })).status,
      (await store.call('POST', '/v1/projects', { key, body })).status,
      (await store.call('PATCH', '/v1/projects/99', { key, body })).status,
      (await store.call('DELETE', '/v1/projects/99', { key })).status,
    ]
  }
  const keyWith = async (...scopes: Scope[]) => (await store.newKey({ scopes })).key
  expect(await statuses(await keyWith('projects:read'))).toEqual([200, 404, 403, 403, 403])
  expect(await statuses(await keyWith('projects:write'))).toEqual([403, 403, 201, 404, 404])
  expect(await statuses(await keyWith('orders:manage'))).toEqual([403, 403, 403, 403, 403])
  expect(await statuses((await store.newKey()).key)).toEqual([200, 404, 201, 404, 404])
})

test('an account has at most 20 projects, even when many are created at once', async () => {
  const { key } = await store.newKey()
  const responses = await Promise.all(Array.from({ length: 30 }, () => create('Paws', { key })))
  const failed = responses.filter(({ status }) => status !== 201)
  expect(failed).toHaveLength(10)
  for (const { json } of failed) expect(json).toMatchObject({ code: 'conflict', status: 409 })
  const projects = (await store.call('GET', '/v1/projects?limit=100', { key })).json as { slug: string }[]
  const slugs = projects.map(({ slug }) => slug)
  expect([slugs.length, new Set(slugs).size]).toEqual([20, 20])
  expect(slugs.slice(0, 9)).toEqual(['paws', ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `paws-${n}`)])
  expect(slugs.slice(9).every((slug) => /^paws-[0-9a-f]{8}$/.test(slug))).toBe(true)
  expect((await create('Other account')).status).toBe(201)
  expect((await store.call('DELETE', '/v1/projects/1', { key })).status).toBe(204)
  expect((await create('Again', { key })).status).toBe(201)
})

test('a creation sent again with its Idempotency-Key creates nothing', async () => {
  const headers = { 'Idempotency-Key': 'one' }
  const first = await create('Paws', { headers })
  const again = await create('Paws', { headers })
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
  expect((await create('Claws', { headers })).json).toMatchObject({ code: 'idempotency_key_reused', status: 422 })
  expect((await store.call('GET', '/v1/projects')).json).toHaveLength(1)
  expect(await projectEntries()).toHaveLength(1)
})

test('a change with an outdated If-Match is rejected and changes nothing', async () => {
  const old = (await create('Paws')).headers.get('etag') ?? ''
  const current = (
    await store.call('PATCH', '/v1/projects/1', { body: { name: 'Claws' }, headers: { 'If-Match': old } })
  ).headers
  const stale = { headers: { 'If-Match': old } }
  expect((await store.call('PATCH', '/v1/projects/1', { body: { name: 'Late' }, ...stale })).status).toBe(412)
  expect((await store.call('DELETE', '/v1/projects/1', stale)).status).toBe(412)
  expect((await store.call('GET', '/v1/projects/1')).json.name).toBe('Claws')
  const etag = current.get('etag') ?? ''
  expect((await store.call('GET', '/v1/projects/1', { headers: { 'If-None-Match': etag } })).status).toBe(304)
  expect((await store.call('DELETE', '/v1/projects/1', { headers: { 'If-Match': etag } })).status).toBe(204)
})

test('an invalid name is rejected', async () => {
  const bodies = [{}, { name: null }, { name: 7 }, { name: ' ' }, { name: 'a\u0000' }, { name: '😀'.repeat(101) }]
  for (const body of bodies) {
    const made = await store.call('POST', '/v1/projects', { body })
    expect(made.json).toMatchObject({ code: 'invalid_body', status: 400 })
  }
  for (const name of ['undefined', 'null', '😀'.repeat(100), '9007199254740991']) {
    expect((await create(name)).json).toMatchObject({ name })
  }
  const change = await store.call('PATCH', '/v1/projects/1', { body: { name: null } })
  expect(change.json).toMatchObject({ code: 'invalid_body' })
})

test('projects are listed in pages', async () => {
  for (let i = 1; i <= 5; i++) await create(`Project ${i}`)
  const first = await store.call('GET', '/v1/projects?limit=3')
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const second = await store.call('GET', next)
  const ids = [...first.json, ...second.json].map(({ id }: { id: number }) => id)
  expect([ids, second.headers.get('link')]).toEqual([[1, 2, 3, 4, 5], null])
})

test('each project has its own token, 128 random bits that no response shows', async () => {
  const folder = emptyFolder()
  const databasePath = join(folder.path, 'production.db')
  const onDisk = await openTestStore({ databasePath })
  const texts: string[] = []
  for (let i = 0; i < 20; i++) {
    texts.push((await onDisk.call('POST', '/v1/projects', { body: { name: 'Paws' } })).text)
  }
  texts.push((await onDisk.call('GET', '/v1/audit?limit=100')).text)
  await onDisk.close()
  const database = new Database(databasePath, { readonly: true })
  const tokens = database.query<{ cname_token: string }, []>('SELECT cname_token FROM projects').all()
  database.close()
  folder.remove()
  const values = tokens.map(({ cname_token }) => cname_token)
  expect(values.filter((token) => !/^[0-9a-f]{32}$/.test(token))).toEqual([])
  expect(new Set(values).size).toBe(20)
  expect(values.filter((token) => texts.some((text) => text.includes(token)))).toEqual([])
})

describe('while hosting is on', () => {
  const queued = { ...noCertificate, status: 'queued' as const, nextAttemptAt: testStart }

  test('a project shows the certificate of its own address', async () => {
    const hosted = await openTestStore({ hosting: testHosting, certificateOf: () => queued })
    const made = await hosted.call('POST', '/v1/projects', { body: { name: 'Paws' } })
    const certificate = {
      status: 'queued',
      expiresAt: null,
      nextAttemptAt: new Date(testStart).toISOString(),
      rateLimitedUntil: null,
      error: null,
    }
    expect(made.json).toMatchObject({ url: 'https://paws.stores.example', certificate })
    expect((await hosted.call('GET', '/v1/projects')).json).toMatchObject([{ certificate }])
    await hosted.close()
  })

  test('a project does not have its own certificate where a proxy ends TLS or a wildcard certificate covers it', async () => {
    for (const options of [{ httpsPort: 'off' as const }, { platformCert: '/cert.pem', platformKey: '/key.pem' }]) {
      const hosted = await openTestStore({ hosting: { ...testHosting, ...options }, certificateOf: () => queued })
      const made = await hosted.call('POST', '/v1/projects', { body: { name: 'Paws' } })
      expect(made.json).toMatchObject({ url: 'https://paws.stores.example', certificate: null })
      await hosted.close()
    }
  })
})
