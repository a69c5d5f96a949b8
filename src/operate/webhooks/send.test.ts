import { afterEach, describe, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createIssuer } from '../../hosting/certificates/testing/issuer.ts'
import { createManualClock, systemClock } from '../../lib/clock.ts'
import { loopback, type Network, parseNetwork } from '../../lib/network.ts'
import { addressesOf, storedUrl } from './destination.ts'
import { createSender, type SenderOptions } from './send.ts'

const message = { id: 'evt_1', body: '{"id":"evt_1"}' }
const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']
const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** A server on loopback that reacts to the first bytes of a connection; resolves to its port. */
async function listen(react: (socket: Socket, first: string) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (first) => react(socket, String(first)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => server.close())
  return (server.address() as { port: number }).port
}

function post(url: string, options: Partial<SenderOptions> = {}, signal = new AbortController().signal) {
  const send = createSender({
    networks: loopback,
    clock: systemClock,
    resolve: async () => ['127.0.0.1'],
    ...options,
  })
  return send({ url, secrets }, message, signal)
}

test('a request has the name of the host, its port, the path and the headers of Standard Webhooks', async () => {
  let head = ''
  const port = await listen((socket, first) => {
    head = first
    socket.end('HTTP/1.1 204 No Content\r\n\r\n')
  })
  const clock = { ...systemClock, now: () => 1_795_169_700_500 }
  const outcome = await post(`http://partner.example:${port}/hook?x=1`, { clock })
  expect(outcome).toMatchObject({ isDelivered: true, status: 204, error: null, response: null })
  expect(head).toStartWith('POST /hook?x=1 HTTP/1.1\r\n')
  const fields = head.toLowerCase()
  expect(fields).toContain(`\r\nhost: partner.example:${port}\r\n`)
  expect(fields).toContain('\r\nwebhook-id: evt_1\r\n')
  expect(fields).toContain('\r\nwebhook-timestamp: 1795169700\r\n')
})

describe('where a request may go', () => {
  const refused = (address: string, networks: readonly Network[] = []) =>
    addressesOf(new URL('https://partner.example/'), networks, async () => [address])

  test.each([
    '10.0.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '192.168.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '::10.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::a00:1',
    '2002:a00:1::',
    '2001:0:a00:1::',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'ff02::1',
  ])('not to %s', async (address) => {
    await expect(refused(address)).rejects.toThrow('not on the public internet')
  })

  test('not if one of several addresses is private', async () => {
    const resolve = async () => ['8.8.8.8', '10.0.0.1']
    await expect(addressesOf(new URL('https://partner.example/'), [], resolve)).rejects.toThrow(
      'partner.example leads to 10.0.0.1, which is not on the public internet (private). The operator can permit it with --webhook-network.',
    )
  })

  test('to three addresses at most, those of IPv4 first', async () => {
    const resolve = async () => ['2606:4700::1', '1.1.1.1', '2606:4700::2', '8.8.8.8', '8.8.8.8', '9.9.9.9']
    expect(await addressesOf(new URL('https://partner.example/'), [], resolve)).toEqual([
      '1.1.1.1',
      '8.8.8.8',
      '9.9.9.9',
    ])
  })

  test('to a network that the operator permits, there also with http; the public internet needs https', async () => {
    const lan = [parseNetwork('192.168.1.0/24') as Network]
    const till = async (address: string) => addressesOf(new URL('http://till.example/'), lan, async () => [address])
    expect(await till('192.168.1.20')).toEqual(['192.168.1.20'])
    await expect(till('192.168.2.20')).rejects.toThrow('not on the public internet')
    await expect(till('8.8.8.8')).rejects.toThrow('only https:// is allowed there')
  })

  test('in every notation of an IPv4 address', () => {
    for (const host of ['0x7f.1', '2130706433', '0177.0.0.1', '127.1', '[::ffff:7f00:1]', '127.0.0.1.']) {
      expect(() => storedUrl(`https://${host}/`, [])).toThrow('not on the public internet')
    }
  })

  test('a name that has no address, or that cannot be looked up, fails', async () => {
    const fails = async () => {
      throw Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' })
    }
    const outcome = await post('https://nowhere.example/', { resolve: fails })
    expect(outcome).toMatchObject({ isDelivered: false, error: 'The name nowhere.example has no address.' })
    expect(await post('https://nowhere.example/', { resolve: async () => [] })).toMatchObject({ isDelivered: false })
  })

  test('a name that changes after the look-up is connected to at the address that was looked up', async () => {
    let lookUps = 0
    const port = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    // A second look-up, as by the HTTP client, would lead elsewhere.
    const resolve = async () => (lookUps++ === 0 ? ['127.0.0.1'] : ['127.0.0.9'])
    expect((await post(`http://partner.example:${port}/`, { resolve })).isDelivered).toBe(true)
    expect(lookUps).toBe(1)
    const outcome = await post(`http://partner.example:${port}/`, { networks: [], resolve: async () => ['127.0.0.1'] })
    expect(outcome.error).toContain('127.0.0.1')
  })

  test('the next address is tried if nothing listens at the first', async () => {
    const port = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    const resolve = async () => ['127.0.0.2', '127.0.0.1']
    expect((await post(`http://partner.example:${port}/`, { resolve })).isDelivered).toBe(true)
    const nobody = await post('http://partner.example:1/', { resolve })
    expect(nobody.error).toBe(
      'partner.example (127.0.0.2, 127.0.0.1), port 1 cannot be reached: nothing listens there.',
    )
  })

  test('no proxy of the environment is used', async () => {
    let isProxyUsed = false
    const proxy = await listen((socket) => {
      isProxyUsed = true
      socket.destroy()
    })
    const port = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    const before = { ...process.env }
    const address = `http://127.0.0.1:${proxy}`
    Object.assign(process.env, { HTTPS_PROXY: address, HTTP_PROXY: address, https_proxy: address, http_proxy: address })
    try {
      expect((await post(`http://partner.example:${port}/`)).isDelivered).toBe(true)
    } finally {
      for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy']) {
        if (before[name] === undefined) delete process.env[name]
        else process.env[name] = before[name]
      }
    }
    expect(isProxyUsed).toBe(false)
  })
})

describe('with TLS', () => {
  async function serveTls(names: readonly string[]) {
    const issuer = await createIssuer()
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      tls: await issuer.server(names),
      fetch: (request) =>
        new Response(null, { status: request.headers.get('host')?.startsWith('partner.example') ? 204 : 500 }),
    })
    stops.push(() => server.stop(true))
    return { port: server.port, ca: issuer.root }
  }

  test('the certificate has to be for the name of the host, not for its address', async () => {
    const right = await serveTls(['partner.example'])
    const outcome = await post(`https://partner.example:${right.port}/`, { ca: right.ca })
    expect(outcome).toMatchObject({ isDelivered: true, status: 204 })
    const wrong = await serveTls(['other.example'])
    const refused = await post(`https://partner.example:${wrong.port}/`, { ca: wrong.ca })
    expect(refused.error).toBe(
      `The certificate of partner.example (127.0.0.1), port ${wrong.port} is not trusted: it is for another name.`,
    )
  })

  test('a certificate of an unknown authority is refused', async () => {
    const { port } = await serveTls(['partner.example'])
    expect((await post(`https://partner.example:${port}/`)).error).toContain('is not trusted')
  })
})

describe('a response', () => {
  const answer = (text: string | Buffer) => listen((socket) => socket.end(text))

  test('that redirects is a failure, and nothing is requested there', async () => {
    let isFollowed = false
    const elsewhere = await listen(() => {
      isFollowed = true
    })
    const port = await answer(
      `HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:${elsewhere}/\r\ncontent-length: 0\r\n\r\n`,
    )
    expect(await post(`http://partner.example:${port}/`)).toMatchObject({
      isDelivered: false,
      status: 302,
      error: 'The receiver responded with 302: redirects are not followed.',
    })
    expect(isFollowed).toBe(false)
  })

  test('that does not end is read up to 2 KiB', async () => {
    let sent = 0
    const port = await listen((socket) => {
      socket.write('HTTP/1.1 500 Oh\r\n\r\n')
      const chunk = 'x'.repeat(65_536)
      const more = () => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length
        if (!socket.destroyed) socket.once('drain', more)
      }
      more()
    })
    const { response, status } = await post(`http://partner.example:${port}/`)
    expect([status, response]).toEqual([500, 'x'.repeat(2_048)])
    // What the sockets hold.
    expect(sent).toBeLessThan(32_000_000)
  })

  test('whose header does not end is a failure', async () => {
    const port = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const more = () => {
        while (!socket.destroyed && socket.write(`x: ${'y'.repeat(65_536)}\r\n`));
        if (!socket.destroyed) socket.once('drain', more)
      }
      more()
    })
    const { isDelivered, error } = await post(`http://partner.example:${port}/`)
    expect(isDelivered).toBe(false)
    expect(error).toEndWith('cannot be reached: the connection failed (ResponseHeadersTooLarge).')
  })

  test('that is a gzip bomb is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const head = `HTTP/1.1 500 Oh\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`
    const port = await answer(Buffer.concat([Buffer.from(head), bomb]))
    const { status, response } = await post(`http://partner.example:${port}/`)
    expect(status).toBe(500)
    expect((response ?? '').length).toBeLessThanOrEqual(2_048)
  })

  test('that is not HTTP, or is missing, is a failure with a reason', async () => {
    const ssh = await listen((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'))
    expect((await post(`http://partner.example:${ssh}/`)).error).toEndWith(
      'cannot be reached: the response is not HTTP.',
    )
    const { error } = await post(`http://partner.example:${await listen((socket) => socket.destroy())}/`)
    expect(error).toContain('the connection was closed without a response')
  })

  test('that does not come within 15 seconds is a failure', async () => {
    const clock = createManualClock(0)
    const port = await listen(() => clock.advance(15_000))
    expect(await post(`http://partner.example:${port}/`, { clock })).toMatchObject({
      isDelivered: false,
      status: null,
      error: 'There was no response within 15 seconds.',
    })
  })

  test('a look-up that does not end is a failure, too', async () => {
    const clock = createManualClock(0)
    const resolve = () => {
      queueMicrotask(() => clock.advance(15_000))
      return new Promise<never>(() => {})
    }
    expect((await post('https://partner.example/', { clock, resolve })).error).toContain('15 seconds')
  })

  test('is not awaited when the service stops', async () => {
    const stop = new AbortController()
    const port = await listen(() => stop.abort())
    await expect(post(`http://partner.example:${port}/`, {}, stop.signal)).rejects.toThrow()
  })
})
