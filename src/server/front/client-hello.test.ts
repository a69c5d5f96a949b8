import { describe, expect, test } from 'bun:test'
import { connect } from 'node:tls'
import fc from 'fast-check'
import { maximumHelloBytes, readClientHello } from './client-hello.ts'

/** The first bytes that a real client sends. */
async function helloOf(options: { servername?: string; ALPNProtocols?: string[] }): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, bytes) {
        resolve(Buffer.from(bytes))
        socket.terminate()
      },
    },
  })
  const client = connect({ host: '127.0.0.1', port: listener.port, ...options })
  client.on('error', () => {})
  const bytes = await promise
  listener.stop(true)
  return bytes
}

const hello = await helloOf({ servername: 'Shop.Example', ALPNProtocols: ['h2', 'http/1.1'] })

/** The same message in records of `size` bytes. */
function inRecords(bytes: Buffer, size: number): Buffer {
  const message = bytes.subarray(5)
  const records: Buffer[] = []
  for (let at = 0; at < message.length; at += size) {
    const fragment = message.subarray(at, at + size)
    records.push(Buffer.from([22, 3, 1, fragment.length >> 8, fragment.length & 255]), fragment)
  }
  return Buffer.concat(records)
}

describe('a ClientHello', () => {
  test('has the server name in lower case and the protocols', () => {
    expect(readClientHello(hello)).toEqual({ serverName: 'shop.example', protocols: ['h2', 'http/1.1'] })
  })

  test('may have neither', async () => {
    const { serverName, protocols } = readClientHello(await helloOf({})) as Exclude<
      ReturnType<typeof readClientHello>,
      string
    >
    expect([serverName, protocols]).toEqual([undefined, undefined])
  })

  test('is incomplete until its last byte, in one record or in several', () => {
    for (const bytes of [hello, inRecords(hello, 200)]) {
      for (let length = 0; length < bytes.length; length++) {
        expect([length, readClientHello(bytes.subarray(0, length))]).toEqual([length, 'incomplete'])
      }
      expect(readClientHello(bytes)).toMatchObject({ serverName: 'shop.example' })
      expect(readClientHello(Buffer.concat([bytes, Buffer.alloc(9)]))).toMatchObject({ serverName: 'shop.example' })
    }
  })

  test('is invalid if its bytes are those of another protocol, or it is too long or in too many records', () => {
    const tooLong = Buffer.from(hello)
    tooLong.writeUIntBE(maximumHelloBytes, 6, 3)
    for (const bytes of [
      Buffer.from('GET / HTTP/1.1\r\n'),
      Buffer.from([22, 2]),
      Buffer.from([23, 3, 3]),
      Buffer.from([22, 3, 1, 0, 0]),
      Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0]),
      tooLong,
      inRecords(hello, 8),
    ]) {
      expect(readClientHello(bytes)).toBe('invalid')
    }
  })

  test('with any changed bytes is read or rejected, and never throws', () => {
    const change = fc.tuple(fc.nat(hello.length - 1), fc.nat(255))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const bytes = Buffer.from(hello)
        for (const [at, value] of changes) bytes[at] = value
        const result = readClientHello(bytes)
        expect(typeof result === 'string' ? ['incomplete', 'invalid'].includes(result) : true).toBe(true)
      }),
      { numRuns: 2_000 },
    )
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void readClientHello(Buffer.from(bytes))))
  })
})
