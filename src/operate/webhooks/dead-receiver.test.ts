import { afterAll, expect, test } from 'bun:test'
import { openWebhookStore } from './testing/open.ts'
import { startReceiver } from './testing/receiver.ts'

const store = await openWebhookStore()
const receiver = startReceiver(() => new Response('x'.repeat(10_000), { status: 500 }))
afterAll(async () => {
  await store.close()
  await receiver.stop()
})

const hourMs = 3_600_000

test('a receiver that is dead for a week beside 100,000 events costs a few rows', async () => {
  const { id } = await store.create({ url: receiver.url, types: ['pet.*'] })
  const { events, writer } = store.app
  const days = 7
  for (let hour = 0; hour < days * 24; hour++) {
    await writer.write(() => {
      for (let i = 0; i < 100_000 / (days * 24); i++) {
        events.write('pet.created', null, { id: i + 1, name: 'Ada', categoryId: 1, status: 'available' })
      }
    })
    const before = receiver.received.length
    store.clock.advance(hourMs)
    // Each attempt ends before the clock moves again.
    await store.until(id, () => true)
    while (store.deliveries(id).reduce((sum, { attempts }) => sum + attempts, 0) < receiver.received.length) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(receiver.received.length - before).toBeLessThan(10)
  }
  expect(await store.get(id)).toMatchObject({ state: 'disabled', pending: 100 })
  // Those whose event has expired are gone.
  expect(store.deliveries(id).length).toBeLessThanOrEqual(5)
  for (const { response } of store.deliveries(id)) expect(response).toHaveLength(2_048)
  expect(receiver.received.length).toBeLessThan(20)
}, 60_000)
