import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BucketConfig } from '../../../config/bucket.ts'
import { openTestDashboard, ownerPassword, type TestDashboard } from '../../../owner/testing/dashboard.ts'
import { emptyFolder, petstoreCommand as self } from '../../../testing/executable.ts'
import { createBackup } from '../create.ts'
import { createAgeKeys } from './encryption.ts'
import { startS3Server, type TestS3Server } from './testing/s3-server.ts'

const minuteMs = 60_000

let folder: ReturnType<typeof emptyFolder>
let server: TestS3Server
let store: TestDashboard
let browser: ReturnType<TestDashboard['browser']>
/** The tasks that have begun. */
let runs: Promise<unknown>[]
beforeEach(async () => {
  folder = emptyFolder()
  server = await startS3Server()
})
afterEach(async () => {
  await store.close()
  await server.stop()
  folder.remove()
})

async function open(given?: Partial<BucketConfig>): Promise<void> {
  const bucket = given && { bucket: server.bucket, recipients: undefined, ...given }
  const backups = { at: 'off', keep: undefined, heartbeatUrl: undefined }
  store = await openTestDashboard({ databasePath: join(folder.path, 'production.db'), self, backups, bucket })
  runs = []
  const { run } = store.app.subprocesses
  store.app.subprocesses.run = (...args) => {
    const result = run(...args)
    runs.push(result.catch(() => {}))
    return result as never
  }
  browser = await store.setUp()
}

/** Makes a backup of the schedule, as its job does. Returns its name. */
const backUp = () =>
  basename(
    createBackup(
      { databasePath: join(folder.path, 'production.db'), environment: 'production' },
      store.clock.now,
      'scheduled',
    ).file,
  )

/** Lets a minute pass, and waits for what has begun in it. */
async function look(): Promise<void> {
  store.clock.advance(minuteMs)
  await Promise.all(runs)
  for (let i = 0; i < 3; i++) await new Promise((done) => setImmediate(done))
  await store.app.writer.write(() => {})
}

const kinds = () => store.app.attention.items(store.clock.now()).map(({ kind }) => kind)
const view = async () => (await browser.get('/dashboard/backups')).json.copies
const lists = () => server.objects().filter((name) => name.endsWith('.json'))
const secrets = () => join(folder.path, 'production-secrets.json')

test('backups of the schedule are copied within a minute, and not again; the API lists the copies', async () => {
  await open({})
  await look()
  expect(server.requests).toEqual([])
  const name = backUp()
  await look()
  expect(lists()).toEqual([name.replace('.db', '.json')])
  expect(await view()).toMatchObject({
    bucket: { address: 's3://shop/pets', accessKeyId: 'S3RVER' },
    isBucketGiven: true,
    recipients: [],
    last: { name, error: null },
  })
  expect(JSON.stringify(await view())).not.toContain('secret')
  const requests = server.requests.length
  await look()
  expect(server.requests).toHaveLength(requests)
  const { json } = await store.call('GET', '/v1/backups/copies')
  expect(json.copies).toMatchObject([{ address: `s3://shop/pets/${name}` }])
  expect((await store.call('GET', '/v1/backups')).json).toMatchObject([{ name }])
}, 60_000)

test('after the clock was ahead, the backups of the right time are copied', async () => {
  await open({})
  const nowMs = store.clock.now()
  store.clock.setWall(nowMs + 365 * 24 * 60 * minuteMs)
  backUp()
  await look()
  for (let day = 0; day < 2; day++) {
    store.clock.setWall(nowMs + day * 24 * 60 * minuteMs)
    const name = backUp()
    await look()
    expect(lists()).toContain(name.replace('.db', '.json'))
    expect((await view()).last).toMatchObject({ name, error: null })
  }
}, 60_000)

test('a failure of the bucket is reported, tried again, and forgotten when the bucket works', async () => {
  await open({})
  backUp()
  server.set('refuse')
  await look()
  expect(kinds()).toContain('backup_copy_failed')
  expect((await view()).last).toMatchObject({ name: null, error: expect.stringContaining('refuses it') })
  expect((await store.call('GET', '/v1/backups/copies')).json).toMatchObject({ code: 'storage_unavailable' })
  server.set('serve')
  await look()
  expect(kinds()).not.toContain('backup_copy_failed')
  expect(lists()).toHaveLength(1)
}, 60_000)

test('nothing is reported about a bucket that is no longer given, and settings that cannot be read are reported', async () => {
  await open({})
  backUp()
  server.set('refuse')
  await look()
  expect(kinds()).toContain('backup_copy_failed')
  await store.close()
  await open()
  expect(kinds()).not.toContain('backup_copy_failed')
  writeFileSync(secrets(), '{')
  const [item] = store.app.attention.items(store.clock.now()).filter(({ kind }) => kind === 'backup_copy_failed')
  expect(item?.name).toContain('production-secrets.json cannot be read')
}, 60_000)

test('a silent bucket is given up after 30 minutes without progress, and by those who wait after 30 seconds', async () => {
  await open({})
  backUp()
  server.set('hang')
  const silent = new Promise<void>((done) => server.onRequest(() => done()))
  store.clock.advance(minuteMs)
  await silent
  store.clock.advance(30 * minuteMs - 1)
  expect(kinds()).not.toContain('backup_copy_failed')
  store.clock.advance(1)
  await look()
  expect((await view()).last.error).toBe('s3://shop/pets: it made no progress for 30 minutes.')
  const waiting = new Promise<void>((done) => server.onRequest(() => done()))
  const tested = browser.post('/dashboard/backups/bucket/test')
  await waiting
  store.clock.advance(30_000)
  expect((await tested).json).toMatchObject({ code: 'bucket_failed' })
}, 60_000)

test('nothing is copied while a restored store is on hold', async () => {
  await open({})
  backUp()
  await store.app.writer.write(() => store.app.owner.updateInstallation({ restoredAt: store.clock.now() }))
  await look()
  await look()
  expect(server.requests).toEqual([])
  await store.app.writer.write(store.app.hold.confirm)
  await look()
  expect(lists()).toHaveLength(1)
}, 60_000)

test('the owner sets the bucket, tests it, encrypts it and leaves it; the secret comes back nowhere', async () => {
  await open()
  expect(await view()).toMatchObject({ bucket: null, isBucketGiven: false, recipients: [] })
  const { accessKeyId, secretAccessKey, endpoint } = server.bucket
  const bucket = { address: 's3://shop/pets/', endpoint, region: 'us-east-1', accessKeyId, secretAccessKey }
  const save = (changes: object) =>
    browser.post('/dashboard/backups/bucket', { password: ownerPassword, ...bucket, ...changes })
  expect((await save({ password: 'wrong' })).json.code).toBe('wrong_password')
  expect((await save({ address: 'shop' })).json.message).toContain('A bucket must be s3://BUCKET/PREFIX')
  expect((await save({ endpoint: 'ftp://x' })).json.message).toContain('The endpoint of a bucket must be')
  expect((await save({ secretAccessKey: undefined })).json.message).toContain('secretAccessKey is needed')
  expect((await save({})).status).toBe(204)
  expect(statSync(secrets()).mode & 0o777).toBe(0o600)
  expect((await save({ secretAccessKey: undefined, address: 's3://shop/cats' })).status).toBe(204)
  expect((await save({ secretAccessKey: undefined, endpoint: 'http://127.0.0.1:1' })).json.code).toBe('invalid_body')
  expect(await view()).toMatchObject({ bucket: { address: 's3://shop/cats', endpoint, accessKeyId } })
  expect(JSON.stringify(await view())).not.toContain('secretAccessKey')
  expect((await browser.post('/dashboard/backups/bucket/test')).json).toEqual({ mayDelete: true })
  server.set('refuse deletes')
  expect((await browser.post('/dashboard/backups/bucket/test')).json).toEqual({ mayDelete: false })
  server.set('full')
  const full = await browser.post('/dashboard/backups/bucket/test')
  expect([full.status, full.json.message]).toEqual([502, expect.stringContaining('is full')])
  server.set('serve')
  const { json: keys } = await browser.post('/dashboard/backups/keys')
  expect(keys).toMatchObject({
    identity: expect.stringMatching(/^AGE-SECRET-KEY-1/),
    recipient: expect.stringMatching(/^age1/),
  })
  expect((await view()).recipients).toEqual([keys.recipient])
  expect(readFileSync(secrets(), 'utf8')).not.toContain('AGE-SECRET')
  const audit = await store.call('GET', '/v1/audit?action=bucket')
  expect(audit.json.map(({ action }: { action: string }) => action)).toEqual([
    'bucket.encrypted',
    'bucket.changed',
    'bucket.changed',
  ])
  expect((await browser.send('/dashboard/backups/bucket', { method: 'DELETE' })).status).toBe(204)
  expect((await view()).bucket).toBeNull()
}, 60_000)

test('a bucket and recipients of the options cannot be changed in the settings', async () => {
  const { recipient } = await createAgeKeys()
  await open({ recipients: [recipient] })
  expect(await view()).toMatchObject({ isBucketGiven: true, areRecipientsGiven: true, recipients: [recipient] })
  expect((await browser.send('/dashboard/backups/bucket', { method: 'DELETE' })).json.code).toBe('conflict')
  expect((await browser.post('/dashboard/backups/keys')).json.code).toBe('conflict')
  expect(existsSync(secrets())).toBe(false)
  backUp()
  await look()
  expect(server.objects().filter((name) => name.endsWith('.db.age'))).toHaveLength(1)
}, 60_000)
