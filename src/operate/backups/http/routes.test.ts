import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { emptyFolder, isBuilt, petstoreCommand as self } from '../../../testing/executable.ts'
import { mountDisk } from '../../../testing/faults.ts'
import { openTestStore, type TestStore, testStart } from '../../../testing/harness.ts'
import { is, serversPerTest, until } from '../../../testing/per-test/server.ts'

let folder: ReturnType<typeof emptyFolder>
let store: TestStore
beforeEach(async () => {
  folder = emptyFolder()
  store = await openTestStore({ databasePath: join(folder.path, 'production.db'), self })
  await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 } })
})
afterEach(async () => {
  await store.close()
  folder.remove()
})

const create = (headers: Record<string, string> = {}) => store.call('POST', '/v1/backups', { headers })
/** The recorded actions on backups, when every write before is done. */
const recorded = async () => {
  await store.app.writer.write(() => {})
  return (await store.call('GET', '/v1/audit?action=backup')).json
}
const pathOf = (name: string) => join(folder.path, 'backups', name)

test('a backup is created, listed, verified and downloaded, and that is recorded', async () => {
  expect((await store.call('GET', '/v1/backups')).json).toEqual([])
  const made = await create()
  expect(made.status).toBe(201)
  const { damagedFiles, ...backup } = made.json
  const { name, bytes } = backup
  expect(damagedFiles).toBe(0)
  expect(made.headers.get('location')).toBe(`/v1/backups/${name}`)
  expect(readFileSync(pathOf(name))).toHaveLength(bytes)
  expect((await store.call('GET', '/v1/backups')).json).toEqual([backup])
  const verified = await store.call('POST', `/v1/backups/${name}/verify`)
  expect(verified.json).toEqual({ name, ok: true, fault: null, animals: 1, orders: 0, keys: 1, damagedFiles: 0 })
  const file = await store.call('GET', `/v1/backups/${name}`)
  expect(file.headers.get('content-type')).toBe('application/x-tar')
  expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${name.replace('.db', '.tar')}"`)
  expect(file.headers.get('cache-control')).toBe('no-store')
  for (const header of ['etag', 'accept-ranges', 'content-length']) expect(file.headers.get(header)).toBeNull()
  expect(await recorded()).toMatchObject([
    { action: 'backup.downloaded', actor: 'key:1', details: { name } },
    { action: 'backup.created', actor: 'key:1', details: { name } },
  ])
}, 60_000)

test('a backup of the schedule is listed, verified and downloaded', async () => {
  const { file } = await store.app.backupWork.schedule({ days: 1, weeks: 0, months: 0 }, testStart)
  const name = basename(file)
  expect((await store.call('GET', '/v1/backups')).json).toMatchObject([{ name, reason: 'scheduled' }])
  expect((await store.call('POST', `/v1/backups/${name}/verify`)).json).toMatchObject({ ok: true, damagedFiles: 0 })
  expect((await store.call('GET', `/v1/backups/${name}`)).status).toBe(200)
}, 60_000)

test('a download is encrypted once the store has a recipient', async () => {
  const { name } = (await create()).json
  await store.app.backupCopies.createKeys(() => {})
  const { headers, text } = await store.call('GET', `/v1/backups/${name}`)
  expect(text).toStartWith('age-encryption.org/v1\n')
  expect(headers.get('content-type')).toBe('application/octet-stream')
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${name.replace('.db', '.tar.age')}"`)
}, 60_000)

test('backups are listed in pages, which a new backup does not shift', async () => {
  const names: string[] = []
  for (let i = 0; i < 3; i++) {
    names.unshift((await create()).json.name)
    store.clock.advance(1_000)
  }
  const first = await store.call('GET', '/v1/backups?limit=1')
  expect(first.json).toMatchObject([{ name: names[0] }])
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  await create()
  const second = await store.call('GET', next.replace('limit=1', 'limit=2'))
  expect(second.json).toMatchObject([{ name: names[1] }, { name: names[2] }])
  expect(second.headers.get('link')).toBeNull()
  expect((await store.call('GET', '/v1/backups?limit=0')).json).toMatchObject({ code: 'invalid_parameter' })
}, 60_000)

test('a download is recorded if the file is sent, and only then; headers for parts and tags are ignored', async () => {
  const { json: made } = await create()
  const path = `/v1/backups/${made.name}`
  const get = (headers: Record<string, string>, method = 'GET') => store.call(method, path, { headers })
  expect((await get({}, 'HEAD')).status).toBe(200)
  expect(await recorded()).toHaveLength(1)
  for (const headers of [{ Range: 'bytes=0-14' }, { 'If-None-Match': '*' }, { 'If-Match': '"other"' }]) {
    expect((await get(headers)).status).toBe(200)
  }
  expect(await recorded()).toHaveLength(4)
}, 60_000)

test('while another process keeps the database locked, a backup is downloaded and verified', async () => {
  const { json: made } = await create()
  const path = `/v1/backups/${made.name}`
  const other = new Database(join(folder.path, 'production.db'))
  other.run('BEGIN IMMEDIATE')
  expect((await store.call('HEAD', path)).status).toBe(200)
  expect((await store.call('GET', path)).status).toBe(200)
  expect((await store.call('POST', `${path}/verify`)).json.ok).toBe(true)
  other.close()
  store.clock.advance(1_000)
  expect(await recorded()).toMatchObject([{ action: 'backup.downloaded' }, { action: 'backup.created' }])
}, 10_000)

test('only names of backups of this environment lead to a file', async () => {
  const { json: made } = await create()
  const { name } = made
  writeFileSync(pathOf('other.db'), 'x')
  writeFileSync(pathOf(name.replace('production', 'staging')), 'x')
  const link = name.replace('Z.db', 'Z-2.db')
  symlinkSync('/etc/passwd', pathOf(link))
  const wrong = [
    'other.db',
    name.replace('production', 'staging'),
    link,
    '.lock',
    '..',
    '%2e%2e%2fproduction.db',
    `..%2fbackups%2f${name}`,
    `${name}%00`,
    `${name}/`,
    'production-20261301T101500Z.db',
    'undefined',
  ]
  for (const one of wrong) {
    expect([one, (await store.call('GET', `/v1/backups/${one}`)).status]).toEqual([one, 404])
    expect([one, (await store.call('POST', `/v1/backups/${one}/verify`)).status]).toEqual([one, 404])
  }
}, 60_000)

test('a reused Idempotency-Key is reported before a backup that does not exist', async () => {
  const headers = { 'Idempotency-Key': 'used' }
  await store.call('POST', '/v1/pets', { body: { name: 'Bea', categoryId: 1 }, headers })
  const verify = (options = {}) =>
    store.call('POST', '/v1/backups/production-20261120T101500Z.db/verify', options).then(({ json }) => json.code)
  expect([await verify({ headers }), await verify()]).toEqual(['idempotency_key_reused', 'not_found'])
})

test('verifying a damaged file reports the damage', async () => {
  const { json: made } = await create()
  const content = readFileSync(pathOf(made.name))
  content[content.length >> 1] = (content[content.length >> 1] ?? 0) ^ 1
  writeFileSync(pathOf(made.name), content)
  const { status, json } = await store.call('POST', `/v1/backups/${made.name}/verify`)
  expect([status, json.ok, json.animals]).toEqual([200, false, null])
  expect(json.fault).toContain('damaged')
}, 60_000)

test('one backup is created at a time, and a repeated request with the same Idempotency-Key creates no second', async () => {
  const headers = { 'Idempotency-Key': 'nightly' }
  const both = await Promise.all([create(headers), create()])
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  const first = both[0]?.status === 201 ? both[0] : await create(headers)
  const again = await create(headers)
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
}, 60_000)

test('a backup that fails says why', async () => {
  writeFileSync(join(folder.path, 'backups'), 'a file in the place of the directory')
  const { status, json } = await create()
  expect([status, json.code]).toEqual([503, 'storage_unavailable'])
  expect(json.message).toContain('No backup was made')
}, 60_000)

test('while the directory of backups cannot be read, requests for backups say so, and the overview works', async () => {
  writeFileSync(join(folder.path, 'backups'), 'a file in the place of the directory')
  for (const path of ['/v1/backups', '/v1/backups/production-20261120T101500Z.db']) {
    const { status, json } = await store.call('GET', path)
    expect([path, status, json.code]).toEqual([path, 503, 'storage_unavailable'])
    expect(json.message).toContain(`${folder.path}/backups can't be read: a part of its path is a file`)
  }
  const { status, json } = await store.call('GET', '/v1/overview')
  expect([status, json.attention]).toMatchObject([200, [{ kind: 'backups_unreadable', id: null, name: null }]])
}, 60_000)

test('a restored store is on hold until that is confirmed, which is recorded', async () => {
  const confirm = async () => (await store.call('POST', '/v1/backups/confirm')).json
  const hold = async () => [
    (await store.call('GET', '/v1/system')).json.heldSince,
    (await store.call('GET', '/v1/overview')).json.attention.map(({ kind }: { kind: string }) => kind),
  ]
  expect(await confirm()).toEqual({ heldSince: null })
  const restoredAt = store.clock.now()
  const since = new Date(restoredAt).toISOString()
  await store.app.writer.write(() => store.app.owner.updateInstallation({ restoredAt }))
  expect(await hold()).toEqual([since, expect.arrayContaining(['restored_elsewhere'])])
  expect(await confirm()).toEqual({ heldSince: since })
  expect(await hold()).toEqual([null, expect.not.arrayContaining(['restored_elsewhere'])])
  expect(await confirm()).toEqual({ heldSince: null })
  expect(await recorded()).toMatchObject([{ action: 'backup.confirmed', actor: 'key:1' }])
})

test('a store in memory has no backups', async () => {
  const memory = await openTestStore({ self })
  expect((await memory.call('GET', '/v1/backups')).json).toEqual([])
  expect((await memory.call('POST', '/v1/backups')).json).toMatchObject({ code: 'conflict', status: 409 })
  expect((await memory.call('GET', '/v1/backups/production-20261120T101500Z.db')).status).toBe(404)
  await memory.close()
})

describe.skipIf(!isBuilt || !mountDisk.isPossible)('on a full disk', () => {
  const { data, serve, cleanUp } = serversPerTest()

  test('a backup is downloaded and verified, and the log of the service names the download', async () => {
    const disk = mountDisk(data(), 20_000_000)
    cleanUp(() => disk.unmount())
    const server = await serve()
    const { name } = (await (await server.send('POST', '/v1/backups')).json()) as { name: string }
    disk.fill()
    await until(() => server.add('Rex'), is(503))
    const file = await server.send('GET', `/v1/backups/${name}`)
    expect([file.status, (await file.bytes()).slice(-1_024).every((byte) => byte === 0)]).toEqual([200, true])
    const verified = await server.send('POST', `/v1/backups/${name}/verify`)
    expect([verified.status, await verified.json()]).toMatchObject([200, { ok: true }])
    await server.kill()
    const lines = (await server.errors).split('\n').filter((line) => line.includes(name))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', message: 'the audit log has no entry of a download', backup: name, actor: 'key:1' },
    ])
  }, 60_000)
})
