/** Deliveries of a server that is killed under load, to a receiver that fails and hesitates. */

import { describe, expect, test } from 'bun:test'
import { isBuilt } from '../../testing/executable.ts'
import { serversPerTest } from '../../testing/per-test/server.ts'
import { startReceiver } from './testing/receiver.ts'

const { serve, cleanUp } = serversPerTest()

const kills = 6
const network = ['--webhook-network', '127.0.0.0/8']

describe.skipIf(!isBuilt)('petstore serve', () => {
  test('after each of several kills every event arrives, in order, with the same bytes each time', async () => {
    // The seventh is refused once, and comes again after five seconds.
    const refused = new Set<string>()
    const receiver = startReceiver(async (count, { json }) => {
      await Bun.sleep(count % 3)
      if (json.data.id % 7 !== 0 || refused.has(json.id)) return new Response()
      refused.add(json.id)
      return new Response('later', { status: 503 })
    })
    cleanUp(receiver.stop)
    let server = await serve(undefined, undefined, network)
    const { key } = server
    const limits = { plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 }
    expect((await server.send('PATCH', '/v1/accounts/1', { body: limits })).status).toBe(200)
    const body = { url: receiver.url, types: ['pet.created'] }
    expect((await server.send('POST', '/v1/webhooks', { body })).status).toBe(201)
    const answered: number[] = []
    for (let kill = 1; kill <= kills; kill++) {
      const load = (async () => {
        for (;;) {
          try {
            const response = await server.add('Ada')
            if (response.status === 201) answered.push(((await response.json()) as { id: number }).id)
            await Bun.sleep(2)
          } catch {
            return
          }
        }
      })()
      await receiver.until(kill * 60)
      server.signal('SIGKILL')
      await load
      await server.kill()
      server = await serve(key, undefined, network)
    }
    const pending = async () =>
      ((await (await server.send('GET', '/v1/webhooks/1')).json()) as { pending: number }).pending
    while ((await pending()) > 0) await Bun.sleep(200)
    const texts = new Map<number, Set<string>>()
    const firsts: number[] = []
    for (const { json, text } of receiver.received) {
      const { id } = json.data
      if (!texts.has(id)) firsts.push(id)
      texts.set(id, (texts.get(id) ?? new Set()).add(text))
    }
    expect(answered.length).toBeGreaterThan(kills * 50)
    expect(answered.filter((id) => !texts.has(id))).toEqual([])
    expect(firsts).toEqual(firsts.toSorted((a, b) => a - b))
    expect([...texts.values()].filter(({ size }) => size !== 1)).toEqual([])
  }, 400_000)
})
