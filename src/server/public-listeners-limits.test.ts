import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { parseNetwork } from '../lib/network.ts'
import { getRequest, openHttps } from '../testing/https-client.ts'
import { sendRaw } from '../testing/send-raw.ts'
import { openingMs } from './front/front.ts'
import { createListenerWorld, get, helloOf, issuer, type ListenerWorld, openRaw } from './testing/public-listeners.ts'

let world: ListenerWorld
beforeEach(() => {
  world = createListenerWorld()
})
afterEach(() => world.close())

describe('connections', () => {
  test('with garbage on the HTTPS port are closed, and HTTP there is explained', async () => {
    const { https, connections } = world.start()
    for (const bytes of ['\0\0\0\0\0\0', 'SSH-2.0-x\r\n', '\x16\x03\x01\0\x04\x02\0\0\0']) {
      // A fatal alert.
      expect(await (await openRaw(https, bytes)).closed).toStartWith('\x15\x03\x03\0\x02\x02')
    }
    expect(await sendRaw(https, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toContain('This port speaks HTTPS')
    expect(connections().https?.rejected).toBe(4)
    expect(await get(https, 'ada.example')).toEqual([200, 'Ada'])
  })

  test('that do not begin, or stop in the middle of the handshake, are closed after a time, after an idle hour too', async () => {
    const { https, httpPort, connections } = world.start()
    world.clock.advance(3_600_000)
    const silent = await openRaw(https, '')
    const half = await openRaw(https, '\x16\x03\x01\x02\x00\x01')
    const quiet = await openRaw(httpPort, '')
    // A whole ClientHello, and then nothing.
    const stuck = await openRaw(https, await helloOf([]))
    while (connections().open < 4) await Bun.sleep(1)
    const first = Promise.withResolvers<void>()
    world.sites.set('ada.example', () => {
      first.resolve()
      return new Response('Ada')
    })
    const text = 'GET / HTTP/1.1\r\nHost: ada.example\r\n\r\n'
    const working = await openHttps({ port: https, name: 'ada.example', ca: issuer.root, text })
    await first.promise
    world.clock.advance(openingMs + 1_000)
    const closed = await Promise.all([silent.closed, half.closed, quiet.closed, stuck.closed])
    expect(closed.slice(0, 3)).toEqual(['', '', ''])
    expect([connections().https?.tooSlow, connections().http.tooSlow]).toEqual([3, 1])
    working.socket?.write(getRequest('ada.example'))
    expect((await working.received).match(/200 OK/g)).toHaveLength(2)
  })

  test('beyond the limit of one address are closed at once; those of a trusted proxy are not', async () => {
    const { httpPort, connections } = world.start()
    const sockets = []
    for (let i = 0; i < 256; i++) sockets.push(await openRaw(httpPort, ''))
    expect(await (await openRaw(httpPort, '')).closed).toBe('')
    expect([connections().open, connections().http.overLimit]).toEqual([256, 1])
    for (const { socket } of sockets.slice(0, 10)) socket.end()
    while (connections().open > 246) await Bun.sleep(1)
    expect(await sendRaw(httpPort, getRequest('a.example'))).toContain('in the clear: a.example')
    for (const { socket } of sockets) socket.end()

    const proxied = world.start({ trustedProxies: [parseNetwork('127.0.0.0/8')].filter((one) => one !== undefined) })
    const many = []
    for (let i = 0; i < 300; i++) many.push(await openRaw(proxied.httpPort, ''))
    expect(await sendRaw(proxied.httpPort, getRequest('a.example'))).toContain('in the clear')
    for (const { socket } of many) socket.end()
  })
})
