import { afterEach, expect, test } from 'bun:test'
import { createHttpProbe, probeFindings } from './http-probe.ts'

const path = '/.well-known/acme-challenge/petstore-probe'
const servers: { stop(closeActive?: boolean): unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true)
})

/** A TCP server that responds to each connection as `respond` returns. */
function listen(respond: (request: string) => string | undefined, received: string[] = []): number {
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, chunk) {
        received.push(chunk.toString())
        const response = respond(chunk.toString())
        if (response === undefined) return
        socket.write(response)
        socket.end()
      },
      error() {},
    },
  })
  servers.push(listener)
  return listener.port
}
// A loaded machine may hold up client and server: only silence runs into a timeout.
const allowed = { path, expected: 'petstore 1a2b', allowPrivateAddresses: true, timeoutMs: 60_000 }
const probe = (port: number, more: object = {}) =>
  createHttpProbe({ ...allowed, port, ...more })('www.kiosk.example', '127.0.0.1', neverAborted)
const neverAborted = new AbortController().signal
const http = (status: string, body: string, fields = '') =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n${fields}\r\n${body}`

test('the response of this service is recognised, and the request names the host', async () => {
  const received: string[] = []
  const port = listen(() => http('200 OK', 'petstore 1a2b'), received)
  expect(await probe(port)).toEqual({ address: '127.0.0.1', kind: 'ok', detail: 'this service' })
  expect(received[0]).toStartWith(`GET ${path} HTTP/1.1\r\nHost: www.kiosk.example\r\nX-Forwarded-Proto: http\r\n`)
})

test('the response of a real HTTP server is recognised, also in chunks', async () => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => new Response(new URL(url).pathname === path ? new Blob(['petstore 1a2b']).stream() : '?'),
  })
  servers.push(server)
  expect((await probe(server.port ?? 0)).kind).toBe('ok')
})

test('another server is recognised by its response, and a redirect is not followed', async () => {
  const received: string[] = []
  const other = async (response: string) => (await probe(listen(() => response, received))).detail
  expect(await other(http('404 Not Found', 'nothing', 'Server: nginx/1.22.1\r\n'))).toBe('HTTP 404 from nginx/1.22.1')
  expect(await other(http('200 OK', 'Welcome to my router'))).toBe('HTTP 200')
  expect(await other(http('301 Moved', '', `Location: http://127.0.0.1:1${path}\r\n`))).toBe('HTTP 301')
  expect(await other('SSH-2.0-OpenSSH_9.2\r\n')).toBe('a response that is not HTTP')
  expect(received).toHaveLength(4)
  expect((await probe(listen(() => http('200 OK', 'petstore ffff')))).kind).toBe('other')
})

test('a closed port, silence and a connection without a response are unreachable', async () => {
  const closed = listen(() => '')
  servers.splice(0)[0]?.stop(true)
  expect(await probe(closed)).toEqual({ address: '127.0.0.1', kind: 'unreachable', detail: 'connection refused' })
  const silent = listen(() => undefined)
  expect((await probe(silent, { timeoutMs: 50 })).detail).toBe('no response in time')
  expect((await probe(listen(() => ''))).kind).toBe('unreachable')
})

test('an endless response costs bounded memory and time', async () => {
  const port = listen(() => `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(5_000_000)}`)
  expect(await probe(port)).toMatchObject({ kind: 'other', detail: 'HTTP 200' })
})

test('an aborted check ends the probe at once', async () => {
  const port = listen(() => undefined)
  const run = createHttpProbe({ ...allowed, port })
  const controller = new AbortController()
  const result = run('www.kiosk.example', '127.0.0.1', controller.signal)
  controller.abort()
  expect((await result).kind).toBe('unreachable')
  expect((await run('www.kiosk.example', '127.0.0.1', AbortSignal.abort())).kind).toBe('unreachable')
})

test('nothing is sent to a private address unless that is allowed', async () => {
  const received: string[] = []
  const port = listen(() => http('200 OK', 'petstore 1a2b'), received)
  const run = createHttpProbe({ path, expected: 'petstore 1a2b', port })
  for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1']) {
    expect((await run('www.kiosk.example', address, neverAborted)).detail).toBe('it is not a public address')
  }
  expect(received).toEqual([])
})

test('where a proxy ends TLS, its redirect to the same host over HTTPS is right, and no other', async () => {
  const kinds: string[] = []
  for (const [isProxied, location] of [
    [true, `https://www.kiosk.example${path}`],
    [true, `https://WWW.kiosk.example:8443${path}`],
    [false, `https://www.kiosk.example${path}`],
    [true, `https://router.example${path}`],
    [true, `http://www.kiosk.example${path}`],
  ] as const) {
    const port = listen(() => http('308 Permanent Redirect', '', `Location: ${location}\r\n`))
    const proxied = createHttpProbe({ ...allowed, port, isProxied })
    kinds.push((await proxied('www.kiosk.example', '127.0.0.1', neverAborted)).kind)
  }
  expect(kinds).toEqual(['ok', 'ok', 'other', 'other', 'other'])
})

test('another server and an address that cannot be reached are warnings, the service itself is no finding', async () => {
  const kinds = { '192.0.2.10': 'other', '2001:db8::10': 'unreachable', '192.0.2.11': 'ok' } as const
  const probeOf = async (_: string, address: string) => ({ address, kind: kinds[address as '192.0.2.10'], detail: '' })
  const findings = await probeFindings(probeOf, 'www.kiosk.example', Object.keys(kinds), neverAborted)
  expect(findings.map(({ code, severity, observed }) => [severity, code, observed[0]?.server])).toEqual([
    ['warning', 'wrong_server', '192.0.2.10'],
    ['warning', 'http_unreachable', '2001:db8::10'],
  ])
})
