import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createContents } from '../hosting/sites/contents.ts'
import { createSite } from '../hosting/sites/site.ts'
import { getRequest, openHttps, parseResponse, sendHttps } from '../testing/https-client.ts'
import { sendRaw } from '../testing/send-raw.ts'
import { testLog } from '../testing/site-listener.ts'
import { createStoredFiles, findIn } from '../testing/stored-files.ts'
import { createListenerWorld, get, issuer, type ListenerWorld, openRaw } from './testing/public-listeners.ts'

let world: ListenerWorld
beforeEach(() => {
  world = createListenerWorld()
})
afterEach(() => world.close())

/** The statuses of the responses in what a connection has received. */
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

/** Sends each piece separately. */
async function sendPieces(socket: Bun.Socket, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    socket.write(piece)
    await Bun.sleep(0)
  }
}

describe('over HTTPS', () => {
  test('an absolute request target must name the same host as the Host header', async () => {
    const { https } = world.start()
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
    world.sites.set('ada.example', async (request) => new Response(await request.text()))
    const { https } = world.start()
    const head = 'POST / HTTP/1.1\r\nHost: ada.example\r\nContent-Length: 3\r\nExpect: 100-continue\r\n'
    const open = await openHttps({ port: https, name: 'ada.example', text: `${head}Connection: close\r\n\r\n` })
    while (!open.soFar().includes('100 Continue')) await Bun.sleep(1)
    open.socket?.write('abc')
    expect(await open.received).toEndWith('\r\n\r\nabc')
  })

  test('the API sees the address of the client', async () => {
    const { https } = world.start()
    const [status, address] = await get(https, 'api.stores.example')
    expect([status, address]).toEqual([200, expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/)])
  })

  test.skipIf(process.platform !== 'linux')('the API sees each of many clients, also at the same time', async () => {
    const { https } = world.start({ publicHost: '127.0.0.1' })
    const request = 'GET / HTTP/1.1\r\nHost: api.stores.example\r\n\r\n'
    const clients = Array.from({ length: 100 }, (_, i) => `127.0.1.${1 + i}`)
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
    world.sites.set('ada.example', async (request) => {
      if (request.method === 'POST') uploaded = hash(new Uint8Array(await request.arrayBuffer()))
      return new Response(bytes)
    })
    const { https } = world.start()
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

  test('pages from memory arrive whole, one after the other on a connection, at a client that reads slowly', async () => {
    const files = createStoredFiles()
    const sizes = { a: 100, b: 10_000, c: 200_000 }
    const pages = Object.entries(sizes).map(([name, size]) => files.add(`${name}.txt`, name.repeat(size)))
    const site = createSite(findIn(pages), { contents: createContents(files), log: testLog(world.logged) })
    world.sites.set('ada.example', site)
    const { https } = world.start()
    const open = await openHttps({ port: https, name: 'ada.example', ca: issuer.root, text: '' })
    let received = 0
    /** The body of the next response, which has a length of `size`. */
    async function next(size: number, method: string, path: string, ...fields: string[]): Promise<string> {
      open.socket?.write([`${method} ${path} HTTP/1.1`, 'Host: ada.example', ...fields, '', ''].join('\r\n'))
      for (;;) {
        open.socket?.pause()
        await Bun.sleep(1)
        open.socket?.resume()
        await Bun.sleep(0)
        const headEnd = open.soFar().indexOf('\r\n\r\n', received)
        if (headEnd === -1 || open.soFar().length < headEnd + 4 + size) continue
        received = open.soFar().length
        return open.soFar().slice(headEnd + 4)
      }
    }
    for (let round = 0; round < 3; round++) {
      for (const [name, size] of Object.entries(sizes)) {
        expect((await next(size, 'GET', `/${name}.txt`)) === name.repeat(size)).toBe(true)
        expect(await next(0, 'HEAD', `/${name}.txt`)).toBe('')
        expect(await next(10, 'GET', `/${name}.txt`, 'Range: bytes=0-9')).toBe(name.repeat(10))
      }
    }
    files.remove()
  })
})

describe('in the clear', () => {
  test('bytes that are not a request are rejected at once, even without a blank line', async () => {
    const { httpPort } = world.start()
    for (const bytes of ['SSH-2.0-x\r\n', '\x16\x03\x01\x02\x00', 'GET /\r\n']) {
      const { closed } = await openRaw(httpPort, bytes)
      expect([bytes, await closed]).toEqual([bytes, expect.stringMatching(/^HTTP\/1\.1 \d+ /)])
    }
  })

  test('an unknown method is 501 and CONNECT is 405, even over HTTPS and in later requests', async () => {
    const { https, httpPort } = world.start()
    const requests = (...lines: string[]) =>
      lines.map((line) => `${line} HTTP/1.1\r\nHost: ada.example\r\nContent-Length: 0\r\n\r\n`).join('')
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

  test('a header of more than 16 KiB is 431, and deletes the cookies that may be the reason, even over HTTPS, in pieces and in later requests', async () => {
    const { https, httpPort } = world.start()
    const request = (bytes: number) => {
      const text = getRequest('ada.example').replace('\r\n\r\n', '\r\nCookie: a=\r\n\r\n')
      return text.replace('a=', `a=${'x'.repeat(bytes - text.length)}`)
    }
    const first = 'GET / HTTP/1.1\r\nHost: ada.example\r\n\r\n'
    const [largest, tooLarge] = [request(16_384), request(16_385)]
    const inPieces = async (...pieces: string[]) => {
      const { socket, closed } = await openRaw(httpPort, first, async (received) => {
        if (received.includes('in the clear') && pieces.length > 0) await sendPieces(socket, pieces.splice(0))
      })
      return closed
    }
    const responses = [
      sendRaw(httpPort, tooLarge),
      sendHttps({ port: https, name: 'ada.example', text: tooLarge }),
      inPieces(tooLarge).then((text) => text.slice(text.lastIndexOf('HTTP/1.1'))),
      inPieces(tooLarge.slice(0, 9_000), tooLarge.slice(9_000)).then((text) =>
        text.slice(text.lastIndexOf('HTTP/1.1')),
      ),
    ]
    for (const response of await Promise.all(responses)) {
      expect(response).toStartWith('HTTP/1.1 431 Request Header Fields Too Large\r\nClear-Site-Data: "cookies"\r\n')
      expect(response).toEndWith('load the page again, with https:// in the address.')
    }
    expect(statuses(await sendRaw(httpPort, largest))).toEqual([200])
    expect(statuses(await inPieces(largest.slice(0, 9_000), largest.slice(9_000)))).toEqual([200, 200])
    expect(parseResponse(await sendHttps({ port: https, name: 'ada.example', text: largest }))).toEqual([200, 'Ada'])
  })

  test('the rest of a body after an early response is not taken for a request, even if its head came in pieces', async () => {
    const { httpPort } = world.start()
    /**
     * Sends a GET, then `first`, then `second`, each after the response to the one before; resolves to the statuses.
     */
    async function converse(first: readonly string[], second: readonly string[]) {
      let responses = 0
      let responded = Promise.withResolvers<void>()
      const { socket, closed } = await openRaw(httpPort, get, (received) => {
        if (statuses(received).length > responses) responded.resolve()
      })
      // Pieces arrive one by one only when there is a connection to the inner server.
      for (const pieces of [first, second]) {
        await responded.promise
        responded = Promise.withResolvers()
        responses++
        await sendPieces(socket, pieces)
      }
      return statuses(await closed)
    }
    const get = 'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n'
    const post = 'POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 8\r\n\r\n'
    const next = get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
    for (const head of [[post], [...post]]) {
      for (const pieces of [[`foo bar\n${next}`], ['12345678', next], ['1234', '5678', next], [`12345678${next}`]])
        expect([head, pieces, await converse(head, pieces)]).toEqual([head, pieces, [200, 200, 200]])
    }
    // A request after a whole body is examined.
    for (const [start, status] of [
      ['get /', 501],
      ['GET http://b.example/', 400],
    ] as const)
      expect([start, await converse([`${post}12345678`], [next.replace('GET /', start)])]).toEqual([
        start,
        [200, 200, status],
      ])
  })

  test('an absolute request target must name the same host as the Host header, even in pieces and in later requests', async () => {
    const { httpPort } = world.start()
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
    const { socket, closed } = await openRaw(httpPort, '', (received) => {
      if (received.includes('in the clear')) socket.write(text)
    })
    await sendPieces(socket, [...'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n'])
    expect(statuses(await closed)).toEqual([200, 400])
  })
})
