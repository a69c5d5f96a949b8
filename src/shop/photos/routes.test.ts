import { afterEach, beforeEach, expect, test } from 'bun:test'
import { removalJobs } from '../../app/removals.ts'
import { deployJobs } from '../../hosting/deploys/jobs.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { restorableMs } from '../pets/changes/deleted-pets.ts'
import { imageBytes } from './testing/images.ts'

const jpeg = await imageBytes('jpeg', 600, 400)

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
  for (const name of ['Ada', 'Bella']) await store.call('POST', '/v1/pets', { body: { name, categoryId: 2 } })
})
afterEach(() => store.close())

function add(petId: number, bytes: Uint8Array, type = 'image/jpeg', headers: Record<string, string> = {}) {
  const options = { headers: { 'Content-Type': type, ...headers }, rawBody: new Blob([new Uint8Array(bytes)]).stream() }
  return store.call('POST', `/v1/pets/${petId}/photos`, options)
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
