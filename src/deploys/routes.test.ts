import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Scope } from '../keys/rules.ts'
import { emptyFolder } from '../testing/executable.ts'
import { openTestStore, type TestStore } from '../testing/harness.ts'
import { deployJobs } from './jobs.ts'
import { filesBelow } from './testing/site.ts'
import { buildTar } from './testing/tar.ts'
import { buildZip } from './testing/zip.ts'

let folder: ReturnType<typeof emptyFolder>
let store: TestStore
beforeEach(async () => {
  folder = emptyFolder()
  store = await openTestStore({ databasePath: join(folder.path, 'production.db') })
})
afterEach(async () => {
  await store.close()
  folder.remove()
})

const zipOf = (files: Readonly<Record<string, string>>) =>
  buildZip(Object.entries(files).map(([name, content]) => ({ name, content })))

interface SendOptions {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly type?: string
}

const send = (project: number, archive: Uint8Array, { key = store.key, headers, type }: SendOptions = {}) =>
  store.call('POST', `/v1/projects/${project}/deploys`, {
    key,
    headers: { 'Content-Type': type ?? 'application/zip', ...headers },
    rawBody: new Blob([archive as Uint8Array<ArrayBuffer>]),
  })
const deploy = (files: Readonly<Record<string, string>>, options: SendOptions & { project?: number } = {}) =>
  send(options.project ?? 1, zipOf(files), options)
const createProject = async (name = 'Paws', key = store.key) =>
  (await store.call('POST', '/v1/projects', { key, body: { name } })).json
const liveDeploy = async () => (await store.call('GET', '/v1/projects/1')).json.liveDeploy
const list = async (path = '/v1/projects/1/deploys') => (await store.call('GET', path)).json
const auditActions = async () =>
  (await store.call('GET', '/v1/audit?limit=100')).json
    .filter(({ action }: { action: string }) => action.startsWith('deploy.'))
    .map(({ action, actor, details }: Record<string, unknown>) => ({ action, actor, details }))

/** Everything that deploys keep: stored files, temporary ones included, and rows. */
function kept() {
  using database = new Database(join(folder.path, 'production.db'), { readonly: true })
  const rows = ['deploys', 'deploy_files', 'account_contents'].map(
    (table) => database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n,
  )
  return { files: filesBelow(join(folder.path, 'production-files')), rows, bytes: store.app.deployFiles.bytesOf(1) }
}

const runJob = (name: string) =>
  deployJobs(store.app)
    .find((job) => job.name === name)
    ?.run(new AbortController().signal)

test('a deploy is created and live, and is fetched and listed', async () => {
  await createProject()
  expect(await liveDeploy()).toBeNull()
  const made = await deploy({ 'index.html': '<h1>Paws</h1>', 'a/b.txt': 'text' })
  const time = new Date(store.clock.now()).toISOString()
  const expected = {
    id: 1,
    projectId: 1,
    createdAt: time,
    createdBy: 'key:1',
    fileCount: 2,
    bytes: 17,
    isLive: true,
    liveAt: time,
    promotedAt: null,
  }
  expect([made.status, made.json]).toEqual([201, expected])
  const path = '/v1/projects/1/deploys/1'
  expect(made.headers.get('location')).toBe(path)
  const found = await store.call('GET', path)
  expect([found.json, found.headers.get('etag')]).toEqual([expected, made.headers.get('etag')])
  expect([await list(), await liveDeploy()]).toEqual([[expected], { id: 1, createdAt: time }])
  expect(await auditActions()).toEqual([
    { action: 'deploy.created', actor: 'key:1', details: { projectId: 1, deployId: 1, fileCount: 2, bytes: 17 } },
  ])
  const file = store.app.deployFiles.find(1, 'a/b.txt')
  expect(await Bun.file(store.app.files.pathOf(file?.hash ?? '')).text()).toBe('text')
})

test('a tar.gz is deployed like a zip', async () => {
  await createProject()
  const archive = gzipSync(buildTar([{ name: 'site/index.html', content: 'hi' }]))
  const made = await send(1, archive, { type: 'application/gzip' })
  expect([made.status, made.json]).toMatchObject([201, { fileCount: 1, bytes: 2 }])
  expect(store.app.deployFiles.find(1, 'index.html')).toMatchObject({ contentType: 'text/html; charset=utf-8' })
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
  const own = await store.newKey()
  await createProject('Paws', own.key)
  const before = kept()
  const stranger = await store.newKey()
  for (const [project, key] of [
    [2, store.key],
    [1, stranger.key],
  ] as const) {
    const response = await deploy({ 'index.html': 'x' }, { project, key })
    expect(response.json).toEqual({ code: 'not_found', message: `There is no project ${project}.`, status: 404 })
    expect(kept()).toMatchObject({ rows: before.rows })
  }
  for (const path of ['/v1/projects/1/deploys', '/v1/projects/1/deploys/1']) {
    expect((await store.call('GET', path, { key: stranger.key })).status).toBe(404)
  }
  expect((await deploy({ 'index.html': 'x' }, { key: own.key })).status).toBe(201)
  expect((await deploy({ 'index.html': 'y' })).status).toBe(201)
  expect((await store.call('GET', '/v1/projects/1/deploys', { key: own.key })).json).toHaveLength(2)
})

test('size, media type and scope are checked before the archive', async () => {
  await createProject()
  const archive = Buffer.from('no archive')
  const { key } = await store.newKey({ scopes: ['projects:read'] as Scope[] })
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
  store.clock.advance(60_000)
  const promoteFirst = (headers = {}) => store.call('POST', '/v1/projects/1/deploys/1/promote', { headers })
  expect((await promoteFirst({ 'If-Match': old.headers.get('etag') ?? '' })).json.code).toBe('precondition_failed')
  const promoted = await promoteFirst({ 'Idempotency-Key': 'roll back' })
  const time = new Date(store.clock.now()).toISOString()
  expect([promoted.status, promoted.json]).toEqual([200, { ...old.json, liveAt: time, promotedAt: time }])
  expect(await list()).toMatchObject([
    { id: 2, isLive: false },
    { id: 1, isLive: true },
  ])
  expect(await liveDeploy()).toMatchObject({ id: 1 })
  expect((await promoteFirst()).json).toEqual(promoted.json)
  expect((await promoteFirst({ 'Idempotency-Key': 'roll back' })).headers.get('idempotent-replayed')).toBe('true')
  expect((await store.call('POST', '/v1/projects/1/deploys/2/promote')).json).toMatchObject({ id: 2, isLive: true })
  expect((await auditActions()).slice(0, 2)).toMatchObject([
    { action: 'deploy.promoted', details: { projectId: 1, deployId: 2, previousDeployId: 1 } },
    { action: 'deploy.promoted', details: { projectId: 1, deployId: 1, previousDeployId: 2 } },
  ])
  await createProject('Claws')
  for (const path of ['/v1/projects/2/deploys/1', '/v1/projects/1/deploys/3']) {
    expect((await store.call('POST', `${path}/promote`)).json).toMatchObject({ code: 'not_found', status: 404 })
    expect((await store.call('GET', path)).status).toBe(404)
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

test('deploys of one account at once are all made, and the last one that arrived is live', async () => {
  await createProject()
  await createProject('Claws')
  const made = await Promise.all(
    [1, 2, 3, 4].map((n) => deploy({ 'index.html': `version ${n}` }, { project: n === 4 ? 2 : 1 })),
  )
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  const deploys = await list()
  expect(deploys.filter(({ isLive }: { isLive: boolean }) => isLive)).toHaveLength(1)
  expect(deploys[0].isLive).toBe(true)
  expect(kept().rows).toEqual([4, 4, 4])
})

test('an account has at most four deploys at work, and another account is not affected', async () => {
  const own = await store.newKey()
  await createProject('Paws', own.key)
  await createProject('Claws')
  const controllers: ReadableStreamDefaultController<Uint8Array>[] = []
  const archive = zipOf({ 'index.html': 'x' })
  const open = Array.from({ length: 4 }, (_, n) => {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void controllers.push(controller) })
    const headers = { 'Content-Type': 'application/zip', ...(n === 1 && { 'Idempotency-Key': 'twin' }) }
    return store.call('POST', '/v1/projects/1/deploys', { key: own.key, headers, rawBody: body })
  })
  await Bun.sleep(0)
  expect((await deploy({ 'index.html': 'x' }, { key: own.key })).json).toMatchObject({ code: 'conflict', status: 409 })
  for (const [idempotencyKey, code] of [
    ['twin', 'idempotency_in_progress'],
    ['other', 'conflict'],
  ] as const) {
    const headers = { 'Content-Type': 'application/zip', 'Idempotency-Key': idempotencyKey }
    const sent = { key: own.key, headers, rawBody: new Blob([new Uint8Array(archive)]) }
    expect((await store.call('POST', '/v1/projects/1/deploys', sent)).json).toMatchObject({ code })
  }
  expect((await deploy({ 'index.html': 'x' }, { project: 2 })).status).toBe(201)
  for (const controller of controllers) {
    controller.enqueue(archive)
    controller.close()
  }
  for (const response of open) expect((await response).status).toBe(201)
  expect((await deploy({ 'index.html': 'x' }, { key: own.key })).status).toBe(201)
})

test('the live deploy and the ten that were live before it are kept, with their files', async () => {
  await createProject()
  for (let n = 1; n <= 11; n++) await deploy({ 'index.html': `version ${n}`, 'same.txt': 'same' })
  await store.call('POST', '/v1/projects/1/deploys/1/promote')
  expect((await list()).map(({ id }: { id: number }) => id)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  for (let n = 12; n <= 14; n++) await deploy({ 'index.html': `version ${n}`, 'same.txt': 'same' })
  expect((await list()).map(({ id }: { id: number }) => id)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 1])
  expect((await store.call('POST', '/v1/projects/1/deploys/2/promote')).status).toBe(404)
  await runJob('delete removed deploys')
  expect(kept().rows).toEqual([11, 22, 12])
  store.clock.setWall(Date.now() + 2 * 3_600_000)
  await runJob('delete files that no deploy has')
  expect(kept().files).toHaveLength(12)
})

test('a deleted project takes its deploys along, and a deploy for it that is at work leaves nothing', async () => {
  await createProject()
  await deploy({ 'index.html': 'one' })
  await store.call('DELETE', '/v1/projects/1')
  expect((await store.call('GET', '/v1/projects/1/deploys')).status).toBe(404)
  await runJob('delete removed deploys')
  expect(kept()).toMatchObject({ rows: [0, 0, 0], bytes: 0 })
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`${n}.txt`, `file ${n}`]))
  for (const pause of [1, 5, 20, 60]) {
    const { id } = await createProject('Claws')
    const deploying = deploy(many, { project: id })
    await Bun.sleep(pause)
    expect((await store.call('DELETE', `/v1/projects/${id}`)).status).toBe(204)
    expect([201, 404]).toContain((await deploying).status)
    await runJob('delete removed deploys')
    expect(kept()).toMatchObject({ rows: [0, 0, 0], bytes: 0 })
  }
})

test('deploys are listed in pages, the newest first', async () => {
  await createProject()
  for (let n = 1; n <= 5; n++) await deploy({ 'index.html': `version ${n}` })
  const first = await store.call('GET', '/v1/projects/1/deploys?limit=3')
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  expect(next).toStartWith('/v1/projects/1/deploys?limit=3&cursor=')
  const second = await store.call('GET', next)
  const ids = [...first.json, ...second.json].map(({ id }: { id: number }) => id)
  expect([ids, second.headers.get('link')]).toEqual([[5, 4, 3, 2, 1], null])
})

test('a deploy that a killed process has prepared is not shown, and is deleted after an hour', async () => {
  await createProject()
  await deploy({ 'index.html': 'one' })
  const { app, clock } = store
  const before = kept()
  const id = await app.writer.write(() =>
    app.deploys.begin({
      projectId: 1,
      accountId: 1,
      createdAt: clock.now(),
      createdBy: 'command',
      fileCount: 2,
      bytes: 10,
    }),
  )
  const file = { path: 'a.txt', hash: 'a'.repeat(64), size: 5, contentType: '', modifiedMs: 0 }
  await app.writer.write(() => app.deployFiles.add({ id, accountId: 1 }, [file, { ...file, path: 'b.txt' }]))
  expect((await list()).map((one: { id: number }) => one.id)).toEqual([1])
  expect((await store.call('POST', `/v1/projects/1/deploys/${id}/promote`)).status).toBe(404)
  clock.setWall(clock.now() + 3_599_000)
  await runJob('delete removed deploys')
  expect(kept().rows).toEqual([2, 3, 2])
  clock.setWall(clock.now() + 2_000)
  await runJob('delete removed deploys')
  expect(kept()).toEqual(before)
})

test('a deploy that is at work when the service stops leaves nothing but the live one', async () => {
  await createProject()
  await deploy({ 'index.html': 'one' })
  const before = kept()
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`${n}.txt`, `file ${n}`]))
  const deploying = deploy(many)
  while (kept().rows[0] === 1) await Bun.sleep(1)
  const closing = store.close()
  expect((await deploying).json).toMatchObject({ code: 'storage_unavailable', status: 503 })
  await closing
  store = await openTestStore({ databasePath: join(folder.path, 'production.db') })
  expect(kept()).toMatchObject({ rows: before.rows, bytes: before.bytes })
})

describe('the space of an account', () => {
  const megabyte = 1_048_576
  /** Makes a deploy larger without storing anything. Equal letters stand for equal contents. */
  const enlarge = (id: number, letter: string, megabytes: number) =>
    store.app.writer.write(() =>
      store.app.deployFiles.add({ id, accountId: 1 }, [
        { path: `${letter}.bin`, hash: letter.repeat(64), size: megabytes * megabyte, contentType: '', modifiedMs: 0 },
      ]),
    )
  const ids = async () => (await list()).map(({ id }: { id: number }) => id)

  test('beyond 1 GiB the oldest deploys that nobody promoted make room, as few as are needed', async () => {
    await createProject()
    for (let n = 1; n <= 5; n++) await deploy({ 'index.html': `version ${n}` })
    await store.call('POST', '/v1/projects/1/deploys/1/promote')
    await store.call('POST', '/v1/projects/1/deploys/5/promote')
    await enlarge(1, 'a', 300)
    await enlarge(2, 'b', 300)
    // Its content is also that of a deploy that stays, so removing it gives no room.
    await enlarge(3, 'a', 300)
    await enlarge(4, 'd', 300)
    await enlarge(5, 'e', 300)
    const headers = { 'If-None-Match': '"x"' }
    const made = await deploy({ 'index.html': 'version 6' }, { headers })
    expect([made.status, await ids()]).toEqual([201, [6, 5, 4, 3, 1]])
    await runJob('delete removed deploys')
    expect(store.app.deployFiles.bytesOf(1)).toBeLessThan(1024 * megabyte)
    await enlarge(6, 'f', 300)
    expect([(await deploy({ 'index.html': 'version 7' })).status, await ids()]).toEqual([201, [7, 6, 5, 1]])
  })

  test('a deploy for which no room can be made is rejected, and nothing is removed', async () => {
    await createProject()
    await createProject('Claws')
    for (let n = 1; n <= 3; n++) await deploy({ 'index.html': `version ${n}` })
    await deploy({ 'index.html': 'claws' }, { project: 2 })
    await store.call('POST', '/v1/projects/1/deploys/1/promote')
    await enlarge(1, 'a', 600)
    await enlarge(2, 'b', 300)
    await enlarge(4, 'd', 500)
    const before = kept()
    const response = await deploy({ 'index.html': 'version 5' })
    expect(response.json).toMatchObject({ code: 'payload_too_large', status: 413 })
    expect(response.json.message).toContain('1073741824 is the most')
    expect([kept().rows, await ids()]).toEqual([before.rows, [3, 2, 1]])
    // Another account has space of its own.
    const own = await store.newKey()
    const { id } = await createProject('Tails', own.key)
    expect((await deploy({ 'index.html': 'x' }, { project: id, key: own.key })).status).toBe(201)
    await store.call('DELETE', '/v1/projects/2')
    expect((await deploy({ 'index.html': 'version 5' })).status).toBe(201)
  })
})
