import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { createIssuer } from '../certificates/testing/issuer.ts'
import { contextOf } from '../http/context.ts'
import { createManualClock, type ManualClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { parseNetwork } from '../lib/network.ts'
import { emptyFolder } from '../testing/executable.ts'
import { getRequest, openHttps, parseResponse, sendHttps } from '../testing/https-client.ts'
import { sendRaw } from '../testing/send-raw.ts'
import { openingMs } from './front/front.ts'
import type { Certificate } from './front/tls/secure.ts'
import type { Site } from './handle.ts'
import { type PublicListeners, type PublicListenersOptions, startPublicListeners } from './public-listeners.ts'

const issuer = await createIssuer()
const certificate = (...names: string[]) => issuer.server(names)
const original = { ada: await certificate('ada.example'), api: await certificate('api.stores.example') }

let folder: ReturnType<typeof emptyFolder>
let clock: ManualClock
let certificates: Map<string, Certificate>
let sites: Map<string, Site>
let logged: string[]
let started: PublicListeners[]

beforeEach(() => {
  folder = emptyFolder()
  clock = createManualClock(0)
  logged = []
  started = []
  certificates = new Map([
    ['ada.example', original.ada],
    ['api.stores.example', original.api],
  ])
  const text =
    (title: string): Site =>
    () =>
      new Response(title)
  sites = new Map([
    ['ada.example', text('Ada')],
    ['ben.example', text('Ben')],
    [
      'api.stores.example',
      (request) => new Response(contextOf(request)?.peer.requestIP(request)?.address ?? 'unknown'),
    ],
  ])
})
afterEach(async () => {
  for (const one of started) await one.stop()
  folder.remove()
})

const hosting = { platformDomain: 'stores.example', publicHost: '::', httpPort: 0, httpsPort: 0 }

function start(options: Partial<PublicListenersOptions> = {}) {
  const one = startPublicListeners({
    hosting,
    trustedProxies: [],
    socketDirectory: join(folder.path, 'sockets'),
    plainSiteOf: (host) => () => new Response(`in the clear: ${host}`),
    secureSiteOf: (name) => sites.get(name),
    certificateOf: (name) => certificates.get(name),
    log: createLog({ level: 'info', json: false, now: () => 0, write: (line) => logged.push(line) }),
    clock,
    observe: () => {},
    ...options,
  })
  started.push(one)
  return { ...one, https: one.httpsPort ?? 0 }
}

const get = (port: number, name: string | null, host = name ?? '') =>
  sendHttps({ port, name, ca: issuer.root, text: getRequest(host) }).then((text) =>
    text.startsWith('failed') ? text : parseResponse(text),
  )

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

/** The ClientHello of a client that names `ada.example` and offers `protocols`. */
async function helloOf(protocols: string[]): Promise<Uint8Array> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  const trap = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: (_, bytes) => resolve(bytes.slice()) } })
  const socket = connect({ host: '127.0.0.1', port: trap.port, servername: 'ada.example', ALPNProtocols: protocols })
  socket.on('error', () => {})
  const bytes = await promise
  socket.destroy()
  trap.stop(true)
  return bytes
}

/** Opens a connection that sends `bytes`; `closed` resolves to what came back. */
async function raw(port: number, bytes: string | Uint8Array) {
  const closed = Promise.withResolvers<string>()
  let text = ''
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(_, received) {
        text += received.toString('latin1')
      },
      close: () => closed.resolve(text),
      error: () => closed.resolve(text),
    },
  })
  socket.write(bytes)
  return { socket, closed: closed.promise }
}

describe('over HTTPS', () => {
  test('a name is served with its own certificate', async () => {
    const { https } = start()
    expect(await get(https, 'ada.example')).toEqual([200, 'Ada'])
    expect(await get(https, 'ADA.Example')).toEqual([200, 'Ada'])
  })

  test('a handshake fails without a server name, and for a name without a site or without a certificate', async () => {
    const { https } = start()
    certificates.set('carl.example', original.ada)
    for (const name of [null, 'ben.example', 'carl.example', 'stores.example', '127.0.0.1']) {
      expect([name, await get(https, name, 'ada.example')]).toEqual([name, expect.stringContaining('failed')])
    }
  })

  test('a request for another host than the server name is misdirected, even if that host is served', async () => {
    const { https } = start()
    certificates.set('ben.example', await certificate('ben.example'))
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
    const { https, connections } = start()
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const selected = (protocols?: string[]) => protocolOf(https, { maxVersion, ...(protocols && { protocols }) })
      expect(await selected(['h2', 'http/1.1'])).toBe('http/1.1')
      expect(await selected(['http/1.1'])).toBe('http/1.1')
      expect(await selected()).toBe(false)
      expect(await selected(['h2'])).toBe('failed')
    }
    expect(connections().https?.rejected).toBe(2)
    // The alert no_application_protocol (RFC 7301 section 3.2).
    expect(await (await raw(https, await helloOf(['h2']))).closed).toBe('\x15\x03\x03\0\x02\x02\x78')
  })

  test('a session that is resumed has HTTP/1.1 as well', async () => {
    const { https } = start()
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
    const { https, connections } = start()
    expect(await get(https, 'ada.example')).toEqual([200, 'Ada'])
    const distrusting = await sendHttps({ port: https, name: 'ada.example', ca: (await createIssuer()).root, text: '' })
    expect(distrusting).toStartWith('failed')
    const garbled = await raw(https, Buffer.concat([await helloOf([]), Buffer.from('no handshake at all')]))
    await garbled.closed
    expect([connections().https?.accepted, connections().https?.rejected]).toEqual([3, 2])
  })

  test('an absolute request target must name the same host as the Host header', async () => {
    const { https } = start()
    const send = (target: string) => {
      const text = `GET ${target} HTTP/1.1\r\nHost: ada.example\r\nConnection: close\r\n\r\n`
      return sendHttps({ port: https, name: 'ada.example', text })
    }
    expect(parseResponse(await send('https://ada.example/x'))).toEqual([200, 'Ada'])
    for (const target of ['https://api.stores.example/x', 'http://b.example']) {
      expect([target, parseResponse(await send(target))[0]]).toEqual([target, 400])
    }
  })

  test('a short body may follow an interim response', async () => {
    sites.set('ada.example', async (request) => new Response(await request.text()))
    const { https } = start()
    const head = 'POST / HTTP/1.1\r\nHost: ada.example\r\nContent-Length: 3\r\nExpect: 100-continue\r\n'
    const open = await openHttps({ port: https, name: 'ada.example', text: `${head}Connection: close\r\n\r\n` })
    while (!open.soFar().includes('100 Continue')) await Bun.sleep(1)
    open.socket?.write('abc')
    expect(await open.received).toEndWith('\r\n\r\nabc')
  })

  test('the API sees the address of the client', async () => {
    const { https } = start()
    const [status, address] = await get(https, 'api.stores.example')
    expect([status, address]).toEqual([200, expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/)])
  })

  test.skipIf(process.platform !== 'linux')('the API sees each of many clients, also at the same time', async () => {
    const { https } = start({ hosting: { ...hosting, publicHost: '127.0.0.1' } })
    const request = 'GET / HTTP/1.1\r\nHost: api.stores.example\r\n\r\n'
    const clients = Array.from({ length: 300 }, (_, i) => `127.0.${1 + (i >> 7)}.${1 + (i & 127)}`)
    const open = []
    for (const localAddress of clients) {
      const one = { port: https, name: 'api.stores.example', localAddress, text: request }
      open.push(await openHttps(one))
    }
    for (const { socket } of open.toReversed())
      socket?.write(request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    const seen = await Promise.all(open.map(({ received }) => received))
    expect(seen.map((text) => [...text.matchAll(/127\.[\d.]+/g)].map(([address]) => address))).toEqual(
      clients.map((address) => [address, address]),
    )
  })

  test('a body of 30 MB arrives whole at a client that reads slowly, and so does an upload', async () => {
    const bytes = Buffer.alloc(30_000_000)
    for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(at, at)
    const hash = (content: Uint8Array) => new Bun.CryptoHasher('sha256').update(content).digest('hex')
    let uploaded = ''
    sites.set('ada.example', async (request) => {
      if (request.method === 'POST') uploaded = hash(new Uint8Array(await request.arrayBuffer()))
      return new Response(bytes)
    })
    const { https } = start()
    const init = { tls: { ca: issuer.root, serverName: 'ada.example' }, headers: { Host: 'ada.example' } }
    const url = `https://127.0.0.1:${https}/`
    const response = await fetch(url, { ...init, method: 'POST', body: bytes } as RequestInit)
    const hasher = new Bun.CryptoHasher('sha256')
    let count = 0
    for await (const chunk of response.body ?? []) {
      hasher.update(chunk)
      if (count++ % 20 === 0) await Bun.sleep(1)
    }
    expect([uploaded, hasher.digest('hex')]).toEqual([hash(bytes), hash(bytes)])
  })
})

describe('certificates', () => {
  test('a new one is used by new connections, while open connections go on', async () => {
    const { https, update } = start()
    const open = await openHttps({ port: https, name: 'ada.example', ca: issuer.root, text: '' })
    const other = await createIssuer('Another CA')
    certificates.set('ada.example', await other.server(['ada.example']))
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

  test('an unusable one is logged once, and the one before stays in use', async () => {
    const { https } = start()
    expect(await get(https, 'ada.example')).toEqual([200, 'Ada'])
    certificates.set('ada.example', { cert: 'no certificate', key: 'no key' })
    certificates.set('ben.example', { cert: original.ada.cert, key: original.api.key })
    for (let i = 0; i < 3; i++) {
      expect(await get(https, 'ada.example')).toEqual([200, 'Ada'])
      expect(await get(https, 'ben.example')).toStartWith('failed')
    }
    expect(logged.filter((line) => line.includes('certificate cannot be used'))).toHaveLength(2)
  })

  test('open connections of a name end as soon as it is not served any more', async () => {
    const { https, update } = start()
    const open = await openHttps({ port: https, name: 'ada.example', ca: issuer.root, text: '' })
    const kept = await openHttps({ port: https, name: 'api.stores.example', ca: issuer.root, text: '' })
    sites.delete('ada.example')
    update()
    expect(await open.received).toBe('')
    expect(await get(https, 'ada.example')).toStartWith('failed')
    kept.socket?.write(getRequest('api.stores.example'))
    expect(parseResponse(await kept.received)[0]).toBe(200)
  })

  test('no handshake fails while certificates are added, replaced and removed', async () => {
    const spare = await Promise.all(Array.from({ length: 8 }, () => certificate('ada.example')))
    const { https, update } = start()
    let isDone = false
    let changes = 0
    const changing = (async () => {
      while (!isDone) {
        const one = spare[changes % spare.length] ?? original.ada
        certificates.set('ada.example', { ...one })
        if (changes % 3 === 0) certificates.set(`${changes}.example`, one)
        if (changes % 3 === 2) certificates.delete(`${changes - 2}.example`)
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

describe('connections', () => {
  test('with garbage on the HTTPS port are closed, and HTTP there is explained', async () => {
    const { https, connections } = start()
    for (const bytes of ['\0\0\0\0\0\0', 'SSH-2.0-x\r\n', '\x16\x03\x01\0\x04\x02\0\0\0']) {
      // A fatal alert.
      expect(await (await raw(https, bytes)).closed).toStartWith('\x15\x03\x03\0\x02\x02')
    }
    expect(await sendRaw(https, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toContain('This port speaks HTTPS')
    expect(connections().https?.rejected).toBe(4)
    expect(await get(https, 'ada.example')).toEqual([200, 'Ada'])
  })

  test('that do not begin, or stop in the middle of the handshake, are closed after a time', async () => {
    const { https, httpPort, connections } = start()
    const silent = await raw(https, '')
    const half = await raw(https, '\x16\x03\x01\x02\x00\x01')
    const quiet = await raw(httpPort, '')
    // A whole ClientHello, and then nothing.
    const stuck = await raw(https, await helloOf([]))
    while (connections().open < 4) await Bun.sleep(1)
    const first = Promise.withResolvers<void>()
    sites.set('ada.example', () => {
      first.resolve()
      return new Response('Ada')
    })
    const text = 'GET / HTTP/1.1\r\nHost: ada.example\r\n\r\n'
    const working = await openHttps({ port: https, name: 'ada.example', ca: issuer.root, text })
    await first.promise
    clock.advance(openingMs + 1_000)
    const closed = await Promise.all([silent.closed, half.closed, quiet.closed, stuck.closed])
    expect(closed.slice(0, 3)).toEqual(['', '', ''])
    expect([connections().https?.tooSlow, connections().http.tooSlow]).toEqual([3, 1])
    working.socket?.write(getRequest('ada.example'))
    expect((await working.received).match(/200 OK/g)).toHaveLength(2)
  })

  test('beyond the limit of one address are closed at once; those of a trusted proxy are not', async () => {
    const { httpPort, connections } = start()
    const sockets = []
    for (let i = 0; i < 256; i++) sockets.push(await raw(httpPort, ''))
    expect(await (await raw(httpPort, '')).closed).toBe('')
    expect([connections().open, connections().http.overLimit]).toEqual([256, 1])
    for (const { socket } of sockets.slice(0, 10)) socket.end()
    while (connections().open > 246) await Bun.sleep(1)
    expect(await sendRaw(httpPort, getRequest('a.example'))).toContain('in the clear: a.example')
    for (const { socket } of sockets) socket.end()

    const proxied = start({ trustedProxies: [parseNetwork('127.0.0.0/8')].filter((one) => one !== undefined) })
    const many = []
    for (let i = 0; i < 300; i++) many.push(await raw(proxied.httpPort, ''))
    expect(await sendRaw(proxied.httpPort, getRequest('a.example'))).toContain('in the clear')
    for (const { socket } of many) socket.end()
  })
})

describe('in the clear', () => {
  test('an unknown method is 501 and CONNECT is 405, also over HTTPS and in later requests', async () => {
    const { https, httpPort } = start()
    const requests = (...lines: string[]) =>
      lines.map((line) => `${line} HTTP/1.1\r\nHost: ada.example\r\nContent-Length: 0\r\n\r\n`).join('')
    const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
    const last = 'Connection: close\r\n\r\n'
    for (const [line, status] of [
      ['FOO /', 501],
      ['get /', 501],
      ['PROPFIND /a', 501],
      ['FOO http://b.example/', 501],
      ['CONNECT .evil.example:443', 405],
      ['CONNECT ada.example:443', 405],
      ['CONNECT /', 405],
    ] as const) {
      const text = requests(line).replace(/\r\n$/, last)
      expect([line, statuses(await sendRaw(httpPort, text))]).toEqual([line, [status]])
      expect([line, parseResponse(await sendHttps({ port: https, name: 'ada.example', text }))[0]]).toEqual([
        line,
        status,
      ])
    }
    // The front does not examine pipelined requests.
    const pipelined = requests('GET /', 'CONNECT .evil.example:443').replace(/\r\n$/, last)
    const received = await sendRaw(httpPort, pipelined)
    expect([statuses(received), received.includes('evil')]).toEqual([[200, 405], false])
    expect(await sendRaw(httpPort, requests('OPTIONS /').replace(/\r\n$/, last))).toContain('in the clear')
  })

  test('the rest of a body after an early response is not taken for a request', async () => {
    const { httpPort } = start()
    const response = Promise.withResolvers<string>()
    let received = ''
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: httpPort,
      socket: {
        data(_, bytes) {
          const isFirst = received === ''
          received += bytes.toString()
          if (isFirst) socket.write('foo bar\nGET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n')
        },
        close: () => response.resolve(received),
      },
    })
    socket.write('POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 8\r\n\r\n')
    expect((await response.promise).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  })

  test('an absolute request target must name the same host as the Host header, also in pieces and in later requests', async () => {
    const { httpPort } = start()
    const send = async (target: string, ...hosts: string[]) =>
      parseResponse(
        await sendRaw(
          httpPort,
          [`GET ${target} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`), 'Connection: close', '', ''].join('\r\n'),
        ),
      )[0]
    expect(await send('http://a.example/x', 'a.example')).toBe(200)
    expect(await send('HTTP://A.example:80/x', 'a.EXAMPLE.')).toBe(200)
    expect(await send('http://a.example?x', 'a.example')).toBe(200)
    for (const target of ['http://b.example/x', 'https://b.example', 'http://a.example@b.example/', 'http:///x']) {
      expect([target, await send(target, 'a.example')]).toEqual([target, 400])
    }
    const text = 'GET http://b.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n'
    const pieces = Promise.withResolvers<string>()
    let received = ''
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: httpPort,
      socket: {
        data(_, bytes) {
          received += bytes.toString()
          if (received.includes('in the clear')) socket.write(text)
        },
        close: () => pieces.resolve(received),
      },
    })
    const first = 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n'
    for (const character of first) {
      socket.write(character)
      await Bun.sleep(0)
    }
    expect([...(await pieces.promise).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '200',
      '400',
    ])
  })
})

test('only the owner can open the sockets of the inner servers, and they are gone after the stop', async () => {
  const { https, httpPort, stop } = start()
  await get(https, 'ada.example')
  await sendRaw(httpPort, getRequest('ada.example'))
  const directory = join(folder.path, 'sockets')
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  const names = readdirSync(directory)
  expect(names.length).toBe(2)
  for (const name of names) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
  await stop()
  expect(readdirSync(folder.path)).toEqual([])
})

test('a directory whose path is too long for sockets is no obstacle', async () => {
  const { https } = start({ socketDirectory: join(folder.path, 'x'.repeat(120)) })
  expect(await get(https, 'ada.example')).toEqual([200, 'Ada'])
})

test('requests in flight are finished when the listeners stop, and no further connection is accepted', async () => {
  const release = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  sites.set('ada.example', async () => {
    arrived.resolve()
    await release.promise
    return new Response('late')
  })
  const { https, stop } = start()
  const response = get(https, 'ada.example')
  await arrived.promise
  const stopped = stop()
  expect(await get(https, 'ada.example')).toStartWith('failed')
  release.resolve()
  expect(await response).toEqual([200, 'late'])
  await stopped
})

test('a port in use is an error that names the option', () => {
  const { httpPort } = start()
  expect(() => start({ hosting: { ...hosting, httpPort } })).toThrow(
    expect.objectContaining({ name: 'ListenError', option: 'http-port' }),
  )
})
