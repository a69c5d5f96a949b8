import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { removalJobs } from '../../app/removals.ts'
import { deployJobs } from '../../hosting/deploys/jobs.ts'
import { filesBelow } from '../../lib/contents/testing/content-store.ts'
import { restoreBackup } from '../../operate/backups/restore.ts'
import { writeWholeFile } from '../../operate/backups/testing/whole-file.ts'
import { emptyFolder, petstoreCommand } from '../../testing/executable.ts'
import { mountDisk } from '../../testing/faults.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { restorableMs } from '../pets/changes/deleted-pets.ts'
import { imageBytes } from './testing/images.ts'

const jpeg = await imageBytes('jpeg', 600, 400)

let store: TestStore
beforeEach(() => open())

/** Opens a store with two animals. */
async function open(config: Parameters<typeof openTestStore>[0] = {}): Promise<void> {
  store = await openTestStore(config)
  for (const name of ['Ada', 'Bella']) await store.call('POST', '/v1/pets', { body: { name, categoryId: 2 } })
}

afterEach(async () => {
  await store.close()
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})
/** Called after the store of the test is closed. */
const cleanUps: (() => void)[] = []
function makeFolder(): string {
  const { path, remove } = emptyFolder()
  cleanUps.push(remove)
  return path
}

function add(petId: number, bytes: Uint8Array, type = 'image/jpeg', headers: Record<string, string> = {}) {
  return send(petId, new Blob([new Uint8Array(bytes)]).stream(), { 'Content-Type': type, ...headers })
}
function send(petId: number, rawBody: ReadableStream, headers: Record<string, string>, key = store.key) {
  return store.call('POST', `/v1/pets/${petId}/photos`, { key, headers, rawBody })
}
const profile = async (petId: number) => (await store.call('GET', `/v1/pets/${petId}/profile`)).json
const photosOf = async (petId: number) => (await profile(petId)).photos.map(({ id }: { id: number }) => id)
const change = (photoId: number, body: object, headers: Record<string, string> = {}) =>
  store.call('PATCH', `/v1/pets/1/photos/${photoId}`, { body, headers })
const fetchPhoto = async (address: string, init: RequestInit = {}) =>
  await store.app.photoResponder(new Request(`http://localhost${address}`, init))

/** Runs a job of the store at once. */
async function run(name: string): Promise<void> {
  const jobs = [...deployJobs(store.app), ...removalJobs(store.app)]
  await jobs.find((job) => job.name === name)?.run(new AbortController().signal)
}

test('a photo is added behind the others, and the profile has it', async () => {
  const first = await add(1, jpeg)
  expect(first.status).toBe(201)
  expect(first.json).toMatchObject({ id: 1, alt: null, width: 600, height: 400 })
  expect(first.headers.get('location')).toBe('/v1/pets/1/photos/1')
  expect((await store.call('GET', '/v1/pets/1/photos/1')).json).toEqual(first.json)
  store.clock.advance(1_000)
  await add(1, await imageBytes('png'), 'image/png')
  await add(2, await imageBytes('webp'), 'image/webp')
  expect(await photosOf(1)).toEqual([1, 2])
  expect((await profile(1)).photos[0]).toEqual(first.json)
  expect((await profile(1)).updatedAt).toBe('2026-11-20T10:15:01.000Z')
  const { json } = await store.call('GET', '/v1/pets/profiles')
  expect(json.map(({ photos }: { photos: object[] }) => photos.length)).toEqual([2, 1])
})

test('the files of a photo are served without a key, and for ever', async () => {
  const { json: photo } = await add(1, jpeg)
  for (const [name, type, width] of [
    ['large', 'image/jpeg', 600],
    ['medium', 'image/webp', 600],
    ['small', 'image/webp', 400],
  ] as const) {
    const response = await fetchPhoto(photo[name])
    expect(response?.status).toBe(200)
    expect(response?.headers.get('content-type')).toBe(type)
    expect(response?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response?.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response?.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(response?.headers.get('content-security-policy')).toBe("default-src 'none'")
    expect(await new Bun.Image(await (response as Response).bytes()).metadata()).toMatchObject({ width })
    const etag = response?.headers.get('etag') ?? ''
    expect((await fetchPhoto(photo[name], { headers: { 'If-None-Match': etag } }))?.status).toBe(304)
    expect((await fetchPhoto(photo[name], { method: 'HEAD' }))?.status).toBe(200)
    expect(await fetchPhoto(photo[name], { method: 'POST' })).toBeUndefined()
  }
  const [, hash] = /([0-9a-f]{64})/.exec(photo.large) ?? []
  for (const address of [`/photos/${hash}.webp`, `/photos/${'0'.repeat(64)}.jpg`, '/photos/', `/photos/${hash}`]) {
    expect(await fetchPhoto(address)).toBeUndefined()
  }
})

test('a photo is described and moved, and a change that changes nothing is none', async () => {
  for (let i = 0; i < 3; i++) await add(1, jpeg)
  expect((await change(3, { position: 1, alt: ' A cat ' })).json).toMatchObject({ id: 3, alt: 'A cat' })
  expect(await photosOf(1)).toEqual([3, 1, 2])
  await change(3, { position: 12 })
  expect(await photosOf(1)).toEqual([1, 2, 3])
  const { headers } = await change(1, { alt: 'A dog' })
  expect((await change(1, { alt: null }, { 'If-Match': '"other"' })).status).toBe(412)
  expect((await change(1, { alt: null }, { 'If-Match': headers.get('etag') ?? '' })).json.alt).toBeNull()
  const events = async () => (await store.call('GET', '/v1/events?order=desc&limit=1')).json[0].id
  const before = await events()
  await change(1, { alt: null, position: 1 })
  expect(await events()).toBe(before)
  expect((await change(9, { alt: null })).status).toBe(404)
  expect((await change(1, { position: 0 })).status).toBe(400)
  expect((await change(1, { position: 13 })).status).toBe(400)
  expect((await change(1, { alt: 'x'.repeat(201) })).status).toBe(400)
})

test('a deleted photo leaves no gap, and its addresses stop working', async () => {
  for (let i = 0; i < 2; i++) await add(1, jpeg)
  const { json: third } = await add(1, await imageBytes('jpeg', 80, 80))
  expect((await store.call('DELETE', '/v1/pets/1/photos/3')).status).toBe(204)
  expect((await store.call('DELETE', '/v1/pets/1/photos/3')).status).toBe(404)
  expect(await fetchPhoto(third.large)).toBeUndefined()
  expect((await store.call('DELETE', '/v1/pets/1/photos/1')).status).toBe(204)
  expect(await photosOf(1)).toEqual([2])
  // The second has the same bytes as the first had.
  expect((await fetchPhoto((await profile(1)).photos[0].large))?.status).toBe(200)
  expect((await add(1, jpeg)).json.id).toBe(4)
  expect(await photosOf(1)).toEqual([2, 4])
})

test('a change of photos is an event of the profile', async () => {
  await add(1, jpeg)
  const { json } = await store.call('GET', '/v1/events?order=desc&limit=1')
  expect(json).toMatchObject([
    { type: 'profile.updated', data: { petId: 1, changed: ['photos'], updatedAt: '2026-11-20T10:15:00.000Z' } },
  ])
})

test('an animal has at most 12 photos, and must exist', async () => {
  const small = await imageBytes('jpeg', 10, 10)
  for (let i = 0; i < 12; i++) expect((await add(1, small)).status).toBe(201)
  expect((await add(1, small)).json).toMatchObject({
    code: 'conflict',
    message: 'Animal 1 has 12 photos, which is the maximum. Delete one first.',
  })
  expect((await add(9, small)).json.code).toBe('not_found')
})

test('what is no photo is rejected, and nothing is added', async () => {
  expect((await add(1, Buffer.from('hello'), 'text/plain')).json.code).toBe('unsupported_media_type')
  expect((await add(1, Buffer.from('hello'))).json.code).toBe('unsupported_media_type')
  expect((await add(1, jpeg.subarray(0, -2))).json.code).toBe('invalid_body')
  expect((await add(1, Buffer.alloc(20 * 1_048_576 + 1))).json.code).toBe('payload_too_large')
  expect(await photosOf(1)).toEqual([])
})

test('a repeated upload with an Idempotency-Key adds one photo', async () => {
  const headers = { 'Idempotency-Key': 'once' }
  const first = await add(1, jpeg, 'image/jpeg', headers)
  const second = await add(1, jpeg, 'image/jpeg', headers)
  expect(second.json).toEqual(first.json)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect((await add(1, await imageBytes('jpeg'), 'image/jpeg', headers)).json.code).toBe('idempotency_key_reused')
  expect(await photosOf(1)).toEqual([1])
})

test('a deleted animal keeps its photos for as long as it can be restored', async () => {
  const { json: photo } = await add(1, jpeg)
  await store.call('DELETE', '/v1/pets/1')
  expect((await store.call('GET', '/v1/pets/1/photos/1')).status).toBe(404)
  await store.call('POST', '/v1/pets/1/restore')
  expect(await photosOf(1)).toEqual([1])
  await store.call('DELETE', '/v1/pets/1')
  store.clock.advance(restorableMs + 1)
  await run('remove deleted animals for good')
  expect(await fetchPhoto(photo.large)).toBeUndefined()
})

test('a sweep keeps the files of photos, and deletes those of deleted ones', async () => {
  const { json: photo } = await add(1, jpeg)
  const [, hash = ''] = /([0-9a-f]{64})/.exec(photo.large) ?? []
  const exists = () => Bun.file(store.app.files.pathOf(hash)).exists()
  await run('delete files that no deploy has')
  expect(await exists()).toBe(true)
  await store.call('DELETE', '/v1/pets/1/photos/1')
  await run('delete files that no deploy has')
  expect(await exists()).toBe(false)
})

/** What the store has on disk: the files of photos, and temporary ones. */
const stored = () => filesBelow(join(store.app.files.pathOf('0'.repeat(64)), '../..'))

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await nextTurn()
}

test('of twelve photos at once an account adds four, and the others can be sent again', async () => {
  const sent = await Promise.all(Array.from({ length: 12 }, () => add(1, jpeg)))
  const busy = sent.filter(({ status }) => status !== 201)
  expect(busy).toHaveLength(8)
  for (const { json, headers } of busy) {
    expect([json.code, headers.get('retry-after')]).toEqual(['too_busy', '10'])
  }
  expect(await photosOf(1)).toEqual([1, 2, 3, 4])
})

test('of two photos at once for the last place of an animal one is added, and nothing is left of the other', async () => {
  const small = await imageBytes('jpeg', 10, 10)
  for (let i = 0; i < 11; i++) await add(1, small)
  const two = await Promise.all([add(1, await imageBytes('jpeg', 20, 20)), add(1, await imageBytes('jpeg', 30, 30))])
  expect(two.map(({ status }) => status).toSorted()).toEqual([201, 409])
  expect(await photosOf(1)).toHaveLength(12)
  await run('delete files that no deploy has')
  // Two of the three files of a small photo are the same.
  expect(stored()).toHaveLength(4)
})

test('uploads that stop end after 32 seconds: they leave nothing, and others can be sent', async () => {
  const half = () =>
    new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(jpeg.subarray(0, 500)) })
  const stopped = Array.from({ length: 4 }, () => send(1, half(), { 'Content-Type': 'image/jpeg' }))
  await until(() => stored().length === 4)
  expect((await add(1, jpeg)).json.code).toBe('too_busy')
  const ended = Promise.all(stopped)
  while (Bun.peek.status(ended) === 'pending') {
    store.clock.advance(1_000)
    await nextTurn()
  }
  for (const { json } of await ended) {
    expect(json).toMatchObject({ code: 'invalid_body', message: expect.stringContaining('paused for 32 seconds') })
  }
  expect(stored()).toEqual([])
  expect((await add(1, jpeg)).status).toBe(201)
})

test('an animal that is deleted while its photo is encoded has none; the request of a key that is revoked then is finished', async () => {
  await store.close()
  const gate = join(makeFolder(), 'gate')
  const waiting = ': >"$0-reached"; while [ ! -e "$0" ]; do sleep 0.01; done; exec "$@"'
  await open({ self: ['sh', '-c', waiting, gate, ...petstoreCommand] })
  async function addMeanwhile(petId: number, key: string, change: () => Promise<unknown>) {
    rmSync(gate, { force: true })
    const adding = send(petId, new Blob([new Uint8Array(jpeg)]).stream(), { 'Content-Type': 'image/jpeg' }, key)
    await until(() => existsSync(`${gate}-reached`))
    await change()
    rmSync(`${gate}-reached`)
    writeFileSync(gate, '')
    return await adding
  }
  const late = await addMeanwhile(1, store.key, () => store.call('DELETE', '/v1/pets/1'))
  expect(late.json).toMatchObject({ code: 'not_found', message: 'There is no animal 1.' })
  await store.call('POST', '/v1/pets/1/restore')
  expect(await photosOf(1)).toEqual([])
  const { id, key } = await store.newKey()
  expect((await addMeanwhile(2, key, () => store.call('DELETE', `/v1/keys/${id}`))).status).toBe(201)
  expect((await store.call('GET', '/v1/pets', { key })).status).toBe(401)
})

test.each([
  ['cannot be started', ['/nowhere/petstore']],
  ['is killed for want of memory', ['sh', '-c', 'kill -9 $$']],
])('a photo whose process %s can be sent again', async (_, self) => {
  await store.close()
  await open({ self })
  const { status, json, headers } = await add(1, jpeg)
  expect([status, json.message, headers.get('retry-after')]).toEqual([
    503,
    'The machine has too little memory or time for the photo now. Nothing was changed; try again later.',
    '10',
  ])
  expect(stored()).toEqual([])
})

test.skipIf(!mountDisk.isPossible)('a full disk rejects a photo, which can be added once there is space', async () => {
  await store.close()
  const disk = mountDisk(join(makeFolder(), 'disk'), 12_000_000)
  cleanUps.unshift(disk.unmount)
  await open({ databasePath: join(disk.path, 'production.db') })
  await add(1, jpeg)
  const before = stored()
  const filler = disk.fill()
  const { status, json } = await add(1, await imageBytes('jpeg', 900, 600))
  expect([status, json.code]).toEqual([503, 'storage_unavailable'])
  expect(stored()).toEqual(before)
  rmSync(filler)
  expect((await add(1, jpeg)).status).toBe(201)
})

test('a backup of petstore 1.0.0, which had no photos, replaces a store that has some', async () => {
  await store.close()
  const place = { databasePath: join(makeFolder(), 'production.db'), environment: 'production' } as const
  await open(place)
  const { json: photo } = await add(1, jpeg)
  await store.close()
  restoreBackup(writeWholeFile(place), place, Date.now)
  store = await openTestStore(place)
  expect(await fetchPhoto(photo.large)).toBeUndefined()
  await run('delete files that no deploy has')
  expect(stored().some((path) => photo.large.includes(path.replace('/', '')))).toBe(false)
})
