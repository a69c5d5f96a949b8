/** The HTTP probe: fetches a fixed path from a public address, to see whether it leads to this process. */

import type { HttpProbe, ProbeResult } from '../../dns/probe.ts'
import { reservedUse } from '../../dns/wire/global-address.ts'
import { messageOf } from '../../lib/error.ts'
import { probePath } from '../public-sites.ts'

export interface ProbeOptions {
  /** The body of the response of this process. */
  readonly text: string
  /** Whether private and loopback addresses may be probed. */
  readonly allowPrivateAddresses: boolean
  /** The port that the certificate authority uses (RFC 8555 section 8.3); another one for tests. */
  readonly port?: number
}

const timeoutMs = 5_000

/** No response of this process is longer. */
const maximumBytes = 1_000

export function createProbe({ text, allowPrivateAddresses, port = 80 }: ProbeOptions): HttpProbe {
  return async (hostname, address, signal) => {
    const use = reservedUse(address)
    if (use !== undefined && !allowPrivateAddresses) {
      return { address, kind: 'unreachable', detail: `not probed, because the address is ${use}` }
    }
    const host = address.includes(':') ? `[${address}]` : address
    try {
      const response = await fetch(`http://${host}:${port}${probePath}`, {
        headers: { Host: hostname },
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      })
      return { address, ...(await judge(response, text)) }
    } catch (error) {
      return { address, kind: 'unreachable', detail: messageOf(error).slice(0, 200) }
    }
  }
}

async function judge(response: Response, text: string): Promise<Omit<ProbeResult, 'address'>> {
  const body = await start(response)
  if (response.status === 200 && body === text) return { kind: 'ok', detail: 'this service' }
  const software = response.headers.get('server')?.slice(0, 50)
  return { kind: 'other', detail: `HTTP ${response.status}${software ? ` of ${software}` : ''}` }
}

async function start(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let body = ''
  for await (const bytes of response.body ?? []) {
    body += decoder.decode(bytes, { stream: true })
    if (body.length > maximumBytes) break
  }
  return body
}
