/**
 * TLS of a connection whose ClientHello has been read. Bun takes over the socket and encrypts and decrypts itself; the
 * certificate is chosen for each connection, and HTTP/1.1 is selected by ALPN (RFC 7301), which `Bun.serve` can't do.
 */

import { nodeTls } from '../../../lib/node/modules.ts'

export interface Certificate {
  /** The certificate and its chain, in PEM. */
  readonly cert: string
  /** The private key, in PEM. */
  readonly key: string
}

/** A certificate that is ready to use. */
export type SecureContext = object

/** The protocols as in a ClientHello: the length of each name, and the name. */
const protocols = Buffer.from('\x08http/1.1', 'latin1')

/** Throws an Error for an unusable certificate. Takes about 0.1 ms. */
export function createSecureContext({ cert, key }: Certificate): SecureContext {
  // Without a key, Bun would let each handshake fail.
  if (key === '') throw new Error('The private key is missing.')
  const { context } = nodeTls().createSecureContext({ cert, key })
  return context
}

/**
 * Begins the handshake as the server. `firstBytes` are those that the client has sent; `open` and, if they are wrong,
 * `handshake` and `close` of `handlers` are called before it returns. Afterwards `socket` can't be used; its own handlers
 * are called with the encrypted bytes, which nothing needs. Throws if the socket is closed.
 */
export function secure<Data>(
  socket: Bun.Socket<unknown>,
  context: SecureContext,
  firstBytes: Uint8Array,
  data: Data,
  handlers: Bun.SocketHandler<Data>,
): void {
  // Bun's `node:tls` uses these options for `new TLSSocket(socket, { isServer: true })`; its types don't have all of them.
  const tls = { secureContext: context, ALPNProtocols: protocols, requestCert: false, rejectUnauthorized: false }
  const options = { isServer: true, initialData: firstBytes, tls, data, socket: handlers }
  socket.upgradeTLS(options as Bun.TLSUpgradeOptions<Data>)
}
