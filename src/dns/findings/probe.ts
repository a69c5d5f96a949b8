/** Findings from the HTTP probe: whether the public addresses lead to this service. */

import type { ProbeResult } from '../probe.ts'
import type { Finding, FindingCode } from '../report.ts'

/** These findings are warnings, because many routers don't let a machine reach its own public address. */
export function probeFindings(hostname: string, results: readonly ProbeResult[]): Finding[] {
  return results.flatMap((result) => (result.kind === 'ok' ? [] : probeFinding(hostname, result)))
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
