/**
 * Fetches a page of this service from its own public addresses, to see whether they lead here. One plain HTTP/1.1
 * request over a new connection: no proxy of the environment is used, no redirect is followed, and a bounded part of
 * the response is read. The findings are about what it has seen.
 */

import { nodeNet } from '../lib/late-modules.ts'
import type { Finding, FindingCode } from './report.ts'
import { reservedUse } from './wire/global-address.ts'

/** `other`: another server has responded. */
export interface ProbeResult {
  readonly address: string
  readonly kind: 'ok' | 'other' | 'unreachable'
  /** The observation, for people, as in `connection refused`. */
  readonly detail: string
}

/**
 * Fetches a fixed path with `hostname` as Host from one public address, follows no redirect, and never rejects.
 */
export type HttpProbe = (hostname: string, address: string, signal: AbortSignal) => Promise<ProbeResult>

/** A response that is longer is not from this service. */
const maximumBytes = 8_192

export function createHttpProbe(options: {
  /** The path that only this service responds to as expected. */
  readonly path: string
  /** The body of the response of this service. */
  readonly expected: string
  /** The certificate authority connects to port 80, wherever the service itself listens. */
  readonly port?: number
  /** The time for the connection and the response together. */
  readonly timeoutMs?: number
  /** Whether it may connect to private and loopback addresses. */
  readonly allowPrivateAddresses?: boolean
  /** Whether a proxy ends TLS: it may redirect to HTTPS itself, and the service then gets no request. */
  readonly isProxied?: boolean
}): HttpProbe {
  const { path, expected, port = 80, timeoutMs = 2_500, allowPrivateAddresses = false, isProxied = false } = options
  return async (hostname, address, signal) => {
    if (!allowPrivateAddresses && reservedUse(address) !== undefined) {
      return { address, kind: 'unreachable', detail: 'it is not a public address' }
    }
    const outer = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const outcome = await exchange(address, port, requestFor(hostname, path), outer)
    if ('failure' in outcome) return { address, kind: 'unreachable', detail: outcome.failure }
    if (isProxied && leadsToHttps(outcome.text, hostname)) return { address, kind: 'ok', detail: 'a redirect to HTTPS' }
    return { address, ...judge(outcome.text, expected) }
  }
}

function requestFor(hostname: string, path: string): string {
  const fields = [
    `Host: ${hostname}`,
    // Where the address leads to the port behind a proxy, nobody else adds it.
    'X-Forwarded-Proto: http',
    'User-Agent: petstore-probe',
    'Accept-Encoding: identity',
    'Connection: close',
  ]
  return `GET ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`
}

/** Whether a response redirects to the same host over HTTPS. */
function leadsToHttps(text: string, hostname: string): boolean {
  const head = text.split('\r\n\r\n')[0] ?? ''
  const [, target] = /^location: *https:\/\/([^\s/:]+)/im.exec(head) ?? []
  return /^HTTP\/1\.[01] 30[1278]\b/.test(head) && target?.toLowerCase() === hostname
}

function judge(text: string, expected: string): Omit<ProbeResult, 'address'> {
  const [, status] = /^HTTP\/1\.[01] (\d{3})\b/.exec(text) ?? []
  if (status === undefined) return { kind: 'other', detail: 'a response that is not HTTP' }
  const end = text.indexOf('\r\n\r\n')
  const head = text.slice(0, end === -1 ? undefined : end)
  const body = end === -1 ? '' : text.slice(end + 4)
  if (status === '200' && body.includes(expected)) return { kind: 'ok', detail: 'this service' }
  const server = /^server: *([\x20-\x7e]{1,60})/im.exec(head)?.[1]?.trim()
  return { kind: 'other', detail: `HTTP ${status}${server ? ` from ${server}` : ''}` }
}

type Outcome = { readonly text: string } | { readonly failure: string }

/** Resolves when the server has closed the connection, has sent too much, or has failed; never rejects. */
function exchange(host: string, port: number, request: string, signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const socket = nodeNet().connect({ host, port })
    const finish = (outcome: Outcome) => {
      signal.removeEventListener('abort', abort)
      socket.destroy()
      resolve(outcome)
    }
    const received = () => ({ text: Buffer.concat(chunks).toString('latin1') })
    const abort = () => finish(size > 0 ? received() : { failure: 'no response in time' })
    if (signal.aborted) {
      abort()
      return
    }
    signal.addEventListener('abort', abort)
    socket.on('connect', () => socket.write(request))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size >= maximumBytes) finish(received())
    })
    socket.on('error', (error: NodeJS.ErrnoException) => finish({ failure: reasonOf(error) }))
    socket.on('close', () =>
      finish(size > 0 ? received() : { failure: 'the connection was closed without a response' }),
    )
  })
}

function reasonOf({ code }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'connection refused'
    case 'ECONNRESET':
      return 'connection reset'
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return 'no route to the address'
    default:
      return 'the connection failed'
  }
}

/**
 * Probes the addresses simultaneously. The findings are warnings, because many routers don't let a machine reach its
 * own public address.
 */
export async function probeFindings(
  probe: HttpProbe,
  hostname: string,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const results = await Promise.all(addresses.map((address) => probe(hostname, address, signal)))
  return results.flatMap((result) => (result.kind === 'ok' ? [] : probeFinding(hostname, result)))
}

/** Whether a finding is that of a probe. */
export function isOfProbe({ code }: Finding): boolean {
  return code === 'http_unreachable' || code === 'wrong_server'
}

function probeFinding(hostname: string, { address, kind, detail }: ProbeResult): Finding {
  const isOther = kind === 'other'
  const code: FindingCode = isOther ? 'wrong_server' : 'http_unreachable'
  return {
    code,
    severity: 'warning',
    name: hostname,
    type: null,
    expected: [],
    observed: [{ server: address, rcode: 'HTTP', authoritative: false, values: [detail], ttl: null }],
    message: isOther
      ? `Another server responds to requests for http://${hostname} at ${address} (${detail}).`
      : `http://${hostname} cannot be reached at ${address} (${detail}).`,
    fix: isOther
      ? 'In your router, forward port 80 of the public address to the machine that runs this service, or stop the other web server.'
      : 'Open port 80 in the firewall and forward it in the router to the machine that runs this service. Some routers can’t be tried from inside: look from another network, a phone for example.',
    expiresAt: null,
  }
}
