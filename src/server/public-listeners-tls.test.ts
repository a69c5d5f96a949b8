import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:tls'
import { createIssuer } from '../hosting/certificates/testing/issuer.ts'
import { getRequest, openHttps, parseResponse, sendHttps } from '../testing/https-client.ts'
import {
  createListenerWorld,
  get,
  helloOf,
  issuer,
  type ListenerWorld,
  openRaw,
  original,
} from './testing/public-listeners.ts'

let world: ListenerWorld
beforeEach(() => {
  world = createListenerWorld()
})
afterEach(() => world.close())

/** The protocol that ALPN selects: false for none, `failed` if there is no handshake. */
function protocolOf(
  port: number,
  client: {
    readonly protocols?: string[]
    readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3'
    readonly session?: Buffer
    readonly onSession?: (session: Buffer) => void
    readonly onReused?: () => void
  },
) {
  const { protocols, onSession, onReused, ...rest } = client
  const { promise, resolve } = Promise.withResolvers<string | false | null>()
  let protocol: string | false | null = 'failed'
  const options = { host: '127.0.0.1', port, servername: 'ada.example', ca: issuer.root, ...rest }
  const socket = connect({ ...options, ...(protocols && { ALPNProtocols: protocols }) }, () => {
    if (socket.isSessionReused()) onReused?.()
    protocol = socket.authorized ? socket.alpnProtocol : 'not trusted'
    socket.on('data', () => {})
    socket.write(getRequest('ada.example'))
  })
  if (onSession) socket.on('session', onSession)
  socket.on('error', () => {})
  socket.on('close', () => resolve(protocol))
  return promise
}

describe('over HTTPS', () => {
  test('a name is served with its own certificate', async () => {
    const { https } = world.start()
    expect(await get(https, 'ada.example')).toEqual([200, 'Ada'])
    expect(await get(https, 'ADA.Example')).toEqual([200, 'Ada'])
  })

  test('a handshake fails without a server name, and for a name without a site or without a certificate', async () => {
    const { https } = world.start()
    world.certificates.set('carl.example', original.ada)
    for (const name of [null, 'ben.example', 'carl.example', 'stores.example', '127.0.0.1']) {
      expect([name, await get(https, name, 'ada.example')]).toEqual([name, expect.stringContaining('failed')])
    }
  })

  test('a request for another host than the server name is misdirected, even if that host is served', async () => {
    const { https } = world.start()
    world.certificates.set('ben.example', await issuer.server(['ben.example']))
    expect(await get(https, 'ben.example')).toEqual([200, 'Ben'])
    for (const host of ['ben.example', 'api.stores.example', 'ada.example.evil.example']) {
      expect([host, (await get(https, 'ada.example', host))[0]]).toEqual([host, 421])
    }
    for (const host of ['', 'ada.example, ada.example', 'ada.example\r\nHost: ada.example', 'ada.example:70000']) {
      expect([host, (await get(https, 'ada.example', host))[0]]).toEqual([host, 400])
    }
    expect(await get(https, 'ada.example', 'ADA.example.:')).toEqual([200, 'Ada'])
    const keepAlive = 'GET / HTTP/1.1\r\nHost: ada.example\r\n\r\n'
    const text = await sendHttps({
      port: https,
      name: 'ada.example',
      text: keepAlive + getRequest('ben.example'),
    })
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '421'])
  })

  test('HTTP/1.1 is selected for clients that offer it, and the handshake of clients that offer only others fails', async () => {
    const { https, connections } = world.start()
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const selected = (protocols?: string[]) => protocolOf(https, { maxVersion, ...(protocols && { protocols }) })
      expect(await selected(['h2', 'http/1.1'])).toBe('http/1.1')
      expect(await selected(['http/1.1'])).toBe('http/1.1')
      expect(await selected()).toBe(false)
      expect(await selected(['h2'])).toBe('failed')
    }
    expect(connections().https?.rejected).toBe(2)
    // The alert no_application_protocol (RFC 7301 section 3.2).
    expect(await (await openRaw(https, await helloOf(['h2']))).closed).toBe('\x15\x03\x03\0\x02\x02\x78')
  })

  test('a session that is resumed has HTTP/1.1 as well', async () => {
    const { https } = world.start()
    const sessions: Buffer[] = []
    expect(await protocolOf(https, { protocols: ['http/1.1'], onSession: (one) => void sessions.push(one) })).toBe(
      'http/1.1',
    )
    const [session] = sessions
    expect(session).toBeDefined()
    let isReused = false
    const options = { protocols: ['h2', 'http/1.1'], ...(session && { session }), onReused: () => (isReused = true) }
    expect([await protocolOf(https, options), isReused]).toEqual(['http/1.1', true])
  })

  test('a handshake that the client breaks off is counted as rejected', async () => {
    const { https, connections } = world.start()
    expect(await get(https, 'ada.example')).toEqual([200, 'Ada'])
    const distrusting = await sendHttps({ port: https, name: 'ada.example', ca: (await createIssuer()).root, text: '' })
    expect(distrusting).toStartWith('failed')
    const garbled = await openRaw(https, Buffer.concat([await helloOf([]), Buffer.from('no handshake at all')]))
    await garbled.closed
    expect([connections().https?.accepted, connections().https?.rejected]).toEqual([3, 2])
  })
})

describe('certificates', () => {
  test('a new one is used by new connections, while open connections continue', async () => {
    const { https, update } = world.start()
    const open = await openHttps({ port: https, name: 'ada.example', ca: issuer.root, text: '' })
    const other = await createIssuer('Another CA')
    world.certificates.set('ada.example', await other.server(['ada.example']))
    update()
    expect(await get(https, 'ada.example')).toStartWith('failed')
    const text = getRequest('ada.example')
    expect(parseResponse(await sendHttps({ port: https, name: 'ada.example', ca: other.root, text }))).toEqual([
      200,
      'Ada',
    ])
    open.socket?.write(text)
    expect(parseResponse(await open.received)).toEqual([200, 'Ada'])
  })

  test('an unusable one is logged once, and the handshake fails', async () => {
    const { https } = world.start()
    world.certificates.set('ada.example', { cert: 'no certificate', key: 'no key' })
    world.certificates.set('ben.example', { cert: original.ada.cert, key: original.api.key })
    for (let i = 0; i < 3; i++) {
      for (const name of ['ada.example', 'ben.example']) expect(await get(https, name)).toStartWith('failed')
    }
    expect(world.logged.filter((line) => line.includes('certificate cannot be used'))).toHaveLength(2)
  })

  test('open connections of a name end as soon as it is no longer served', async () => {
    const { https, update } = world.start()
    const open = await openHttps({ port: https, name: 'ada.example', ca: issuer.root, text: '' })
    const kept = await openHttps({ port: https, name: 'api.stores.example', ca: issuer.root, text: '' })
    world.sites.delete('ada.example')
    update()
    expect(await open.received).toBe('')
    expect(await get(https, 'ada.example')).toStartWith('failed')
    kept.socket?.write(getRequest('api.stores.example'))
    expect(parseResponse(await kept.received)[0]).toBe(200)
  })

  test('no handshake fails while certificates are added, replaced and removed', async () => {
    const spare = await Promise.all(Array.from({ length: 8 }, () => issuer.server(['ada.example'])))
    const { https, update } = world.start()
    let isDone = false
    let changes = 0
    const changing = (async () => {
      while (!isDone) {
        const one = spare[changes % spare.length] ?? original.ada
        world.certificates.set('ada.example', { ...one })
        if (changes % 3 === 0) world.certificates.set(`${changes}.example`, one)
        if (changes % 3 === 2) world.certificates.delete(`${changes - 2}.example`)
        update()
        changes++
        await Bun.sleep(2)
      }
    })()
    const results = new Map<string, number>()
    const text = getRequest('ada.example')
    const connect = async () => {
      for (let i = 0; i < 50; i++) {
        const received = await sendHttps({ port: https, name: 'ada.example', ca: issuer.root, text })
        const result = received.startsWith('failed') ? received : String(parseResponse(received)[0])
        results.set(result, (results.get(result) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: 20 }, connect))
    isDone = true
    await changing
    expect(Object.fromEntries(results)).toEqual({ '200': 1_000 })
    expect(changes).toBeGreaterThan(10)
  })
})
