import { afterEach, beforeEach, expect, test } from 'bun:test'
import { startPetstore, type TestPetstore } from '../testing/start-petstore.ts'
import { animalsOf, loadMirror, type Mirror } from './testing/guide-mirror.ts'

let store: TestPetstore
let mirror: Mirror
let stop: AbortController
beforeEach(async () => {
  store = await startPetstore({ plan: 'unlimited', seed: { pets: [{ name: 'Ada', categoryId: 1 }] } })
  mirror = new (await loadMirror())(store.url, store.key)
  stop = new AbortController()
})
afterEach(async () => {
  stop.abort()
  await store.stop()
})

async function send(method: string, path: string, body?: object | string) {
  const type = typeof body === 'string' ? 'text/csv' : 'application/json'
  const response = await fetch(`${store.url}/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${store.key}`, 'Content-Type': type },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return text === '' ? undefined : JSON.parse(text)
}
const add = (name: string) => send('POST', '/pets', { name, categoryId: 1 })

/** Waits until the mirror has the newest event, and expects that it equals the store. */
async function expectEqual(): Promise<void> {
  const [newest] = await send('GET', '/events?order=desc&limit=1&types=pet.*,import.*,category.merged')
  while ((mirror.position ?? -1) < newest.id) await Bun.sleep(5)
  expect(animalsOf(mirror)).toEqual(await send('GET', '/pets?limit=100'))
}

test('the mirror of the guide follows every kind of change', async () => {
  await add('Bea')
  const following = mirror.follow(stop.signal)
  await expectEqual()
  await send('PATCH', '/pets/1', { status: 'sold' })
  await send('POST', '/store/orders', { petId: 2 })
  await expectEqual()
  const { id } = await send('POST', '/imports', 'name,category\nRex,Dog\nAda,Cat\n')
  await send('DELETE', '/pets/1')
  await expectEqual()
  await send('PATCH', '/pets/3', { name: 'King' })
  await send('DELETE', `/imports/${id}`)
  await send('POST', '/pets/1/restore')
  await expectEqual()
  expect(animalsOf(mirror).map(({ id: petId }) => petId)).toEqual([1, 2, 3])
  await send('POST', '/categories/1/merge', { into: 2 })
  await expectEqual()
  await send('POST', '/pets', { name: 'Bo', categoryId: 3 })
  await send('POST', '/categories/2/merge', { into: 3 })
  await send('POST', '/categories/3/merge', { into: 1 })
  await expectEqual()
  stop.abort()
  await following
})

test('the mirror of the guide continues after its stream has ended, and starts over where events are gone', async () => {
  const following = mirror.follow(stop.signal)
  await add('Bea')
  await expectEqual()
  stop.abort()
  await following
  await add('Cleo')
  stop = new AbortController()
  const resumed = mirror.follow(stop.signal)
  await expectEqual()
  stop.abort()
  await resumed
  await send('DELETE', '/pets/2')
  store.clock.advance(31 * 86_400_000)
  await add('Dot')
  const { position } = mirror
  while ((await send('GET', `/events?after=${position}`)).code !== 'events_expired') store.clock.advance(25)
  stop = new AbortController()
  void mirror.follow(stop.signal)
  await expectEqual()
  expect(animalsOf(mirror).map(({ id }) => id)).toEqual([1, 3, 4])
})

test('the mirror of the guide stops when its key is revoked', async () => {
  const { id, key } = await store.createKey()
  const other = new (await loadMirror())(store.url, key)
  const following = other.follow(stop.signal)
  while (other.position === undefined) await Bun.sleep(5)
  await send('DELETE', `/keys/${id}`)
  await expect(following).rejects.toMatchObject({ status: 401 })
})
