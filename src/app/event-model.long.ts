/**
 * The feed, the stream and the mirror of the guide follow random changes of a real store that is killed, restarted and restored. Nothing
 * is missing, nothing is told that is not on disk, and no id is told twice.
 */

import { afterAll, expect, test } from 'bun:test'
import type { Event } from '../access/events/schemas.ts'
import { createWorkspace, isBuilt, type PetstoreProcess } from '../testing/executable.ts'
import type { CallOptions } from '../testing/harness.ts'
import { animalsOf, loadMirror } from './testing/guide-mirror.ts'
import { createChanges, createRandom } from './testing/mirror.ts'

const workspace = createWorkspace()
afterAll(workspace.close)

const changesInAll = 10_000
const rounds = 20
const clients = 8
/** The types of animals, which the mirror follows. */
const mirrored = 'types=pet.*,import.*'

let server: PetstoreProcess
let key = ''

const fetchApi = (path: string, init: RequestInit = {}) =>
  fetch(`${server.ready.url}/v1${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${key}`, ...init.headers },
  })

/** Sends a request; undefined if the server was killed meanwhile. */
async function call(method: string, path: string, { body, rawBody, headers = {} }: CallOptions = {}) {
  const json = { 'Content-Type': 'application/json' }
  const sent = body === undefined ? rawBody : JSON.stringify(body)
  try {
    const init = { method, headers: { ...(body === undefined ? {} : json), ...headers } }
    const response = await fetchApi(path.replace('/v1', ''), sent === undefined ? init : { ...init, body: sent })
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    // A server that is down answers nothing, however many changes are tried.
    await Bun.sleep(50)
    return undefined
  }
}

/** Every record of a list. */
async function all<T>(path: string): Promise<T[]> {
  const records: T[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const page = await fetchApi(next)
    records.push(...((await page.json()) as T[]))
    next = /<\/v1([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1]
  }
  return records
}

/** What a client of the feed or of the stream was told. */
class Observer {
  readonly told = new Map<number, string>()
  /** How often it had to begin again. */
  resets = 0
  position = 0
  isOver = false

  tell(event: Event): void {
    if (event.id <= this.position) throw new Error(`Event ${event.id} was told after event ${this.position}.`)
    this.told.set(event.id, JSON.stringify(event))
    this.position = event.id
  }

  /** Calls `read` again and again. A killed server ends it with an error. */
  async run(read: (observer: Observer) => Promise<Response>): Promise<void> {
    while (!this.isOver) {
      const status = await read(this).then(
        (response) => response.status,
        () => undefined,
      )
      if (status === 410) {
        const [newest] = (await call('GET', '/v1/events?order=desc&limit=1')) ?? []
        if (newest === undefined) continue
        this.position = newest.id
        this.resets++
      }
      await Bun.sleep(10)
    }
  }
}

async function readFeed(observer: Observer): Promise<Response> {
  const response = await fetchApi(`/events?limit=100&after=${observer.position}`)
  if (response.ok) for (const event of (await response.json()) as Event[]) observer.tell(event)
  return response
}

async function readStream(observer: Observer): Promise<Response> {
  const response = await fetchApi('/events/stream', { headers: { 'Last-Event-ID': String(observer.position) } })
  if (!response.ok) return response
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    const messages = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
    text = messages.pop() ?? ''
    for (const message of messages) {
      const data = /^data: (.*)$/m.exec(message)?.[1]
      if (data !== undefined) observer.tell(JSON.parse(data))
    }
  }
  return response
}

const newestId = async (query = '') =>
  ((await call('GET', `/v1/events?order=desc&limit=1${query}`))?.[0]?.id ?? 0) as number

test.skipIf(!isBuilt)(
  'feed, stream and mirror miss nothing in 10,000 random changes with kill -9, restarts and restores',
  async () => {
    server = await workspace.serve()
    key = server.ready.key ?? ''
    await call('PATCH', '/v1/accounts/1', { body: { plan: 'enterprise', perMinute: 1e9, perDay: 1e9 } })
    const random = createRandom(31)
    const change = createChanges(call, random)
    const observers = [new Observer(), new Observer()] as const
    const [feed, stream] = observers
    const running = [feed.run(readFeed), stream.run(readStream)]
    const mirror = new (await loadMirror())(server.ready.url, key)
    const stopping = new AbortController()
    running.push(mirror.follow(stopping.signal))
    /** The event up to which everything is compared. */
    let compared = 0
    let resets = 0

    async function restart(): Promise<void> {
      server = await workspace.serve()
      Object.assign(mirror, { url: server.ready.url })
    }

    /** Compares what was told with what is stored. */
    async function compare(): Promise<void> {
      const last = await newestId()
      for (const observer of observers) while (observer.position < last) await Bun.sleep(10)
      const stored = new Map(
        (await all<Event>(`/events?limit=100&after=${compared}`)).map((e) => [e.id, JSON.stringify(e)]),
      )
      for (const { told, resets: own } of observers) {
        expect([...told.keys()]).toEqual([...stored.keys()])
        expect([...told.values()]).toEqual([...stored.values()])
        expect(own).toBe(resets)
        told.clear()
      }
      compared = last
      const lastOfMirror = await newestId(`&${mirrored}`)
      while ((mirror.position ?? -1) < lastOfMirror) await Bun.sleep(10)
      expect(animalsOf(mirror)).toEqual(await all('/pets?limit=100'))
    }

    for (let round = 0; round < rounds; round++) {
      const backup =
        round % 5 === 0 ? JSON.parse((await workspace.run('backup', 'create', '--json')).out).file : undefined
      const kind = (['kill', 'restart', 'none', 'kill'] as const)[round % 4]
      let left = changesInAll / rounds
      const work = Array.from({ length: clients }, async () => {
        while (left-- > 0) {
          // In the middle of the changes of the other clients.
          if (left === Math.floor(changesInAll / rounds / 2) && kind === 'kill') {
            await server.kill()
            await restart()
          }
          await change()
        }
      })
      await Promise.all(work)
      if (kind === 'restart') {
        await server.stop()
        await restart()
      }
      await compare()
      if (backup === undefined) continue
      await server.stop()
      const restored = await workspace.run('backup', 'restore', backup)
      expect(restored).toMatchObject({ code: 0 })
      await restart()
      resets++
      for (const observer of observers) while (observer.resets < resets) await Bun.sleep(10)
      // The mirror waits a second before it connects again.
      compared = await newestId()
      while (mirror.position !== compared) await Bun.sleep(10)
      for (const observer of observers) expect(observer.position).toBe(compared)
    }
    await compare()
    expect(resets).toBe(rounds / 5)
    for (const observer of observers) observer.isOver = true
    stopping.abort()
    await server.stop()
    await Promise.all(running)
  },
  600_000,
)
