import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import type { Scope } from '../../api/scopes.ts'
import { deploysPerTest } from './testing/per-test.ts'
import { buildTar } from './testing/tar.ts'
import { buildZip } from './testing/zip.ts'

const shop = deploysPerTest()
const { send, deploy, createProject, list, kept } = shop
const liveDeploy = async () => (await shop.store.call('GET', '/v1/projects/1')).json.liveDeploy
const auditActions = async () =>
  (await shop.store.call('GET', '/v1/audit?limit=100')).json
    .filter(({ action }: { action: string }) => action.startsWith('deploy.'))
    .map(({ action, actor, details }: Record<string, unknown>) => ({ action, actor, details }))

test('a deploy is created and live, and is fetched and listed', async () => {
  await createProject()
  expect(await liveDeploy()).toBeNull()
  const made = await deploy({ 'index.html': '<h1>Paws</h1>', 'a/b.txt': 'text' })
  const time = new Date(shop.store.clock.now()).toISOString()
  const expected = {
    id: 1,
    projectId: 1,
    createdAt: time,
    createdBy: 'key:1',
    fileCount: 2,
    bytes: 17,
    hasHomePage: true,
    isLive: true,
    liveAt: time,
    promotedAt: null,
  }
  expect([made.status, made.json]).toEqual([201, expected])
  const path = '/v1/projects/1/deploys/1'
  expect(made.headers.get('location')).toBe(path)
  const found = await shop.store.call('GET', path)
  expect([found.json, found.headers.get('etag')]).toEqual([expected, made.headers.get('etag')])
  expect([await list(), await liveDeploy()]).toEqual([[expected], { id: 1, createdAt: time }])
  expect(await auditActions()).toEqual([
    { action: 'deploy.created', actor: 'key:1', details: { projectId: 1, deployId: 1, fileCount: 2, bytes: 17 } },
  ])
  const file = shop.store.app.deployFiles.find(1, 'a/b.txt')
  expect(await Bun.file(shop.store.app.files.pathOf(file?.hash ?? '')).text()).toBe('text')
})

test('a website without a home page is live, and the deploy says so', async () => {
  await createProject()
  const { status, json } = await deploy({ 'about.html': 'a', 'docs/index.html': 'docs' })
  expect([status, json.hasHomePage, json.isLive]).toEqual([201, false, true])
  // The folder around everything is left out.
  expect((await deploy({ 'docs/index.html': 'docs' })).json.hasHomePage).toBe(true)
  expect((await list()).map((one: { hasHomePage: boolean }) => one.hasHomePage)).toEqual([true, false])
  const promoted = await shop.store.call('POST', '/v1/projects/1/deploys/1/promote')
  expect(promoted.json.hasHomePage).toBe(false)
})

test('a tar.gz is deployed like a zip', async () => {
  await createProject()
  const archive = gzipSync(buildTar([{ name: 'site/index.html', content: 'hi' }]))
  const made = await send(1, archive, { type: 'application/gzip' })
  expect([made.status, made.json]).toMatchObject([201, { fileCount: 1, bytes: 2 }])
  expect(shop.store.app.deployFiles.find(1, 'index.html')).toMatchObject({ contentType: 'text/html; charset=utf-8' })
})

test('a rejected archive is `invalid_body`, and leaves no file, no row and the live deploy as it is', async () => {
  await createProject()
  await deploy({ 'index.html': 'one' })
  const before = kept()
  const rejected: readonly (readonly [Uint8Array, string])[] = [
    [
      buildZip([
        { name: 'good.txt', content: 'x' },
        { name: '../evil', content: 'y' },
      ]),
      'leads out of the archive',
    ],
    [
      buildZip([
        { name: 'good.txt', content: 'x' },
        { name: 'link', mode: 0o120777, content: '/etc' },
      ]),
      'symbolic link',
    ],
    [
      buildZip([
        { name: 'a.txt', content: 'x' },
        { name: 'A.TXT', content: 'y' },
      ]),
      'case alone',
    ],
    [buildZip([{ name: 'bomb', content: 'x', size: 600 * 1_048_576 }]), 'bytes when unpacked'],
    [buildZip([]), 'no files to serve'],
    [Buffer.from('this is no archive'), 'damaged or no zip archive'],
    [new Uint8Array(), 'damaged or no zip archive'],
  ]
  for (const [archive, reason] of rejected) {
    const response = await send(1, archive)
    expect([reason, response.status, response.json]).toEqual([
      reason,
      400,
      { code: 'invalid_body', message: expect.stringContaining(reason), status: 400 },
    ])
    expect([reason, kept()]).toEqual([reason, before])
  }
  expect(await liveDeploy()).toMatchObject({ id: 1 })
  expect((await auditActions()).length).toBe(1)
})

test('a deploy for a project that is not found leaves nothing', async () => {
  const own = await shop.store.newKey()
  await createProject('Paws', own.key)
  const before = kept()
  const stranger = await shop.store.newKey()
  for (const [project, key] of [
    [2, shop.store.key],
    [1, stranger.key],
  ] as const) {
    const response = await deploy({ 'index.html': 'x' }, { project, key })
    expect(response.json).toEqual({ code: 'not_found', message: `There is no project ${project}.`, status: 404 })
    expect(kept()).toMatchObject({ rows: before.rows })
  }
  for (const path of ['/v1/projects/1/deploys', '/v1/projects/1/deploys/1']) {
    expect((await shop.store.call('GET', path, { key: stranger.key })).status).toBe(404)
  }
  expect((await deploy({ 'index.html': 'x' }, { key: own.key })).status).toBe(201)
  expect((await deploy({ 'index.html': 'y' })).status).toBe(201)
  expect((await shop.store.call('GET', '/v1/projects/1/deploys', { key: own.key })).json).toHaveLength(2)
})

test('size, media type and scope are checked before the archive', async () => {
  await createProject()
  const archive = Buffer.from('no archive')
  const { key } = await shop.store.newKey({ scopes: ['projects:read'] as Scope[] })
  expect((await send(1, archive, { key })).json).toMatchObject({ code: 'insufficient_scope', status: 403 })
  const declared = { 'Content-Length': String(101 * 1_048_576) }
  expect((await send(1, archive, { headers: declared, type: 'text/plain' })).json).toMatchObject({
    code: 'payload_too_large',
    message: 'The body has more than 104857600 bytes.',
  })
  expect((await send(1, archive, { type: 'text/plain' })).json).toMatchObject({ code: 'unsupported_media_type' })
  expect((await send(1, archive, { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(415)
  // 400 comes before 404.
  expect((await send(9, archive)).json).toMatchObject({ code: 'invalid_body' })
  const long = { 'Idempotency-Key': 'x'.repeat(300) }
  expect((await send(1, archive, { headers: long })).json).toMatchObject({ code: 'invalid_parameter' })
})

test('an earlier deploy is promoted, and the one that was live can be promoted again', async () => {
  await createProject()
  const old = await deploy({ 'index.html': 'one' })
  await deploy({ 'index.html': 'two' })
  expect(await list()).toMatchObject([
    { id: 2, isLive: true },
    { id: 1, isLive: false },
  ])
  shop.store.clock.advance(60_000)
  const promoteFirst = (headers = {}) => shop.store.call('POST', '/v1/projects/1/deploys/1/promote', { headers })
  expect((await promoteFirst({ 'If-Match': old.headers.get('etag') ?? '' })).json.code).toBe('precondition_failed')
  const promoted = await promoteFirst({ 'Idempotency-Key': 'roll back' })
  const time = new Date(shop.store.clock.now()).toISOString()
  expect([promoted.status, promoted.json]).toEqual([200, { ...old.json, liveAt: time, promotedAt: time }])
  expect(await list()).toMatchObject([
    { id: 2, isLive: false },
    { id: 1, isLive: true },
  ])
  expect(await liveDeploy()).toMatchObject({ id: 1 })
  expect((await promoteFirst()).json).toEqual(promoted.json)
  expect((await promoteFirst({ 'Idempotency-Key': 'roll back' })).headers.get('idempotent-replayed')).toBe('true')
  expect((await shop.store.call('POST', '/v1/projects/1/deploys/2/promote')).json).toMatchObject({
    id: 2,
    isLive: true,
  })
  expect((await auditActions()).slice(0, 2)).toMatchObject([
    { action: 'deploy.promoted', details: { projectId: 1, deployId: 2, previousDeployId: 1 } },
    { action: 'deploy.promoted', details: { projectId: 1, deployId: 1, previousDeployId: 2 } },
  ])
  await createProject('Claws')
  for (const path of ['/v1/projects/2/deploys/1', '/v1/projects/1/deploys/3']) {
    expect((await shop.store.call('POST', `${path}/promote`)).json).toMatchObject({ code: 'not_found', status: 404 })
    expect((await shop.store.call('GET', path)).status).toBe(404)
  }
})

test('an upload sent again with its Idempotency-Key deploys nothing', async () => {
  await createProject()
  const headers = { 'Idempotency-Key': 'one' }
  const first = await deploy({ 'index.html': 'one' }, { headers })
  const again = await deploy({ 'index.html': 'one' }, { headers })
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
  expect((await deploy({ 'index.html': 'two' }, { headers })).json).toMatchObject({ code: 'idempotency_key_reused' })
  expect(await list()).toHaveLength(1)
  expect((await send(1, Buffer.from('x'), { headers: { 'Idempotency-Key': 'bad' } })).status).toBe(400)
  expect((await deploy({ 'index.html': 'two' }, { headers: { 'Idempotency-Key': 'bad' } })).status).toBe(201)
})

test('deploys are listed in pages, the newest first', async () => {
  await createProject()
  for (let n = 1; n <= 5; n++) await deploy({ 'index.html': `version ${n}` })
  const first = await shop.store.call('GET', '/v1/projects/1/deploys?limit=3')
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  expect(next).toStartWith('/v1/projects/1/deploys?limit=3&cursor=')
  const second = await shop.store.call('GET', next)
  const ids = [...first.json, ...second.json].map(({ id }: { id: number }) => id)
  expect([ids, second.headers.get('link')]).toEqual([[5, 4, 3, 2, 1], null])
})
