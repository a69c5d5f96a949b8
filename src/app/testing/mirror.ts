/**
 * A mirror that follows the feed of events, and random changes that it has to follow: some of them at the same time,
 * with imports and their undos among them.
 */

import { expect } from 'bun:test'
import type { Event } from '../../access/events/schemas.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import { type CallOptions, openTestStore, type TestStore } from '../../testing/harness.ts'

interface Known {
  readonly id: number
}

/** What a partner keeps: records by id, and the last event that it has. */
function createMirror({ call }: Pick<TestStore, 'call'>) {
  const pets = new Map<number, Known>()
  const orders = new Map<number, Known>()
  const categories = new Map<number, string | null>()
  const seen = new Set<number>()
  let last = 0

  async function all(path: string): Promise<readonly Known[]> {
    const records: Known[] = []
    for (let next: string | undefined = path; next !== undefined; ) {
      const { json, headers } = await call('GET', next)
      records.push(...json)
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    }
    return records
  }

  async function apply({ id, type, data }: Event): Promise<void> {
    expect(seen.has(id)).toBe(false)
    seen.add(id)
    const record = data as {
      id: number
      name: string
      into: number
      firstPetId: number | null
      lastPetId: number | null
    }
    // The animals may have been read since the event: what has moved is read again, not computed.
    if (type === 'category.merged') {
      for (const pet of await all(`/v1/pets?categoryId=${record.into}&limit=100`)) pets.set(pet.id, pet)
    }
    if (type === 'pet.deleted') pets.delete(record.id)
    else if (type.startsWith('pet.')) pets.set(record.id, record)
    else if (type.startsWith('order.')) orders.set(record.id, record)
    else if (type === 'category.created' || type === 'category.updated') categories.set(record.id, record.name)
    else if (type === 'category.deleted' || type === 'category.merged') categories.delete(record.id)
    else if (type.startsWith('import.')) {
      const there = await all(`/v1/pets?importId=${record.id}&limit=100`)
      if (type === 'import.completed') for (const pet of there) pets.set(pet.id, pet)
      else {
        const ids = new Set(there.map((pet) => pet.id))
        for (let pet = record.firstPetId ?? 1; pet <= (record.lastPetId ?? 0); pet++)
          if (!ids.has(pet)) pets.delete(pet)
      }
      categories.clear()
      for (const category of await all('/v1/categories?limit=100')) {
        categories.set(category.id, (category as Known & { name: string | null }).name)
      }
    }
  }

  return {
    pets,
    orders,
    categories,
    async follow(): Promise<void> {
      const events = (await all(`/v1/events?after=${last}&limit=7&types=pet.*,order.*,category.*,import.*`)) as Event[]
      for (const event of events) {
        expect(event.id).toBeGreaterThan(last)
        last = event.id
        await apply(event)
      }
    },
  }
}

/** A source of the same numbers for each seed. */
export function createRandom(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Sends a request to the API, and ignores what it is answered. */
type Send = (method: string, path: string, options?: CallOptions) => Promise<unknown>

/**
 * Returns a function that makes a random change of animals, orders, categories or imports; some of them are refused.
 */
export function createChanges(call: Send, random: (below: number) => number): () => Promise<unknown> {
  const names = ['Ada', 'Bea', 'Cleo', 'Dot', 'Eve']
  let done = 0
  /** Ids grow with the changes: most of these exist. */
  const pet = () => 1 + random(20 + done / 2)
  const statuses = ['available', 'pending', 'sold']
  const csv = () =>
    `name,category\n${Array.from({ length: 1 + random(4) }, () => `${names[random(5)]},Kind ${random(9)}\n`).join('')}`
  const changes: readonly (() => Promise<unknown>)[] = [
    () => call('POST', '/v1/pets', { body: { name: names[random(5)], categoryId: 1 + random(8) } }),
    () => call('POST', '/v1/pets', { body: { name: names[random(5)], categoryId: 1 + random(8) } }),
    () => call('PATCH', `/v1/pets/${pet()}`, { body: { name: names[random(5)] } }),
    () => call('PATCH', `/v1/pets/${pet()}`, { body: { status: statuses[random(3)], categoryId: 1 + random(8) } }),
    () => call('DELETE', `/v1/pets/${pet()}`),
    () => call('POST', `/v1/pets/${pet()}/restore`),
    () =>
      call('POST', '/v1/pets/batch', {
        body: { ids: [...new Set([pet(), pet(), pet()])], change: { name: names[random(5)] } },
      }),
    () => call('POST', '/v1/store/orders', { body: { petId: pet() } }),
    () => call('PATCH', `/v1/store/orders/${1 + random(5 + done / 20)}`, { body: { note: names[random(5)] } }),
    () => call('POST', `/v1/store/orders/${1 + random(5 + done / 20)}/${['approve', 'deliver', 'cancel'][random(3)]}`),
    () => call('PUT', `/v1/categories/${1 + random(8)}`, { body: { name: `Kind ${random(30 + done / 10)}` } }),
    () => call('POST', '/v1/categories', { body: { name: `Kind ${random(30 + done / 10)}` } }),
    () => call('POST', `/v1/categories/${1 + random(9)}/merge`, { body: { into: 1 + random(9) } }),
    () => call('DELETE', `/v1/categories/${1 + random(12)}`),
    () => call('POST', '/v1/imports', { rawBody: csv(), headers: { 'Content-Type': 'text/csv' } }),
    () => call('DELETE', `/v1/imports/${1 + random(5 + done / 15)}`),
  ]
  return async () => {
    done++
    return await changes[random(changes.length)]?.()
  }
}

/** Makes about `count` random changes, and expects that a mirror that has followed them equals the store. */
export async function expectMirror(seed: number, count: number): Promise<void> {
  const store = await openTestStore()
  await store.call('PATCH', '/v1/accounts/1', { body: { plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 } })
  const { app, call, clock } = store
  const random = createRandom(seed)
  const mirror = createMirror(store)
  const change = createChanges(call, random)
  let done = 0
  while (done < count) {
    const together = Array.from({ length: 1 + random(4) }, change)
    done += together.length
    if (random(3) === 0) await mirror.follow()
    await Promise.all(together)
    clock.advance(random(2_000))
    if (random(3) === 0) await mirror.follow()
  }
  await mirror.follow()
  const { records: pets } = app.pets.page({}, pageRange('asc', undefined), 1_000_000)
  expect([...mirror.pets.values()].sort((a, b) => a.id - b.id)).toEqual([...pets])
  const orders: Known[] = []
  for (let id = 1; app.orders.find(id); id++) orders.push((await call('GET', `/v1/store/orders/${id}`)).json)
  expect([...mirror.orders.values()].sort((a, b) => a.id - b.id)).toEqual(orders)
  const named = app.categories.page(0, 1_000).map(({ id, name }) => [id, name] as const)
  expect([...mirror.categories].filter(([, name]) => name !== null).sort(([a], [b]) => a - b)).toEqual(named as never)
  await store.close()
}
