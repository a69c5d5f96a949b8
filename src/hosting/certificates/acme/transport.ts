/** HTTP to a certificate authority, bounded in time and bytes. */

import type { Clock } from '../../../lib/clock.ts'
import { codeOf, knownReason } from '../../../lib/system-error.ts'
import { version } from '../../../lib/version.ts'
import { AcmeUnavailable } from './problem.ts'

export interface AcmeReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface AcmeRequest {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly url: string
  readonly body?: string
  readonly accept?: string
  readonly signal: AbortSignal
}

/** Throws `AcmeUnavailable`, or the reason of the signal if that is aborted. */
export type Transport = (request: AcmeRequest) => Promise<AcmeReply>

/** The longest that a request may take, with its reply, in milliseconds. */
export const requestTimeoutMs = 30_000
/** The largest reply. Directories and chains have a few kilobytes. */
export const maximumReplyBytes = 256 * 1024

export function createTransport(parts: {
  readonly clock: Pick<Clock, 'after' | 'now'>
  /** Called with the `Date` of each reply, in Unix milliseconds. */
  readonly onDate?: (dateMs: number) => void
}): Transport {
  const { clock, onDate = () => {} } = parts
  return async ({ method, url, body, accept = '*/*', signal }) => {
    signal.throwIfAborted()
    const timeout = new AbortController()
    const host = hostOf(url)
    const cancel = clock.after(requestTimeoutMs, () =>
      timeout.abort(new AcmeUnavailable(`${host} did not reply within ${requestTimeoutMs / 1000} seconds.`)),
    )
    try {
      const response = await fetch(url, {
        method,
        headers: {
          'User-Agent': `petstore/${version}`,
          Accept: accept,
          ...(body === undefined ? {} : { 'Content-Type': 'application/jose+json' }),
        },
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout.signal]),
      })
      const dateMs = Date.parse(response.headers.get('date') ?? '')
      if (Number.isFinite(dateMs)) onDate(dateMs)
      return { status: response.status, headers: response.headers, text: await readText(response, host) }
    } catch (error) {
      signal.throwIfAborted()
      if (timeout.signal.aborted) throw timeout.signal.reason
      if (error instanceof AcmeUnavailable) throw error
      throw new AcmeUnavailable(`${host} can't be reached: ${reasonOf(error)}.`, { cause: error })
    } finally {
      cancel()
    }
  }
}

async function readText(response: Response, host: string): Promise<string> {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // Leaving the loop cancels the stream, and with it the connection.
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > maximumReplyBytes) throw new AcmeUnavailable(`${host} sent more than ${maximumReplyBytes} bytes.`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** By the codes of the errors of Bun's fetch. */
const reasons: Readonly<Record<string, string>> = {
  ConnectionRefused: 'nothing listens there',
  FailedToOpenSocket: 'there is no host of that name, or no route to it',
  ConnectionClosed: 'it closed the connection',
  ECONNRESET: 'it closed the connection',
  EPROTO: 'it does not speak TLS on this port',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its own certificate is for another name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its own certificate is not trusted (see NODE_EXTRA_CA_CERTS)',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its own certificate is not trusted (see NODE_EXTRA_CA_CERTS)',
  SELF_SIGNED_CERT_IN_CHAIN: 'its own certificate is not trusted (see NODE_EXTRA_CA_CERTS)',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its own certificate is not trusted (see NODE_EXTRA_CA_CERTS)',
  CERT_HAS_EXPIRED: 'its own certificate has expired, or the clock of this machine is wrong',
  CERT_NOT_YET_VALID: 'its own certificate is not valid yet, or the clock of this machine is wrong',
}

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  // The messages of the runtime are for programmers, and the owner of a shop reads this.
  return reasons[code] ?? knownReason(error) ?? `the connection failed${code === '' ? '' : ` (${code})`}`
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

/** The `Retry-After` of a reply as Unix milliseconds: seconds, or a date. Undefined if it has none that is valid. */
export function retryAtOf(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return nowMs + Number(text) * 1000
  const dateMs = httpDateIn(text, nowMs)
  // The date is by the authority's clock.
  const sentMs = Date.parse(headers.get('date') ?? '')
  return Number.isFinite(dateMs) ? dateMs + (Number.isFinite(sentMs) ? nowMs - sentMs : 0) : undefined
}

/** A date in one of the three forms of HTTP (RFC 9110, section 5.6.7), as Unix milliseconds; NaN for anything else. */
function httpDateIn(text: string, nowMs: number): number {
  const [, day, month, year, time] =
    /^[A-Z][a-z]{2,8}, (\d\d)[ -]([A-Z][a-z]{2})[ -](\d{4}|\d\d) ([\d:]{8}) GMT$/.exec(text) ?? []
  if (year === undefined) {
    // That of C has no zone.
    return /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/.test(text) ? Date.parse(`${text} GMT`) : Number.NaN
  }
  const century = 100 * Math.floor(new Date(nowMs).getUTCFullYear() / 100)
  // Two digits that seem to be more than 50 years ahead are of the century before.
  const full = year.length === 4 ? Number(year) : century + Number(year)
  const isPast = year.length === 2 && full > new Date(nowMs).getUTCFullYear() + 50
  return Date.parse(`${day} ${month} ${isPast ? full - 100 : full} ${time} GMT`)
}
