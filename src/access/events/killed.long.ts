/** Events of a server that is killed under load. */

import { describe, expect, test } from 'bun:test'
import { isBuilt } from '../../testing/executable.ts'
import { serversPerTest, type TestServer } from '../../testing/per-test/server.ts'
import type { Event } from './schemas.ts'

const { serve } = serversPerTest()

const writers = 8
const kills = 6

/** Every record of a list, in pages. */
async function all<T>({ send }: TestServer, path: string): Promise<readonly T[]> {
  const records: T[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const response: Response = await send('GET', next)
    expect(response.status).toBe(200)
    records.push(...((await response.json()) as T[]))
    next = /(\/v1[^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return records
}

/** Runs `work` again and again until the server is gone. */
async function untilKilled(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await work()
    } catch {
      return
    }
  }
}

describe.skipIf(!isBuilt)('petstore serve', () => {
  test('after each of several kills, every published event still exists, and every change has one', async () => {
    const given = new Map<number, string>()
    const answers: string[] = []
    let server = await serve()
    const { key } = server
    const body = { plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 }
    expect((await server.send('PATCH', '/v1/accounts/1', { body })).status).toBe(200)
    let last = 0
    for (let kill = 1; kill <= kills; kill++) {
      const enough = kill * 250
      const follower = untilKilled(async () => {
        const response = await server.send('GET', `/v1/events?after=${last}&limit=100&types=pet.*`)
        for (const event of (await response.json()) as Event[]) {
          given.set(event.id, JSON.stringify(event))
          last = event.id
        }
        if (given.size >= enough) server.signal('SIGKILL')
      })
      const load = Array.from({ length: writers }, (_, writer) =>
        untilKilled(async () => {
          const response = await server.add(`Animal ${writer}`)
          const text = await response.text()
          if (response.status === 201) answers.push(text)
        }),
      )
      await Promise.all([follower, ...load])
      await server.kill()
      server = await serve(key)
      const events = await all<Event>(server, '/v1/events?limit=100&types=pet.*')
      const stored = new Map(events.map((event) => [event.id, JSON.stringify(event)]))
      expect([...given].filter(([id, text]) => stored.get(id) !== text)).toEqual([])
      const published = events.map(({ data }) => JSON.stringify(data))
      expect(new Set(published).size).toBe(published.length)
      expect(answers.filter((text) => !published.includes(text))).toEqual([])
      const pets = await all<object>(server, '/v1/pets?limit=100')
      expect(published).toEqual(pets.map((pet) => JSON.stringify(pet)))
      await server.add('Later')
      const [newest] = await all<Event>(server, `/v1/events?after=${events.at(-1)?.id}`)
      expect(newest?.id).toBeGreaterThan(Math.max(...stored.keys()))
    }
  }, 240_000)
})
