/** The HTTP probe of `domains check`: whether the public addresses lead to the server that runs on this machine. */

import type { HostingConfig } from '../config/hosting.ts'
import { createHttpProbe, probeFindings } from '../dns/http-probe.ts'
import type { Finding } from '../dns/report.ts'
import { probePath } from '../hosting/hosts.ts'

type Listener = Pick<HostingConfig, 'publicHost' | 'httpPort' | 'httpsPort' | 'allowPrivateAddresses'>

/** The longest time for the response of the server on this machine, in milliseconds. */
const localMs = 2_000

/** Undefined if no server with hosting runs on this machine. */
export async function probeAddresses(
  hostname: string,
  addresses: readonly string[],
  { publicHost, httpPort, httpsPort, allowPrivateAddresses }: Listener,
  signal: AbortSignal,
): Promise<Finding[] | undefined> {
  const expected = await ownText(publicHost, httpPort, signal)
  if (expected === undefined) return undefined
  const probe = createHttpProbe({ path: probePath, expected, allowPrivateAddresses, isProxied: httpsPort === 'off' })
  return await probeFindings(probe, hostname, addresses, signal)
}

/** The text by which the server on this machine recognises itself: it responds with it at its own port, too. */
async function ownText(publicHost: string, port: number, signal: AbortSignal): Promise<string | undefined> {
  const host = { '::': '127.0.0.1', '0.0.0.0': '127.0.0.1' }[publicHost] ?? publicHost
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  try {
    const response = await fetch(`http://${authority}${probePath}`, {
      headers: { 'X-Forwarded-Proto': 'http' },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(localMs)]),
    })
    const text = await response.text()
    return /^petstore [0-9a-f-]{36}$/.test(text) ? text : undefined
  } catch {
    return undefined
  }
}
