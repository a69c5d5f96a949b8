import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { emptyFolder } from '../../testing/executable.ts'
import { startPetstore, type TestPetstore } from '../../testing/start-petstore.ts'
import { startReceiver } from './testing/receiver.ts'

const folder = emptyFolder()
afterAll(() => folder.remove())

async function send(store: TestPetstore, method: string, path: string, body?: object) {
  const response = await fetch(`${store.url}/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${store.key}`, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return response.status === 204 ? undefined : await response.json()
}

test('the receiver of the guide accepts what is signed, and rejects what is not', async () => {
  const guide = await Bun.file(join(import.meta.dir, '../../../docs/guide/events.md')).text()
  const blocks = [...guide.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text = '']) => text)
  const receiver = blocks.find((text) => text.includes('standardwebhooks')) ?? ''
  expect(receiver.trimEnd().split('\n').length).toBeLessThanOrEqual(10)
  const file = join(folder.path, 'receiver.mjs')
  const path = JSON.stringify(Bun.resolveSync('standardwebhooks', import.meta.dir))
  await using store = await startPetstore({ clock: 'running' })
  const probe = Bun.serve({ port: 0, fetch: () => new Response() })
  const { port } = probe
  await probe.stop(true)
  await Bun.write(
    file,
    `${receiver.replace("'standardwebhooks'", path).replace('listen(3000)', `listen(${port}, () => console.log('ready'))`)}`,
  )
  const webhook = await send(store, 'POST', '/webhooks', { url: `http://localhost:${port}/hook`, types: ['pet.*'] })
  const child = Bun.spawn([process.execPath, file], {
    env: { WEBHOOK_SECRET: webhook.secret },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  try {
    const reader = child.stdout.getReader()
    let out = ''
    const until = async (text: string) => {
      while (!out.includes(text)) out += new TextDecoder().decode((await reader.read()).value)
    }
    await until('ready')
    expect(await send(store, 'POST', `/webhooks/${webhook.id}/test`)).toMatchObject({ delivered: true, status: 204 })
    await send(store, 'POST', '/pets', { name: 'Ada', categoryId: 1 })
    await until('pet.created')
    const forged = await fetch(`http://localhost:${port}/hook`, {
      method: 'POST',
      body: '{"id":"evt_1"}',
      headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': '1795169700', 'webhook-signature': 'v1,AAAA' },
    })
    expect(forged.status).toBe(400)
  } finally {
    child.kill()
    await child.exited
  }
}, 30_000)

test('startPetstore() delivers to localhost while its clock stands still, and clock.advance moves retries', async () => {
  const receiver = startReceiver(() => new Response('', { status: 503 }))
  await using store = await startPetstore()
  const webhook = await send(store, 'POST', '/webhooks', {
    url: receiver.url.replace('127.0.0.1', 'localhost'),
    types: ['pet.created'],
  })
  const isTried = async (attempts: number) => {
    for (;;) {
      const [delivery] = await send(store, 'GET', `/webhooks/${webhook.id}/deliveries`)
      if (delivery?.attempts === attempts) return
    }
  }
  await send(store, 'POST', '/pets', { name: 'Ada', categoryId: 1 })
  await receiver.until(1)
  await isTried(1)
  store.clock.advance(6_000)
  await receiver.until(2)
  await isTried(2)
  receiver.answer(() => new Response())
  store.clock.advance(5.5 * 60_000)
  await receiver.until(3)
  await isTried(3)
  expect(await send(store, 'GET', `/webhooks/${webhook.id}`)).toMatchObject({ state: 'working', pending: 0 })
  await receiver.stop()
})

test('every delivery passes the check of standardwebhooks, with the old secret too after a new one was created', async () => {
  const receiver = startReceiver()
  await using store = await startPetstore({ clock: 'running' })
  const { id, secret } = await send(store, 'POST', '/webhooks', { url: receiver.url, types: ['pet.*'] })
  const next = await send(store, 'POST', `/webhooks/${id}/secret`)
  for (const name of ['Ada', 'Zoë 🐈', '"\\'.padEnd(40, '\u00e4')])
    await send(store, 'POST', '/pets', { name, categoryId: 1 })
  for (const { text, headers } of await receiver.until(3)) {
    const fields = Object.fromEntries(headers)
    const verified = [secret, next.secret].map((one) => new Webhook(one).verify(text, fields))
    expect(verified[0]).toEqual(JSON.parse(text))
    expect(() => new Webhook(secret).verify(text.replace('"id"', '"Id"'), fields)).toThrow()
  }
  await receiver.stop()
})
