/** A client for tests of HTTPS listeners: it names the server and the host independently of each other. */

import type { Socket } from 'bun'

export interface HttpsRequest {
  /** 127.0.0.1 unless given. */
  readonly address?: string
  /** The address of the client; by default, the system chooses it. */
  readonly localAddress?: string
  readonly port: number
  /** The server name of the handshake; null for none. */
  readonly name: string | null
  /** The root that the certificate must lead to, in PEM; without it no certificate is accepted as wrong. */
  readonly ca?: string
  readonly protocols?: string
  /** The bytes to send after the handshake, one for each character. */
  readonly text: string
}

/** Sends a request and resolves to the whole response, or to `failed: …` if there was no handshake. */
export function sendHttps(request: HttpsRequest): Promise<string> {
  return openHttps(request).then(({ received }) => received)
}

/** Resolves after the handshake, or its failure. */
export function openHttps({ address = '127.0.0.1', localAddress, port, name, ca, protocols, text }: HttpsRequest) {
  interface Opened {
    readonly received: Promise<string>
    readonly soFar: () => string
    readonly socket: Socket<undefined> | undefined
  }
  const opened = Promise.withResolvers<Opened>()
  const received = Promise.withResolvers<string>()
  let result = ''
  let hasHandshake = false
  const soFar = () => result
  const fail = (reason: string) => {
    received.resolve(`failed: ${reason}`)
    opened.resolve({ received: received.promise, soFar, socket: undefined })
  }
  const tls = {
    ...(name === null ? {} : { serverName: name }),
    ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
    ...(protocols === undefined ? {} : { ALPNProtocols: protocols }),
  }
  Bun.connect({
    hostname: address,
    port,
    ...(localAddress === undefined ? {} : { localAddress }),
    tls,
    socket: {
      handshake(socket, success, error) {
        if (ca !== undefined && (!success || error)) {
          fail(String(error))
          socket.end()
          return
        }
        hasHandshake = true
        opened.resolve({ received: received.promise, soFar, socket })
        if (text !== '') socket.write(Buffer.from(text, 'latin1'))
      },
      data(_, bytes) {
        result += bytes.toString('latin1')
      },
      close: () => (hasHandshake ? received.resolve(result) : fail('closed')),
      error: (_, error) => fail(String(error)),
      connectError: (_, error) => fail(String(error)),
    },
  }).catch((error: unknown) => fail(String(error)))
  return opened.promise
}

/** The text of a GET request that closes its connection. */
export const getRequest = (host: string, path = '/', ...fields: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...fields, 'Connection: close', '', ''].join('\r\n')

/** Status and body of a response. */
export function parseResponse(text: string): [number, string] {
  const end = text.indexOf('\r\n\r\n')
  return [Number(text.split(' ')[1]), text.slice(end + 4)]
}
