import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { emptyFolder } from '../../testing/executable.ts'
import { createBackup } from '../backups/create.ts'
import { restoreBackup } from '../backups/restore.ts'
import { openWebhookStore } from './testing/open.ts'
import { startReceiver, type TestReceiver } from './testing/receiver.ts'

let folder: ReturnType<typeof emptyFolder>
let receiver: TestReceiver
let store: Awaited<ReturnType<typeof openWebhookStore>>

const open = async () => {
  store = await openWebhookStore({ databasePath: join(folder.path, 'production.db') })
}
const noon = Date.UTC(2026, 10, 20, 12)
const names = () => receiver.received.map(({ json }) => json.data.name)

beforeEach(async () => {
  folder = emptyFolder()
  receiver = startReceiver(() => new Response('', { status: 500 }))
  await open()
})
afterEach(async () => {
  await store.close()
  await receiver.stop()
  folder.remove()
})

/** The clock begins at 10:15; the job that begins deliveries has run by 12:15. */
const start = () => store.clock.advance(2 * 3_600_000)

/** Makes a backup with two deliveries that have failed, restores it and opens the store, whose receiver works now. */
async function restore(): Promise<void> {
  const place = { databasePath: join(folder.path, 'production.db'), environment: 'production' } as const
  const { id } = await store.create({ url: receiver.url, types: ['pet.*'] })
  await store.create({ url: receiver.url, types: ['order.*'] })
  for (const name of ['Ada', 'Bo']) await store.addPet(name)
  await store.until(id, ({ lastDelivery, pending }) => lastDelivery !== null && pending === 2)
  await receiver.until(2)
  await store.until(id, () => store.deliveries(id).length === 2)
  await store.close()
  const { file } = createBackup(place, () => noon)
  restoreBackup(file, place, () => noon)
  receiver.answer(() => new Response())
  receiver.received.length = 0
  // The key of the first start is no longer known.
  const { key } = store
  await open()
  const { call } = store
  store = { ...store, call: (method, path, options = {}) => call(method, path, { key, ...options }) }
  start()
}

const attention = async () =>
  (await store.call('GET', '/v1/overview')).json.attention.filter(({ kind }: { kind: string }) =>
    kind.startsWith('webhook'),
  )
const release = (pending: string) => store.call('POST', '/v1/webhooks/release', { body: { pending } })

describe('after a restore', () => {
  test('pending deliveries are on hold, new ones behind them too, and attention says so', async () => {
    await restore()
    await store.call('POST', '/v1/pets', { body: { name: 'Cleo', categoryId: 1 } })
    store.clock.skip(86_400_000)
    expect(await attention()).toMatchObject([{ kind: 'webhooks_held', since: new Date(noon).toISOString() }])
    expect(receiver.received).toEqual([])
    // The one without pending deliveries is not on hold.
    const onHold = store.app.webhooks.onHold().map(store.app.webhookDelivery.toWebhook)
    expect(onHold).toMatchObject([{ id: 1, state: 'resting' }])
  })

  test('Send delivers them', async () => {
    await restore()
    await store.call('POST', '/v1/pets', { body: { name: 'Cleo', categoryId: 1 } })
    expect((await release('send')).json).toEqual({ webhooks: 1 })
    store.clock.advance(60_000)
    await receiver.until(3)
    expect(names().sort()).toEqual(['Ada', 'Bo', 'Cleo'])
    expect(await attention()).toEqual([])
  })

  test('Give up skips them, and sends what has happened since the restore', async () => {
    await restore()
    await store.call('POST', '/v1/pets', { body: { name: 'Cleo', categoryId: 1 } })
    expect((await release('give_up')).json).toEqual({ webhooks: 1 })
    await store.call('POST', '/v1/pets', { body: { name: 'Dora', categoryId: 1 } })
    await receiver.until(2)
    store.clock.skip(86_400_000)
    expect(names()).toEqual(['Cleo', 'Dora'])
    expect(store.deliveries(1).filter(({ nextAttemptAt }) => nextAttemptAt !== null)).toEqual([])
  })
})
