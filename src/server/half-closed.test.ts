import { afterEach, beforeEach, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { createListenerWorld, type ListenerWorld } from './testing/public-listeners.ts'

let world: ListenerWorld
beforeEach(() => {
  world = createListenerWorld()
})
afterEach(() => world.close())

const request = 'GET / HTTP/1.1\r\nHost: ada.example\r\n\r\n'

/** Starts the listeners, whose sites all respond with `respond`, with clients that may close one direction alone. */
function startWith(respond: () => Response) {
  world.sites.set('ada.example', respond)
  const { httpPort, https, connections } = world.start({ respondInClear: respond })
  const common = { host: '127.0.0.1', allowHalfOpen: true }
  const tls = { ...common, port: https, servername: 'ada.example', rejectUnauthorized: false }
  return {
    clients: [() => connect({ ...common, port: httpPort }), () => connectTls(tls)],
    async untilEmpty() {
      while (connections().open > 0) await Bun.sleep(1)
    },
  }
}

/** Resolves to all that a socket receives. */
function read(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('end', () => resolve(text))
  socket.on('error', reject)
  return promise
}

test('a client that closes its direction after a request gets the whole response, and its connection ends', async () => {
  const body = 'a'.repeat(3_000_000)
  const { clients, untilEmpty } = startWith(() => new Response(body))
  for (const open of clients) {
    const socket = open()
    socket.end(request)
    const text = await read(socket)
    expect([text.slice(0, 15), text.endsWith(`\r\n\r\n${body}`)]).toEqual(['HTTP/1.1 200 OK', true])
    await untilEmpty()
  }
})

test('the connection of a client that closes its direction between requests or before one ends', async () => {
  const { clients, untilEmpty } = startWith(() => new Response('Ada'))
  for (const open of clients) {
    for (const part of ['', 'GET / HT']) {
      const socket = open()
      socket.end(part)
      expect([part, await read(socket)]).toEqual([part, ''])
    }
    const idle = open()
    const received = read(idle)
    idle.once('data', () => idle.end())
    idle.write(request)
    expect(await received).toEndWith('\r\n\r\nAda')
    await untilEmpty()
  }
})

test('a response that does not end is cancelled when its client has gone', async () => {
  const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>()
  let cancellations = 0
  const endless = () =>
    new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from('first')),
      cancel() {
        cancellations++
        if (cancellations === 2) cancel()
      },
    })
  const { clients, untilEmpty } = startWith(() => new Response(endless()))
  for (const open of clients) {
    const socket = open()
    socket.once('data', () => socket.destroy())
    socket.write(request)
  }
  await cancelled
  await untilEmpty()
})
