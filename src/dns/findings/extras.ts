/** Findings about wildcards and from the HTTP probe. */

import type { Finding, Verdict } from '../report.ts'
import { atProvider, type Context, cnameWords, finding, findingFrom } from './context.ts'

/** A wrong answer that a random name has too is that of a wildcard record. */
export function wildcardFinding(context: Context, routing: Verdict): Finding[] {
  const { wildcard, addresses } = context.facts
  if (!wildcard || routing !== 'failed') return []
  const valuesOf = (answer: typeof wildcard) =>
    [answer.alias, ...answer.records]
      .flatMap((record) => record?.value ?? [])
      .sort()
      .join()
  const same = addresses.filter((answer) => answer.type === 'A' && valuesOf(answer) === valuesOf(wildcard))
  if (same.length === 0) return []
  const parent = context.hostname.slice(context.hostname.indexOf('.') + 1)
  return [
    findingFrom(context, same, {
      code: 'wildcard_matched',
      severity: 'warning',
      type: wildcard.alias ? 'CNAME' : 'A',
      message: `The answer for ${context.hostname} comes from the wildcard record *.${parent}: the name has no record of its own.`,
      fix: `${atProvider(context)} create ${context.targets.length > 0 ? cnameWords(context) : 'a record for this name'}. It takes precedence over the wildcard, which may stay.`,
    }),
  ]
}

/** These findings are warnings, because many routers don't let a machine reach its own public address. */
export function probeFindings(context: Context): Finding[] {
  const { hostname, facts } = context
  return facts.probes.flatMap(({ address, kind, detail }) => {
    if (kind === 'ok') return []
    const observed = [{ server: address, rcode: 'HTTP', authoritative: false, values: [detail], ttl: null }]
    const draft = { severity: 'warning', observed } as const
    return kind === 'other'
      ? finding(context, {
          ...draft,
          code: 'wrong_server',
          message: `Another server answers for http://${hostname} at ${address} (${detail}).`,
          fix: 'In your router, forward port 80 of the public address to the machine that runs this service, or stop the other web server.',
        })
      : finding(context, {
          ...draft,
          code: 'http_unreachable',
          message: `http://${hostname} cannot be reached at ${address} (${detail}).`,
          fix: 'Open port 80 in the firewall and forward it in the router to the machine that runs this service. Some routers can’t be tried from inside: look from another network, a phone for example.',
        })
  })
}
