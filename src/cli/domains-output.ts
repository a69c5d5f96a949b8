/** Formats domains for people: their records, their state, and the findings of the last check. */

import type { Domain } from '../hosting/domains/schemas.ts'
import type { Project } from '../hosting/projects/schemas.ts'
import { printable } from '../lib/log.ts'
import type { Terminal } from './command.ts'
import { describeFinding } from './domains-report.ts'
import { formatTable, localTime, maximumWidth, wrap } from './output.ts'

const stateWords: Readonly<Record<Domain['state'], string>> = {
  pending_dns: 'the record does not exist yet, or could not be looked up.',
  pending_ownership: 'it leads here, but the TXT record that proves the ownership is missing or wrong.',
  dns_error: 'a record is wrong.',
  issuing: 'verified. The running server orders its certificate.',
  active: 'verified and active.',
  cert_error: 'verified, but there is no valid certificate.',
  degraded: 'it is still served, but its records do not lead here any more.',
}
/** The records to create. */
export function recordTable({ records }: Domain, terminal: Terminal): string {
  const rows = records.map(({ type, name, value, note }) => [type, name, value, note ?? ''])
  return formatTable(
    [{ title: 'TYPE' }, { title: 'NAME' }, { title: 'VALUE' }, { title: 'NOTE', minimum: 20, wraps: true }],
    rows,
    terminal,
  )
}

/** `projects`: at least those of the domains. */
export function domainTable(domains: readonly Domain[], projects: readonly Project[], terminal: Terminal) {
  const slugs = new Map(projects.map(({ id, slug }) => [id, slug]))
  const rows = domains.map(({ hostname, unicodeHostname, projectId, redirect, state, dns }) => [
    // Letters of other alphabets look like Latin ones: only the A-labels tell such names apart.
    unicodeHostname === hostname ? hostname : `${unicodeHostname} (${hostname})`,
    slugs.get(projectId) ?? '',
    redirect ? `→ ${redirect.to} (${redirect.status})` : 'primary',
    state,
    dns.checkedAt === null ? 'never' : localTime(dns.checkedAt),
  ])
  return formatTable(
    [
      { title: 'DOMAIN', minimum: 16, wraps: true },
      { title: 'PROJECT' },
      { title: 'ROLE', minimum: 12, wraps: true },
      { title: 'STATE' },
      { title: 'CHECKED' },
    ],
    rows,
    terminal,
  )
}

/** The state of a domain, the findings of its last check, and why it has no certificate if none of them says so. */
export function describeDomain(domain: Domain, terminal: Terminal): string {
  const { hostname, certificate, findings } = domain
  const { error, nextAttemptAt } = certificate
  const isSaid = findings.some(({ code, message }) => ownWords.includes(code) || error?.startsWith(message))
  const width = Math.min(terminal.outColumns || maximumWidth, maximumWidth)
  return [
    `${hostname}: ${headline(domain)}`,
    ...(error === null || isSaid ? [] : wrap(printable(error), width)),
    ...(nextAttemptAt === null ? [] : [`The next attempt for its certificate is at ${localTime(nextAttemptAt)}.`]),
    ...findings.map((one) => describeFinding(one, terminal)),
  ].join('\n')
}

/** The findings that say why there is no certificate in the words of the authority. */
const ownWords: readonly string[] = ['ca_refused', 'acme_rate_limited', 'certificate_expiring']

/** A domain that works may have faults that would end this. */
function headline({ state, dns, certificate, findings }: Domain): string {
  const hasFault = findings.some(({ severity }) => severity === 'error')
  if (state === 'active' && dns.status === 'drifted') {
    return 'active, but its records are not right any more. It is still served.'
  }
  if (state === 'active' && hasFault) return 'verified and active, but a fault has to be corrected.'
  if (state === 'issuing' && hasFault) return 'verified, but a fault is in the way of its certificate.'
  const isDue = state === 'cert_error' && certificate.nextAttemptAt === null
  return isDue ? `${stateWords[state]} The running server tries again at once.` : stateWords[state]
}
