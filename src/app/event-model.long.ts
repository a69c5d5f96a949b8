/**
 * The feed, the stream, the mirror of the guide and two receivers of webhooks follow random changes of a real store
 * that is killed, restarted and restored. No event is missing, none is sent that is not on disk, and no id is sent
 * twice, except to a receiver whose response the server has not stored.
 */

import { afterAll, expect, test } from 'bun:test'
import type { Event } from '../access/events/schemas.ts'
import { createWorkspace, isBuilt, type PetstoreProcess } from '../testing/executable.ts'
import type { CallOptions } from '../testing/harness.ts'
import { animalsOf, loadMirror } from './testing/guide-mirror.ts'
import { createChanges, createRandom } from './testing/mirror.ts'
import { bodyOf, type ModelReceiver, startModelReceiver, type Temper } from './testing/model-receiver.ts'

const workspace = createWorkspace()
afterAll(workspace.close)

const changesInAll = 10_000
const rounds = 20
const clients = 8
/** The types of animals, which the mirror follows. */
const mirrored = 'types=pet.*,import.*,category.merged'

const options = ['--webhook-network', '127.0.0.0/8']

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
    next = /\/v1([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1]
  }
  return records
}

/** The events that a client of the feed or of the stream received. */
class Observer {
  readonly received = new Map<number, string>()
  /** How often it had to begin again. */
  resets = 0
  position = 0
  isOver = false

  receive(event: Event): void {
    if (event.id <= this.position) throw new Error(`Event ${event.id} came after event ${this.position}.`)
    this.received.set(event.id, JSON.stringify(event))
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
  if (response.ok) for (const event of (await response.json()) as Event[]) observer.receive(event)
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
      if (data !== undefined) observer.receive(JSON.parse(data))
    }
  }
  return response
}

const newestId = async (query = '') =>
  ((await call('GET', `/v1/events?order=desc&limit=1${query}`))?.[0]?.id ?? 0) as number

/**
 * Starts a receiver of events of these kinds, with a webhook for it; returns it and the path of the webhook. The kinds
 * are rare, because few first attempts are made in a minute.
 */
async function addReceiver(temper: Temper, ...kinds: string[]): Promise<readonly [ModelReceiver, string]> {
  const receiver = await startModelReceiver(temper, kinds)
  const body = { url: receiver.url, types: kinds.map((kind) => `${kind}.*`) }
  const { id, secret } = await call('POST', '/v1/webhooks', { body })
  receiver.secret = secret
  return [receiver, `/v1/webhooks/${id}`]
}

test.skipIf(!isBuilt)(
  'feed, stream, mirror and webhooks miss nothing in 10,000 random changes with kill -9, restarts and restores',
  async () => {
    server = await workspace.serve(options)
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
    const [prompt, promptWebhook] = await addReceiver('prompt', 'order', 'category', 'import')
    const [troubled, troubledWebhook] = await addReceiver('troubled', 'order')
    const receivers = [prompt, troubled]
    const expectNothingWrong = () => expect(receivers.flatMap(({ wrong }) => wrong)).toEqual([])
    /** The events that are stored. */
    const kept = new Map<number, Event>()
    /** The event up to which everything is compared. */
    let compared = 0
    let resets = 0

    async function restart(): Promise<void> {
      for (const receiver of receivers) await receiver.serverEnded()
      server = await workspace.serve(options)
      Object.assign(mirror, { url: server.ready.url })
    }

    /** Resolves once the record of a webhook has these members. */
    async function until(webhook: string, members: object): Promise<void> {
      while (!Bun.deepMatch(members, (await call('GET', webhook)) ?? {})) {
        expectNothingWrong()
        await Bun.sleep(50)
      }
    }

    /** Compares the received events with the stored ones. */
    async function compare(): Promise<void> {
      const last = await newestId()
      for (const observer of observers) while (observer.position < last) await Bun.sleep(10)
      const events = await all<Event>(`/events?limit=100&after=${compared}`)
      const stored = new Map(events.map((event) => [event.id, JSON.stringify(event)]))
      for (const { received, resets: own } of observers) {
        expect([...received.keys()]).toEqual([...stored.keys()])
        expect([...received.values()]).toEqual([...stored.values()])
        expect(own).toBe(resets)
        received.clear()
      }
      compared = last
      for (const event of events) kept.set(event.id, event)
      await until(promptWebhook, { pending: 0 })
      expectNothingWrong()
      for (const [id, body] of receivers.flatMap(({ take }) => take())) {
        const event = kept.get(id)
        expect(body).toBe(event ? bodyOf(event) : `nothing, because ${id} is not stored`)
      }
      const lastOfMirror = await newestId(`&${mirrored}`)
      while ((mirror.position ?? -1) < lastOfMirror) await Bun.sleep(10)
      expect(animalsOf(mirror)).toEqual(await all('/pets?limit=100'))
    }

    /** Releases the deliveries that the restore has paused, to a receiver that works again. */
    async function release(): Promise<void> {
      troubled.isPaused = false
      expect(await call('POST', '/v1/webhooks/release', { body: { pending: 'send' } })).toEqual({ webhooks: 1 })
      const path = `${troubledWebhook.replace('/v1', '')}/deliveries?state=failed&limit=100`
      const oldest = (await all<{ id: number; eventId: number }>(path)).at(-1)
      if (oldest) {
        troubled.willBeAskedFor(oldest.eventId)
        await call('POST', `/v1/webhooks/deliveries/${oldest.id}/retry`)
      }
      await until(troubledWebhook, { state: 'working' })
    }

    for (let round = 0; round < rounds; round++) {
      if (round % 5 === 3) troubled.isDead = true
      const isRestored = round % 5 === 4
      if (isRestored) await until(troubledWebhook, { state: 'failing' })
      const restoreReceivers = receivers.map((receiver) => receiver.beforeBackup())
      const backup = isRestored ? JSON.parse((await workspace.run('backup', 'create', '--json')).out).file : undefined
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
      if (troubled.isPaused) await release()
      if (!isRestored) continue
      await server.stop()
      const restored = await workspace.run('backup', 'restore', backup)
      expect(restored).toMatchObject({ code: 0 })
      for (const restore of restoreReceivers) restore()
      Object.assign(troubled, { isDead: false, isPaused: true })
      await restart()
      resets++
      for (const observer of observers) while (observer.resets < resets) await Bun.sleep(10)
      // The mirror waits a second before it connects again.
      compared = await newestId()
      while (mirror.position !== compared) await Bun.sleep(10)
      for (const observer of observers) expect(observer.position).toBe(compared)
      for (const id of kept.keys()) if (id > compared) kept.delete(id)
    }
    await release()
    await until(troubledWebhook, { pending: 0 })
    await compare()
    for (const receiver of receivers) {
      expect(receiver.delivered()).toEqual([...kept.values()].filter(receiver.gets).map(({ id }) => id))
      receiver.stop()
    }
    expect(resets).toBe(rounds / 5)
    for (const observer of observers) observer.isOver = true
    stopping.abort()
    await server.stop()
    await Promise.all(running)
  },
  600_000,
)
