/** One query over TCP (RFC 7766): two octets of length, then the message. */

import type { Socket } from 'node:net'
import { nodeNet } from '../../lib/late-modules.ts'
import type { Endpoint } from './endpoint.ts'
import { matchReply, type Query } from './query.ts'
import { readReply } from './read-message.ts'
import { failure, type Outcome } from './record.ts'
import { reasonOf } from './udp.ts'

// The replies to the checker's queries are short. A server that sends more wants to waste resources.
const maximumReplyBytes = 32_768

/**
 * Never rejects. Resolves after `timeoutMs` at the latest, or when `signal` is aborted; the socket is destroyed by
 * then.
 */
export function exchangeTcp(
  { address, port }: Endpoint,
  query: Query,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Outcome> {
  if (signal.aborted) return Promise.resolve(failure('limit_reached'))
  return new Promise((resolve) => {
    const socket: Socket = nodeNet().connect({ host: address, port })
    const timer = setTimeout(() => finish(failure('timeout')), timeoutMs)
    const onAbort = () => finish(failure('limit_reached'))
    signal.addEventListener('abort', onAbort)
    const receive = createCollector(query, finish)
    socket.on('connect', () => socket.write(framed(query.bytes)))
    socket.on('data', receive)
    socket.on('error', (error) => finish(failure(reasonOf(error))))
    // The server has closed the connection before a whole reply: it truncates replies or does not support TCP.
    socket.on('close', () => finish(failure('malformed')))

    function finish(outcome: Outcome): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
      resolve(outcome)
    }
  })
}

function framed(message: Uint8Array): Uint8Array {
  return new Uint8Array([message.length >> 8, message.length & 0xff, ...message])
}

function createCollector(query: Query, finish: (outcome: Outcome) => void) {
  let received = Buffer.alloc(0)
  return (chunk: Uint8Array) => {
    received = Buffer.concat([received, chunk])
    if (received.length < 2) return
    const length = received.readUInt16BE(0)
    if (length > maximumReplyBytes) finish(failure('malformed'))
    else if (received.length >= length + 2) finish(read(query, received.subarray(2, length + 2)))
  }
}

/** Checks a reply without the case of its letters: only the peer can write to the connection. */
function read(query: Query, bytes: Uint8Array): Outcome {
  if (matchReply(query, bytes) === 'no') return failure('malformed')
  try {
    const reply = readReply(bytes)
    // Only an error may have no question.
    if (matchReply(query, bytes) === 'no_question' && reply.rcode === 'NOERROR') return failure('malformed')
    // No other transport allows a longer reply.
    return reply.truncated ? failure('malformed') : reply
  } catch {
    return failure('malformed')
  }
}
