import { describe, expect, test } from 'bun:test'
import type { Event } from '../access/events/schemas.ts'
import { longestStreamMs } from '../access/events/stream.ts'
import { heartbeatMs } from '../api/event-streams.ts'
import { createManualClock } from '../lib/clock.ts'
import { executable, isBuilt } from '../testing/executable.ts'
import { openTestStore } from '../testing/harness.ts'
import { serversPerTest } from '../testing/per-test/server.ts'
import { createClient } from './client/api-client.ts'
import type { Terminal } from './command.ts'
import { follow, messagesOf, timely } from './events.ts'

const { petstore, serve, folder, cleanUp } = serversPerTest()

/** Starts `petstore events tail`; `line` resolves to its next line, `err` to the next line of its standard error. */
function tail(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([executable, 'events', 'tail', ...args], {
    cwd: folder(),
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', TZ: 'UTC', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  cleanUp(async () => {
    child.kill('SIGKILL')
    await child.exited
  })
  return { child, line: linesOf(child.stdout), err: linesOf(child.stderr) }
}

function linesOf(stream: ReadableStream<Uint8Array>): () => Promise<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  return async () => {
    while (!text.includes('\n')) {
      const { value, done } = await reader.read()
      if (done) throw new Error(`The output has ended with: ${text}`)
      text += decoder.decode(value, { stream: true })
    }
    const end = text.indexOf('\n')
    const line = text.slice(0, end)
    text = text.slice(end + 1)
    return line
  }
}

describe.skipIf(!isBuilt)('petstore events', () => {
  test('list shows the newest events last, one per line, with what has changed', async () => {
    const { add, send } = await serve()
    await add('Ada')
    await send('PATCH', '/v1/pets/1', { body: { status: 'sold' } })
    await add('Be\u202ea')
    const { out, code } = await petstore('events', 'list', '--types', 'pet.*')
    const lines = out.split('\n')
    expect([code, lines.length]).toEqual([0, 4])
    expect(lines[0]).toMatch(/^\d{16} {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}pet\.created {9}1 Ada$/)
    expect(lines[1]).toEndWith('  pet.updated         1 Ada  status: available → sold')
    expect(lines[2]).toEndWith('  pet.created         2 Be\\u{202e}a')
    const newest = JSON.parse((await petstore('events', 'list', '--limit', '1', '--json')).out)
    expect(newest).toEqual([expect.objectContaining({ type: 'pet.created', data: expect.anything() })])
  })

  test('list --after shows the events that followed', async () => {
    const { add } = await serve()
    for (const name of ['Ada', 'Bea', 'Cleo']) await add(name)
    const list = async (...args: string[]) => JSON.parse((await petstore('events', 'list', '--json', ...args)).out)
    const all = await list('--types', 'pet.created')
    expect(await list('--after', String(all[0].id))).toEqual(all.slice(1))
    expect(await list('--after', '0', '--limit', '1', '--types', 'pet.*')).toEqual(all.slice(0, 1))
    const { out } = await petstore('events', 'list', '--after', String(all[2].id))
    expect(out).toBe(`There are no events after event ${all[2].id}.\n`)
    const unknown = await petstore('events', 'list', '--after', '1')
    expect([unknown.code, unknown.err]).toEqual([
      1,
      expect.stringContaining('The events after event 1 are no longer kept'),
    ])
  })

  test('wrong options are rejected in one line', async () => {
    await (await serve()).stop()
    for (const [args, message] of [
      [['list', '--types', 'pets.*'], 'Did you mean pet.*?'],
      [['list', '--after', '-1'], '--after must be a whole number'],
      [['list', '--limit', '101'], '--limit must be a whole number from 1 to 100'],
      [['tail', '--after', '1e9'], '--after must be a whole number'],
    ] as const) {
      const { code, err } = await petstore('events', ...args)
      expect([code, err]).toEqual([2, expect.stringContaining(message)])
    }
    const { code, err } = await petstore('events', 'tail')
    expect([code, err]).toEqual([1, expect.stringMatching(/^petstore: No server runs on .*: petstore serve\n$/)])
  })

  test('tail prints events as they happen, and continues after a restart of the server without a gap', async () => {
    const first = await serve()
    await first.add('Ada')
    const { line, err } = tail(['--json', '--types', 'pet.*', '--after', '0'])
    const nextName = async () => JSON.parse(await line()).data.name
    expect(await nextName()).toBe('Ada')
    await first.add('Bea')
    expect(await nextName()).toBe('Bea')
    await first.stop()
    expect(await err()).toBe('petstore: The connection was lost. Reconnecting.')
    const second = await serve(first.key)
    await second.add('Cleo')
    expect(await nextName()).toBe('Cleo')
    expect(await err()).toBe('petstore: Reconnected.')
    await second.kill()
    const third = await serve(first.key)
    await third.add('Dora')
    expect(await nextName()).toBe('Dora')
  }, 60_000)

  test('tail works from another machine, and ends when its key is revoked', async () => {
    const server = await serve()
    const made = await server.send('POST', '/v1/keys', { body: { name: 'Partner', accountId: 1 } })
    const { id, key } = (await made.json()) as { id: number; key: string }
    const { child, line, err } = tail(['--after', '0', '--types', 'pet.*', '--url', server.ready.url], {
      PETSTORE_KEY: key,
    })
    await server.add('Ada')
    expect(await line()).toEndWith('  pet.created         1 Ada')
    expect(await err()).toBe(`petstore: The store is ${server.ready.url}/v1.`)
    await server.send('DELETE', `/v1/keys/${id}`)
    expect(await err()).toBe('petstore: The connection was lost. Reconnecting.')
    expect(await err()).toBe('petstore: This API key has been revoked. Ask for a new one.')
    expect(await child.exited).toBe(1)
  }, 60_000)

  test('tail ends when its reader has gone', async () => {
    const { add } = await serve()
    await add('Ada')
    await add('Bea')
    const child = Bun.spawn(['sh', '-c', '"$0" events tail --after 0 | head -n 1', executable], {
      cwd: folder(),
      stdout: 'pipe',
      stderr: 'ignore',
    })
    // The shell keeps the output open until both programs have ended.
    expect(await linesOf(child.stdout)()).toContain('key.created')
    await add('Cleo')
    expect(await child.exited).toBe(0)
  }, 60_000)
})

test('messages are parsed from chunks of any size', async () => {
  const bytes = new TextEncoder().encode(
    'retry: 2000\nid: 5\n\nid: 6\nevent: pet.created\ndata: {"name":"Zoë"}\n\n: x\nid: 7\n\nid: 8',
  )
  for (const size of [1, 2, 3, 7, 1_000]) {
    async function* pieces() {
      for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size)
    }
    expect(await Array.fromAsync(messagesOf(pieces()))).toEqual([
      { id: 5, retryMs: 2_000, data: undefined },
      { id: 6, retryMs: undefined, data: '{"name":"Zoë"}' },
      { id: 7, retryMs: undefined, data: undefined },
    ])
  }
})

test('a stream that ends because of its age is reopened silently, and counts towards no limit', async () => {
  const store = await openTestStore()
  const headers = { authorization: `Bearer ${store.key}` }
  const client = createClient(
    async (path, init) =>
      await store.app.api.fetch(
        new Request(`http://localhost/v1${path}`, { headers: { ...headers, ...init.headers } }),
      ),
    (error) => error,
  )
  const add = (name: string) => store.call('POST', '/v1/pets', { body: { name, categoryId: 1 } })
  const used = async () => (await store.call('GET', '/v1/keys/current')).json.used.day
  const names: string[] = []
  const printed: string[] = []
  const terminal = { err: (text: string) => void printed.push(text) } as unknown as Terminal
  const print = async ({ data }: Event) => {
    names.push((data as { name: string }).name)
    if (names.length === 3) throw new Error('That is enough.')
  }
  const selection = { types: 'pet.*' }
  const following = follow(client, selection, print, terminal)
  const hasOpened = async () => {
    while (store.app.followers.size() === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  for (const name of ['Ada', 'Bea', 'Cleo']) {
    await hasOpened()
    store.clock.advance(longestStreamMs)
    await add(name)
  }
  await expect(following).rejects.toThrow('That is enough.')
  expect([names, printed]).toEqual([['Ada', 'Bea', 'Cleo'], []])
  // The first stream, three changes, and this request.
  expect(await used()).toBe(5)
  await store.close()
})

test('the connection to a silent server is closed, even if the server continues', async () => {
  const clock = createManualClock(0)
  const heartbeat = Promise.withResolvers<Uint8Array>()
  const closed = Promise.withResolvers<void>()
  async function* pieces() {
    try {
      for (;;) yield await heartbeat.promise
    } finally {
      closed.resolve()
    }
  }
  const next = timely(pieces(), clock).next()
  clock.advance(3 * heartbeatMs)
  await expect(next).rejects.toThrow('The server is silent.')
  heartbeat.resolve(new Uint8Array())
  await closed.promise
})
