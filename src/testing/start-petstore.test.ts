import { expect, test } from 'bun:test'
import { startPetstore } from 'petstore-appliance/testing'

test('a suite of somebody else’s starts a store, moves its clock, and stops it', async () => {
  const now = new Date('2026-11-20T23:59:00Z')
  const store = await startPetstore({ plan: 'free', now })
  const ask = () => fetch(`${store.url}/v1/pets`, { headers: { Authorization: `Bearer ${store.key}` } })
  for (let i = 0; i < 60; i++) expect((await ask()).status).toBe(200)
  const refused = await ask()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '61'])
  store.clock.advance(60_999)
  expect((await ask()).status).toBe(429)
  store.clock.advance(1)
  expect((await ask()).status).toBe(200)
  await store.stop()
  expect(ask()).rejects.toThrow()
})

test('two stores are strangers to each other', async () => {
  const [one, other] = await Promise.all([startPetstore(), startPetstore()])
  const answer = await fetch(`${other.url}/v1/pets`, { headers: { Authorization: `Bearer ${one.key}` } })
  expect(answer.status).toBe(401)
  await Promise.all([one.stop(), other.stop()])
})
