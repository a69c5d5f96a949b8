/** The opening of HTTPS connections: the ClientHello selects a certificate and later the inner server, or the handshake fails. */

import type { FrontOptions } from '../front.ts'
import type { Target } from '../inner.ts'
import { readClientHello } from './client-hello.ts'
import type { SecureContext } from './secure.ts'

/** Fatal alerts (RFC 8446 section 6) in a record of their own. */
const alert = (description: number) => Buffer.from([21, 3, 3, 0, 2, 2, description])
const decodeError = alert(50)
const unrecognizedName = alert(112)
const noApplicationProtocol = alert(120)

const sentInClear = Buffer.from(
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 52\r\nConnection: close\r\n\r\n' +
    'This port speaks HTTPS. Use https:// in the address.',
)

/** The names that are served, as a front needs them. */
export interface TlsNames {
  /** For one handshake; undefined for a name without site or certificate. */
  readonly contextOf: (name: string) => SecureContext | undefined
  /** For one connection after its handshake; undefined if the name is not served any more. */
  readonly target: (name: string, client: string) => Target | undefined
}

/**
 * Returns the `open` of a front. A name without context, and a client that sends no name or doesn't speak HTTP/1.1, fail the
 * handshake.
 */
export function createTlsOpening({ contextOf, target }: TlsNames): FrontOptions['open'] {
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
