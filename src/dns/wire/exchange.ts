/**
 * Sends a query and reads its reply: UDP twice, then TCP if a reply over UDP is truncated or may be forged; or TCP
 * first.
 */

import type { Socket } from 'node:net'
import { nodeNet } from '../../lib/late-modules.ts'
import { codeOf } from '../../lib/system-error.ts'
import type { Budget, Limits } from './budget.ts'
import type { Endpoint } from './endpoint.ts'
import { createQuery, isSendable, matchReply, type Query, type QuerySpec } from './query.ts'
import { readReply } from './read-message.ts'
import { type FailureReason, failure, type Outcome, type Reply } from './record.ts'

/** What earlier exchanges with a server have shown. It saves queries and timeouts. */
export interface ServerTraits {
  /** A query over TCP got no reply. */
  withoutTcp?: boolean
  /** It replied to a query only without EDNS. */
  withoutEdns?: boolean
}

export interface ExchangeOptions {
  readonly limits: Limits
  readonly budget: Budget
  /** Changed by the exchange. */
  readonly traits: ServerTraits
  /** TCP first, UDP if the server does not accept connections: for replies that prove something. */
  readonly tcpFirst?: boolean
}

/** Never rejects. A query beyond the limits of the check fails as `limit_reached`. */
export async function exchange(endpoint: Endpoint, spec: QuerySpec, options: ExchangeOptions): Promise<Outcome> {
  if (spec.name !== '' && !isSendable(spec.name)) return failure('malformed')
  const { traits } = options
  const plain = traits.withoutEdns === true
  const outcome = await exchangeOnce(endpoint, { ...spec, plain }, options)
  if (plain || !isTooOld(outcome)) return outcome
  const repeated = await exchangeOnce(endpoint, { ...spec, plain: true }, options)
  if (repeated.kind === 'reply' && !isTooOld(repeated)) traits.withoutEdns = true
  return repeated
}

/** Whether the server does not support EDNS (RFC 6891, section 7). */
function isTooOld(outcome: Outcome): boolean {
  return outcome.kind === 'reply' && /^(FORMERR|NOTIMP)$/.test(outcome.rcode)
}

/** Whether the server gave no valid reply, and neither the network nor the limits of the check are the cause. */
function isUnanswered(outcome: Outcome): boolean {
  return outcome.kind === 'failure' && outcome.reason !== 'no_route' && outcome.reason !== 'limit_reached'
}

async function exchangeOnce(endpoint: Endpoint, spec: QuerySpec, options: ExchangeOptions): Promise<Outcome> {
  const { limits, budget, traits } = options
  let overTcp: Outcome | undefined
  if (options.tcpFirst && !traits.withoutTcp) {
    overTcp = await queryTcp()
    if (!isUnanswered(overTcp)) return overTcp
  }
  const overUdp = await queryUdp()
  if (overUdp.kind === 'failure') return overUdp
  if (overUdp.kind === 'reply' && !overUdp.truncated) return overUdp
  // A rejection that may be forged proves nothing, but suffices to repeat the query without EDNS.
  if (overUdp.kind === 'suspect' && overUdp.rejection && isTooOld(overUdp.rejection)) return overUdp.rejection
  return overTcp ?? queryTcp()

  async function queryUdp(): Promise<UdpOutcome> {
    let outcome: UdpOutcome = failure('limit_reached')
    for (const timeoutMs of limits.udpTimeoutsMs) {
      if (!budget.take()) return outcome
      outcome = await exchangeUdp(endpoint, createQuery(spec), timeoutMs, budget.signal)
      if (outcome.kind !== 'failure' || outcome.reason !== 'timeout') return outcome
    }
    return outcome
  }

  async function queryTcp(): Promise<Outcome> {
    if (!budget.take()) return failure('limit_reached')
    const outcome = await exchangeTcp(endpoint, createQuery(spec), limits.tcpTimeoutMs, budget.signal)
    if (isUnanswered(outcome)) traits.withoutTcp = true
    return outcome
  }
}

/** `suspect`: there were replies that may be forged; TCP decides that. `rejection`: one without the question. */
type UdpOutcome = Outcome | { readonly kind: 'suspect'; readonly rejection?: Reply }

// So many wrong replies are an attack: somebody guesses, and each further guess may be right.
const maximumMismatches = 8

/**
 * One query over UDP, on a separate, connected socket with a random port, so that the kernel drops packets of other
 * senders. Never rejects. Resolves after `timeoutMs` at the latest, or when `signal` is aborted; by then the socket is
 * closed.
 */
async function exchangeUdp(
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

// The replies to the checker's queries are short. A server that sends more wants to waste resources.
const maximumReplyBytes = 32_768

/**
 * One query over TCP (RFC 7766): two octets of length, then the message. Never rejects. Resolves after `timeoutMs` at
 * the latest, or when `signal` is aborted; the socket is destroyed by then.
 */
function exchangeTcp(
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
    else if (received.length >= length + 2) finish(readTcpReply(query, received.subarray(2, length + 2)))
  }
}

/** Checks a reply without the case of its letters: only the peer can write to the connection. */
function readTcpReply(query: Query, bytes: Uint8Array): Outcome {
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

/** The reason for an error of a socket. EHOSTUNREACH comes from a router or firewall near the host. */
export function reasonOf(error: unknown): FailureReason {
  const code = codeOf(error)
  if (/^(EAFNOSUPPORT|ENETUNREACH|EADDRNOTAVAIL|EPERM|EACCES|EINVAL)$/.test(code)) return 'no_route'
  return /^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH)$/.test(code) ? 'refused' : 'timeout'
}
