/**
 * The opening of HTTPS connections. The ClientHello selects the certificate. Then Bun takes over the socket and
 * encrypts and decrypts itself; HTTP/1.1 is selected by ALPN (RFC 7301), which `Bun.serve` can't do.
 */

import type { Certificate } from '../../api/host.ts'
import { nodeTls } from '../../lib/late-modules.ts'
import type { Log } from '../../lib/log.ts'
import { readClientHello } from './client-hello.ts'
import type { Target } from './inner-servers.ts'

/** A certificate that is ready to use. */
export type SecureContext = object

/**
 * How a connection continues. Undefined while more bytes are needed; `rejection` is sent before the connection is
 * closed.
 */
export type Opening =
  | {
      /** Given if the bytes are a ClientHello. */
      readonly context?: SecureContext
      /** Called once the client may send requests; undefined if there is no inner server for them. */
      readonly target: (clientAddress: string) => Target | undefined
    }
  | { readonly rejection: Uint8Array }
  | undefined

/** Fatal alerts (RFC 8446 section 6) in a separate record. */
const alert = (description: number) => Buffer.from([21, 3, 3, 0, 2, 2, description])
const decodeError = alert(50)
const unrecognizedName = alert(112)
const noApplicationProtocol = alert(120)

const sentInClear = Buffer.from(
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 52\r\nConnection: close\r\n\r\n' +
    'This port speaks HTTPS. Use https:// in the address.',
)

export interface TlsOptions {
  /** The same object until the certificate changes; undefined for a name that is not served. */
  readonly certificateOf: (name: string) => Certificate | undefined
  /** For one connection after its handshake; undefined if the name is no longer served. */
  readonly target: (name: string, client: string) => Target | undefined
  readonly log: Log
}

/**
 * Returns a function that decides how a connection continues, by all bytes that the client has sent so far. The
 * handshake fails for a name without certificate, and for a client that sends no name or doesn't speak HTTP/1.1.
 */
export function createTlsOpening({ certificateOf, target, log }: TlsOptions): (bytes: Buffer) => Opening {
  /** Prepared by the first connection, in about 0.1 ms; undefined for a certificate that Bun rejects. */
  const contexts = new WeakMap<Certificate, SecureContext | undefined>()

  function contextOf(name: string): SecureContext | undefined {
    const certificate = certificateOf(name)
    if (certificate === undefined) return undefined
    if (!contexts.has(certificate)) contexts.set(certificate, prepare(name, certificate))
    return contexts.get(certificate)
  }

  function prepare(name: string, { cert, key }: Certificate): SecureContext | undefined {
    try {
      return nodeTls().createSecureContext({ cert, key }).context
    } catch (error) {
      log.error('a certificate cannot be used, and its name is not served', { name, error })
      return undefined
    }
  }

  return (bytes) => {
    const hello = readClientHello(bytes)
    if (hello === 'incomplete') return undefined
    if (hello === 'invalid') return { rejection: looksLikeHttp(bytes) ? sentInClear : decodeError }
    const { serverName, protocols } = hello
    if (serverName === undefined) return { rejection: unrecognizedName }
    if (protocols !== undefined && !protocols.includes('http/1.1')) return { rejection: noApplicationProtocol }
    const context = contextOf(serverName)
    if (context === undefined) return { rejection: unrecognizedName }
    return { context, target: (client) => target(serverName, client) }
  }
}

function looksLikeHttp(bytes: Buffer): boolean {
  return /^[A-Z]{3,7} \//.test(bytes.toString('latin1', 0, 9))
}

/** The protocols as in a ClientHello: the length of each name, and the name. */
const offeredProtocols = Buffer.from('\x08http/1.1', 'latin1')

/**
 * Begins the handshake as the server. `firstBytes` are those that the client has sent; `open` and, if they are wrong,
 * `handshake` and `close` of `handlers` are called before it returns. Afterwards `socket` can't be used; its own
 * handlers are called with the encrypted bytes, which nothing needs. Throws if the socket is closed.
 */
export function secure<Data>(
  socket: Bun.Socket<unknown>,
  context: SecureContext,
  firstBytes: Uint8Array,
  data: Data,
  handlers: Bun.SocketHandler<Data>,
): void {
  // Bun's `node:tls` uses these options for `new TLSSocket(socket, { isServer: true })`; its types don't have all of
  // them.
  const tls = { secureContext: context, ALPNProtocols: offeredProtocols, requestCert: false, rejectUnauthorized: false }
  const options = { isServer: true, initialData: firstBytes, tls, data, socket: handlers }
  socket.upgradeTLS(options as Bun.TLSUpgradeOptions<Data>)
}

export interface Pacer {
  /** Runs `task` in this turn of the event loop or in a later one, in the order of the calls. */
  run(task: () => void): void
}

/**
 * Lets `perTurn` handshakes begin in each turn of the event loop, in the order of the connections. Each takes about 0.2
 * ms, and connections that are open must not wait for all of them. Bun itself reads at most five sockets in a handshake
 * in a turn and puts the others on a stack, from which it takes the newest first: while more than five arrive in each
 * turn, the oldest are never read (decision 26). `perTurn` has to stay below that.
 */
export function createPacer(perTurn: number): Pacer {
  const waiting: (() => void)[] = []
  let left = perTurn
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      left = perTurn
      while (left > 0 && waiting.length > 0) {
        left--
        waiting.shift()?.()
      }
      if (left < perTurn) schedule()
    })
  }

  return {
    run(task) {
      schedule()
      if (left > 0 && waiting.length === 0) {
        left--
        task()
      } else {
        waiting.push(task)
      }
    },
  }
}
