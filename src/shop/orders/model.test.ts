/**
 * Compares orders and animals with a simple model, over HTTP: for random requests in any order and at the same time,
 * each response and the whole state equal the model.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { startPetstore, type TestPetstore } from '../../testing/start-petstore.ts'
import { type PetStatus, petStatuses } from '../pets/rules.ts'
import { type OrderStatus, type OrderStep, orderStatuses, orderSteps } from './rules.ts'

interface Model {
  /** By id; undefined once removed. */
  readonly pets: Map<number, PetStatus | undefined>
  readonly orders: Map<number, { readonly petId: number; status: OrderStatus }>
}

/** The real store, reached over HTTP. */
interface Real {
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the members that they read
  call(method: string, path: string, body?: unknown): Promise<{ status: number; json: any; next: string | undefined }>
}

let store: TestPetstore
let real: Real

beforeAll(async () => {
  store = await startPetstore()
  const call = (key: string) => async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${store.url}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    const next = /\/v1([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    return { status: response.status, json: text ? JSON.parse(text) : undefined, next }
  }
  const numbers = { plan: 'enterprise', perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  const { json } = await call(store.key)('POST', '/keys', { name: 'Model', scopes: ['admin'], ...numbers })
  real = { call: call(json['key'] as string) }
})
afterAll(() => store.stop())

const openOrderOf = ({ orders }: Model, petId: number) =>
  [...orders.entries()].find(([, o]) => o.petId === petId && (o.status === 'placed' || o.status === 'approved'))

type Command = fc.AsyncCommand<Model, Real>

/** The n-th key of a map, counted modulo its size; undefined for an empty map. */
const nth = <T>(map: ReadonlyMap<number, T>, n: number) => [...map.keys()][n % Math.max(1, map.size)]

/** Compares the counts by status with all orders that there are. */
async function assertCounts(): Promise<void> {
  const counts = { placed: 0, approved: 0, delivered: 0, cancelled: 0 }
  for (const status of orderStatuses) {
    for (let next: string | undefined = `/store/orders?status=${status}&limit=100`; next; ) {
      const page = await real.call('GET', next)
      counts[status] += page.json.length
      next = page.next
    }
  }
  expect((await real.call('GET', '/store/orders/counts')).json).toEqual(counts)
}

/** Compares the whole state that a client can see with the model. */
async function assertSame(model: Model): Promise<void> {
  const petIds = [...model.pets.keys()]
  const orders = [...model.orders].map(([id, order]) => ({ id, ...order }))
  for (const id of petIds) {
    const { status, json } = await real.call('GET', `/pets/${id}`)
    expect(status === 404 ? undefined : json['status']).toBe(model.pets.get(id))
  }
  for (const { id, petId, status } of orders) {
    const { json } = await real.call('GET', `/store/orders/${id}`)
    expect(json).toMatchObject({ id, petId, status, complete: status === 'delivered' })
  }
}

const add = (status: PetStatus): Command => ({
  check: () => true,
  async run(model, { call }) {
    const created = await call('POST', '/pets', { name: 'Ada', categoryId: 1, status })
    expect(created.status).toBe(201)
    model.pets.set(created.json['id'] as number, status)
  },
  toString: () => `add(${status})`,
})

const place = (pet: number, times: number): Command => ({
  check: (model) => model.pets.size > 0,
  async run(model, { call }) {
    const petId = nth(model.pets, pet) as number
    const before = model.pets.get(petId)
    const responses = await Promise.all(Array.from({ length: times }, () => call('POST', '/store/orders', { petId })))
    const won = responses.filter(({ status }) => status === 201)
    expect(won).toHaveLength(before === 'available' ? 1 : 0)
    const expected = before === undefined ? 'not_found' : 'pet_not_available'
    const codes = responses.filter(({ status }) => status !== 201).map(({ json }) => json['code'])
    expect(codes).toEqual(codes.map(() => expected))
    for (const { json } of won) {
      model.orders.set(json['id'] as number, { petId, status: 'placed' })
      model.pets.set(petId, 'pending')
    }
    await assertSame(model)
  },
  toString: () => `place(${pet}, ×${times})`,
})

const steps: Record<OrderStep, { from: OrderStatus[]; to: OrderStatus; pet?: PetStatus }> = {
  approve: { from: ['placed'], to: 'approved' },
  deliver: { from: ['approved'], to: 'delivered', pet: 'sold' },
  cancel: { from: ['placed', 'approved'], to: 'cancelled', pet: 'available' },
}

const take = (order: number, step: OrderStep, times: number): Command => ({
  check: (model) => model.orders.size > 0,
  async run(model, { call }) {
    const id = nth(model.orders, order) as number
    const ordered = model.orders.get(id) as { petId: number; status: OrderStatus }
    const { from, to, pet } = steps[step]
    const may = from.includes(ordered.status)
    const path = `/store/orders/${id}/${step}`
    const responses = await Promise.all(Array.from({ length: times }, () => call('POST', path)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(may ? 1 : 0)
    const codes = responses.filter(({ status }) => status !== 200).map(({ json }) => json['code'])
    expect(codes).toEqual(codes.map(() => 'invalid_status_transition'))
    if (may) {
      ordered.status = to
      if (pet) model.pets.set(ordered.petId, pet)
    }
    await assertSame(model)
  },
  toString: () => `${step}(${order}, ×${times})`,
})

const setStatus = (pet: number, wanted: PetStatus): Command => ({
  check: (model) => model.pets.size > 0,
  async run(model, { call }) {
    const petId = nth(model.pets, pet) as number
    const before = model.pets.get(petId)
    const { status, json } = await call('PATCH', `/pets/${petId}`, { status: wanted })
    if (before === undefined) expect(status).toBe(404)
    else if (before === wanted) expect(status).toBe(200)
    else if (openOrderOf(model, petId)) expect(json['code']).toBe('conflict')
    else if (before === 'sold' && wanted === 'pending') expect(json['code']).toBe('invalid_status_transition')
    else {
      expect(status).toBe(200)
      model.pets.set(petId, wanted)
    }
    await assertSame(model)
  },
  toString: () => `set(${pet}, ${wanted})`,
})

const remove = (pet: number): Command => ({
  check: (model) => model.pets.size > 0,
  async run(model, { call }) {
    const petId = nth(model.pets, pet) as number
    const { status, json } = await call('DELETE', `/pets/${petId}`)
    if (model.pets.get(petId) === undefined) expect(status).toBe(404)
    else if (openOrderOf(model, petId)) expect(json['code']).toBe('conflict')
    else {
      expect(status).toBe(204)
      model.pets.set(petId, undefined)
    }
    await assertSame(model)
  },
  toString: () => `remove(${pet})`,
})

/** Simultaneous requests for one animal. Any of them may win, but the outcome must be that of some sequence. */
const race = (pet: number): Command => ({
  check: (model) => model.pets.size > 0,
  async run(model, { call }) {
    const petId = nth(model.pets, pet) as number
    const open = openOrderOf(model, petId)
    const [placed, set, , ended] = await Promise.all([
      call('POST', '/store/orders', { petId }),
      call('PATCH', `/pets/${petId}`, { status: 'sold' }),
      call('POST', '/store/orders', { petId }),
      open ? call('POST', `/store/orders/${open[0]}/cancel`) : undefined,
      call('POST', '/store/orders', { petId }),
    ])
    // The model adopts the outcome; the assertions hold for every possible outcome.
    const { json: all } = await call('GET', `/store/orders?petId=${petId}&limit=100`)
    for (const order of all as { id: number; status: OrderStatus }[]) {
      model.orders.set(order.id, { petId, status: order.status })
    }
    const { status, json } = await call('GET', `/pets/${petId}`)
    const after = status === 404 ? undefined : (json['status'] as PetStatus)
    if (after !== undefined) model.pets.set(petId, after)
    expect(after === undefined).toBe(model.pets.get(petId) === undefined)
    const openNow = [...model.orders.values()].filter(
      (order) => order.petId === petId && (order.status === 'placed' || order.status === 'approved'),
    )
    expect(openNow.length).toBeLessThanOrEqual(1)
    if (openNow.length === 1) expect(after).toBe('pending')
    if (ended) expect(ended.status).toBe(200)
    if (placed.status === 201) expect(set.status).not.toBe(200)
    await assertSame(model)
  },
  toString: () => `race(${pet})`,
})

test('the state of animals and orders equals that of a simple model after any simultaneous requests', async () => {
  const which = fc.nat(7)
  const times = fc.integer({ min: 1, max: 8 })
  const commands = [
    fc.constantFrom(...petStatuses).map((status) => add(status)),
    fc.tuple(which, times).map(([pet, n]) => place(pet, n)),
    fc.tuple(which, times).map(([pet, n]) => place(pet, n)),
    fc.tuple(which, fc.constantFrom(...orderSteps), fc.integer({ min: 1, max: 3 })).map(([o, s, n]) => take(o, s, n)),
    fc.tuple(which, fc.constantFrom(...orderSteps), fc.integer({ min: 1, max: 3 })).map(([o, s, n]) => take(o, s, n)),
    fc.tuple(which, fc.constantFrom(...petStatuses)).map(([pet, status]) => setStatus(pet, status)),
    which.map((pet) => remove(pet)),
    which.map((pet) => race(pet)),
  ]
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (run) => {
      await fc.asyncModelRun(() => ({ model: { pets: new Map(), orders: new Map() }, real }), run)
      await assertCounts()
    }),
    { numRuns: 5 },
  )
})
