/** The opening of HTTPS connections: the ClientHello selects the inner server of its name, or the handshake fails. */

import type { Opening, Target } from '../connection.ts'
import { readClientHello } from './client-hello.ts'

/** Fatal alerts (RFC 8446 section 6) in a record of their own. */
const alert = (description: number) => Buffer.from([21, 3, 3, 0, 2, 2, description])
const decodeError = alert(50)
const unrecognizedName = alert(112)
const noApplicationProtocol = alert(120)

const sentInClear = Buffer.from(
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 52\r\nConnection: close\r\n\r\n' +
    'This port speaks HTTPS. Use https:// in the address.',
)

/**
 * The bytes that a client sends at least to finish a handshake: the encrypted Finished message of TLS 1.3
 * (RFC 8446 section 4.4.4). Those of TLS 1.2 are longer.
 */
export const finishedBytes = 58

/**
 * Returns the `open` of a front. A name that `find` doesn't know, and a client that sends none, fail the handshake. The
 * inner servers speak HTTP/1.1 and select no protocol, which means the same (RFC 7301 section 3.2).
 */
export function createTlsOpening(find: (name: string) => Target | undefined): (bytes: Buffer) => Opening {
  return (bytes) => {
    const hello = readClientHello(bytes)
    if (hello === 'incomplete') return undefined
    if (hello === 'invalid') return { rejection: looksLikeHttp(bytes) ? sentInClear : decodeError }
    const { serverName, protocols } = hello
    if (serverName === undefined) return { rejection: unrecognizedName }
    if (protocols !== undefined && !protocols.includes('http/1.1')) return { rejection: noApplicationProtocol }
    const target = find(serverName)
    return target === undefined ? { rejection: unrecognizedName } : { target }
  }
}

function looksLikeHttp(bytes: Buffer): boolean {
  return /^[A-Z]{3,7} \//.test(bytes.toString('latin1', 0, 9))
}
