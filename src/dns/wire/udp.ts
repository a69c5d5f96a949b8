/**
 * One query over UDP, on a separate, connected socket with a random port, so that the kernel drops packets of other
 * senders.
 */

import { codeOf } from '../../lib/system-error.ts'
import type { Endpoint } from './endpoint.ts'
import { matchReply, type Query } from './query.ts'
import { readReply } from './read-message.ts'
import { type FailureReason, failure, type Outcome, type Reply } from './record.ts'

/** `suspect`: there were replies that may be forged; TCP decides that. `rejection`: one without the question. */
export type UdpOutcome = Outcome | { readonly kind: 'suspect'; readonly rejection?: Reply }

// So many wrong replies are an attack: somebody guesses, and each further guess may be right.
const maximumMismatches = 8

/**
 * Never rejects. Resolves after `timeoutMs` at the latest, or when `signal` is aborted; the socket is closed by then.
 */
export async function exchangeUdp(
  { address, port }: Endpoint,
  query: Query,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<UdpOutcome> {
  const { promise, resolve } = Promise.withResolvers<UdpOutcome>()
  const onAbort = () => resolve(failure('limit_reached'))
  const timer = setTimeout(() => resolve(failure('timeout')), timeoutMs)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  const receive = createReceiver(query, resolve)
  let socket: Awaited<ReturnType<typeof openSocket>> | undefined
  try {
    socket = await openSocket(address, port, receive, (error) => resolve(failure(reasonOf(error))))
    socket.send(query.bytes)
    return await promise
  } catch (error) {
    return failure(reasonOf(error))
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    socket?.close()
  }
}

function openSocket(address: string, port: number, data: (bytes: Uint8Array) => void, error: (error: unknown) => void) {
  return Bun.udpSocket({
    // Bun opens an IPv4 socket by default, which can't connect to an IPv6 address.
    hostname: address.includes(':') ? '::' : '0.0.0.0',
    connect: { hostname: address, port },
    socket: {
      data: (_, bytes) => data(bytes),
      // Bun passes only the error, contrary to its types.
      error: (...given: unknown[]) => error(given.at(-1)),
    },
  })
}

function createReceiver(query: Query, resolve: (outcome: UdpOutcome) => void) {
  let mismatches = 0
  return (bytes: Uint8Array) => {
    const match = matchReply(query, bytes)
    if (match === 'no') {
      mismatches += 1
      if (mismatches >= maximumMismatches) resolve({ kind: 'suspect' })
      return
    }
    try {
      const reply = readReply(bytes)
      if (match === 'yes') resolve(reply)
      else resolve({ kind: 'suspect', ...(match === 'no_question' ? { rejection: reply } : {}) })
    } catch {
      resolve({ kind: 'suspect' })
    }
  }
}

/** The reason for an error of a socket. EHOSTUNREACH comes from a router or firewall near the host. */
export function reasonOf(error: unknown): FailureReason {
  const code = codeOf(error)
  if (/^(EAFNOSUPPORT|ENETUNREACH|EADDRNOTAVAIL|EPERM|EACCES|EINVAL)$/.test(code)) return 'no_route'
  return /^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH)$/.test(code) ? 'refused' : 'timeout'
}
