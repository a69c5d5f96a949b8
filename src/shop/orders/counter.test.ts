import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestDashboard, type TestDashboard } from '../../owner/testing/dashboard.ts'

let dashboard: TestDashboard
let token: string
beforeEach(async () => {
  dashboard = await openTestDashboard()
  token = await (await dashboard.setUp()).trade()
  for (const name of ['Ada', 'Bea', 'Cleo']) await dashboard.call('POST', '/v1/pets', { body: { name, categoryId: 1 } })
})
afterEach(() => dashboard.close())

/** A change by the owner. */
const asOwner = (method: string, path: string, body?: unknown) => dashboard.call(method, path, { key: token, body })
const setStatus = (petId: number, status: string) => dashboard.call('PATCH', `/v1/pets/${petId}`, { body: { status } })
const soldToday = async () => (await dashboard.call('GET', '/v1/overview?days=1')).json.days[0].soldWithoutOrder
const order = async () => (await dashboard.call('GET', '/v1/store/orders/1')).json
const recorded = async () =>
  (await dashboard.call('GET', '/v1/audit?action=pet')).json.map(
    ({ actor, action, details }: { actor: string; action: string; details: object }) => ({ actor, action, ...details }),
  )

/** Delivers an order for the first animal. */
async function deliver(): Promise<void> {
  await dashboard.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  for (const step of ['approve', 'deliver']) await dashboard.call('POST', `/v1/store/orders/1/${step}`)
}

test('animals that are marked as sold without an order are counted by day, less those that are returned', async () => {
  await setStatus(1, 'sold')
  await setStatus(2, 'sold')
  await asOwner('POST', '/v1/pets/batch', { ids: [1, 2, 3], change: { status: 'sold' } })
  expect(await soldToday()).toBe(3)
  await setStatus(1, 'available')
  expect(await soldToday()).toBe(2)
  dashboard.clock.advance(86_400_000)
  await setStatus(2, 'available')
  expect(await soldToday()).toBe(0)
  expect((await dashboard.call('GET', '/v1/overview?days=2')).json.days[0].soldWithoutOrder).toBe(2)
})

test('a delivered order is not a sale at the counter, and shows when its animal was returned', async () => {
  await deliver()
  expect(await soldToday()).toBe(0)
  expect((await order()).returnedAt).toBeNull()
  dashboard.clock.advance(1_000)
  const returnedAt = new Date(dashboard.clock.now()).toISOString()
  await setStatus(1, 'available')
  expect(await order()).toMatchObject({ status: 'delivered', returnedAt, updatedAt: returnedAt })
  expect(await soldToday()).toBe(0)
  const { json: events } = await dashboard.call('GET', '/v1/events?types=order.updated')
  expect(events).toMatchObject([{ data: { id: 1, returnedAt }, previous: { returnedAt: null } }])

  // Sold to somebody else, who brings it back too.
  dashboard.clock.advance(600_000)
  await setStatus(1, 'sold')
  expect([await soldToday(), (await order()).returnedAt]).toEqual([1, returnedAt])
  await setStatus(1, 'available')
  expect([await soldToday(), (await order()).returnedAt]).toEqual([0, returnedAt])
})

test('a return that is reverted within ten minutes counts neither as a return nor as a sale', async () => {
  await deliver()
  await setStatus(1, 'available')
  dashboard.clock.advance(599_999)
  await setStatus(1, 'sold')
  expect([await soldToday(), (await order()).returnedAt]).toEqual([0, null])
})

test('the audit log has the changes of animals by the owner, those of a batch in one entry, and none of API clients', async () => {
  const actor = 'owner'
  await asOwner('PATCH', '/v1/pets/1', { name: 'Adele' })
  for (const id of [1, 1, 99]) await asOwner('PATCH', `/v1/pets/${id}`, { status: 'sold' })
  await asOwner('POST', '/v1/pets/batch', { ids: [1, 2, 99], change: { categoryId: 2 } })
  await asOwner('DELETE', '/v1/pets/2')
  await asOwner('POST', '/v1/pets/2/restore')
  await asOwner('POST', '/v1/pets', { name: 'Dea', categoryId: 1 })
  await asOwner('POST', '/v1/pets/batch', { ids: [3, 4], delete: true })
  await asOwner('POST', '/v1/pets/batch', { ids: [99], delete: true })
  await dashboard.call('PATCH', '/v1/pets/1', { body: { name: 'Ada' } })
  await dashboard.call('POST', '/v1/pets/batch', { body: { ids: [1, 2], change: { categoryId: 1 } } })
  const ada = { petId: 1, name: 'Adele', categoryId: 1 }
  const bea = { petId: 2, name: 'Bea', categoryId: 2, status: 'available' }
  expect((await recorded()).reverse()).toEqual([
    { actor, action: 'pet.changed', ...ada, status: 'available', previous: { name: 'Ada' } },
    { actor, action: 'pet.changed', ...ada, status: 'sold', previous: { status: 'available' } },
    { actor, action: 'pet.changed', petIds: [1, 2], categoryId: 2 },
    { actor, action: 'pet.deleted', ...bea },
    { actor, action: 'pet.restored', ...bea },
    { actor, action: 'pet.created', petId: 4, name: 'Dea', categoryId: 1, status: 'available' },
    { actor, action: 'pet.deleted', petIds: [3, 4] },
  ])
})
