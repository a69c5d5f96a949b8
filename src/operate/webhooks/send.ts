/**
 * One attempt to deliver: a request to a checked address over a new connection. It uses no proxy of the environment,
 * follows no redirect and decompresses no response. Receivers are not trusted: only the beginning of a response is
 * read.
 */

import type { Clock } from '../../lib/clock.ts'
import { messageOf } from '../../lib/error.ts'
import type { Network } from '../../lib/network.ts'
import { codeOf, knownReason } from '../../lib/system-error.ts'
import { version } from '../../lib/version.ts'
import { addressesOf, createResolve, DeliveryError, type Resolve } from './destination.ts'
import { type Message, signedHeaders } from './message.ts'

/** The time for the look-up, the connection and the response together, in milliseconds. */
export const attemptMs = 15_000

/** The most bytes of a response that are read. */
export const readBytes = 2_048

export interface SenderOptions {
  /** The networks besides the public internet to which requests may go. */
  readonly networks: readonly Network[]
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'after'>
  /** Replaces the look-up of names, for tests. */
  readonly resolve?: Resolve | undefined
  /** Certificates of authorities that are trusted instead of the system's, for tests. */
  readonly ca?: string | undefined
}

/** The result of an attempt. */
export interface Outcome {
  readonly isDelivered: boolean
  /** The status of the response; null if there was none. */
  readonly status: number | null
  /** Why it failed, for people; null if it did not. */
  readonly error: string | null
  /** The beginning of the response to a failed attempt, as text of unknown content. */
  readonly response: string | null
  /** How long the receiver asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined
  readonly durationMs: number
}

export type Send = (
  receiver: { readonly url: string; readonly secrets: readonly string[] },
  message: Message,
  signal: AbortSignal,
) => Promise<Outcome>

export function createSender({ networks, clock, resolve = createResolve(), ca }: SenderOptions): Send {
  /** Rejects with the reason of `signal` if the service stops; every other failure is an outcome. */
  return async ({ url, secrets }, message, signal) => {
    const startedMs = clock.monotonic()
    const timeout = new AbortController()
    const cancelTimeout = clock.after(attemptMs, () => timeout.abort())
    const either = AbortSignal.any([signal, timeout.signal])
    try {
      const outcome = await attempt(new URL(url), signedHeaders(message, secrets, clock.now()), message.body, either)
      return { ...outcome, durationMs: Math.round(clock.monotonic() - startedMs) }
    } catch (error) {
      signal.throwIfAborted()
      const reason = timeout.signal.aborted
        ? `There was no response within ${attemptMs / 1000} seconds.`
        : error instanceof DeliveryError
          ? error.message
          : `The request failed: ${messageOf(error)}`
      return { ...failed(reason), durationMs: Math.round(clock.monotonic() - startedMs) }
    } finally {
      cancelTimeout()
    }
  }

  async function attempt(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<Omit<Outcome, 'durationMs'>> {
    const addresses = await beforeAbort(addressesOf(url, networks, resolve), signal)
    let failure: unknown
    for (const address of addresses) {
      try {
        return await outcomeOf(await request(url, address, headers, body, signal), clock.now())
      } catch (error) {
        signal.throwIfAborted()
        failure = error
      }
    }
    throw new DeliveryError(explain(failure, url, addresses))
  }

  function request(
    url: URL,
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<Response> {
    const target = new URL(url)
    target.hostname = address.includes(':') ? `[${address}]` : address
    const isName = target.hostname !== url.hostname
    return fetch(target, {
      method: 'POST',
      headers: { ...headers, host: url.host, 'user-agent': `petstore/${version}` },
      body,
      signal,
      // A proxy of the environment would resolve the name itself.
      proxy: false,
      redirect: 'manual',
      decompress: false,
      keepalive: false,
      tls: {
        ...(isName ? { serverName: url.hostname.replace(/\.$/, '') } : {}),
        ...(ca === undefined ? {} : { ca }),
      },
    } as unknown as RequestInit)
  }
}

/** Rejects with the reason of `signal` once that is aborted, because a look-up takes no signal. */
function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}

/** The most characters of a reason, which can contain a host name and words of the TLS library. */
const longestReason = 1_000

const failed = (reason: string): Omit<Outcome, 'durationMs'> => ({
  isDelivered: false,
  status: null,
  error: reason.slice(0, longestReason).toWellFormed(),
  response: null,
  retryAfterMs: undefined,
})

async function outcomeOf(response: Response, nowMs: number): Promise<Omit<Outcome, 'durationMs'>> {
  const { status, headers } = response
  if (response.ok) {
    await response.body?.cancel().catch(() => {})
    return { isDelivered: true, status, error: null, response: null, retryAfterMs: undefined }
  }
  const isRedirect = status >= 300 && status < 400
  const error = isRedirect
    ? `The receiver responded with ${status}: redirects are not followed.`
    : `The receiver responded with ${status}.`
  const retryAfterMs = retryAfterOf(headers.get('retry-after'), nowMs)
  return { isDelivered: false, status, error, response: await beginningOf(response), retryAfterMs }
}

/** The wait that `Retry-After` asks for (RFC 9110 section 10.2.3) in milliseconds; undefined if it asks for none. */
function retryAfterOf(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs
  return Number.isFinite(ms) ? ms : undefined
}

/** The first bytes of a body as text, as far as they arrive in time. */
async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body?.getReader()
  try {
    while (reader && size < readBytes) {
      const { value, done } = await reader.read()
      if (done) break
      chunks.push(value)
      size += value.byteLength
    }
  } catch {
    // The status says enough.
  }
  await reader?.cancel().catch(() => {})
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, readBytes)).replaceAll('\0', '')
}

function explain(error: unknown, { hostname, port, protocol }: URL, addresses: readonly string[]): string {
  const code = codeOf(error)
  const place = `${hostname} (${addresses.join(', ')}), port ${port || (protocol === 'http:' ? '80' : '443')}`
  // The messages of the runtime are for programmers, but the owner of a shop reads this.
  const reason = reasons[code] ?? knownReason(error)
  if (/CERT|SIGNATURE/.test(code)) {
    return `The certificate of ${place} is not trusted: ${reason ?? messageOf(error).replace(/\.$/, '')}.`
  }
  return `${place} cannot be reached: ${reason ?? `the connection failed${code === '' ? '' : ` (${code})`}`}.`
}

/** The codes of `fetch`. */
const reasons: Readonly<Record<string, string>> = {
  ConnectionRefused: 'nothing listens there',
  FailedToOpenSocket: 'there is no route to the address',
  ENETUNREACH: 'there is no route to the address',
  EHOSTUNREACH: 'there is no route to the address',
  ConnectionClosed: 'the connection was closed without a response',
  ECONNRESET: 'the connection was closed without a response',
  Malformed_HTTP_Response: 'the response is not HTTP',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
}
