/** Formats domains for people: their records, their state, and the findings of the last check. */

import type { Domain } from '../domains/schemas.ts'
import type { ProjectRow } from '../projects/store.ts'
import type { Invocation, Terminal } from './command.ts'
import { describeFinding } from './domains-report.ts'
import { formatTable, localTime } from './output.ts'

const stateWords: Readonly<Record<Domain['state'], string>> = {
  pending_dns: 'the record does not exist yet, or could not be looked up.',
  pending_ownership: 'it leads here, but the TXT record that proves the ownership is missing or wrong.',
  dns_error: 'a record is wrong.',
  issuing: 'verified. The running server orders its certificate.',
  active: 'verified and active.',
  cert_error: 'verified, but there is no valid certificate.',
  degraded: 'it is still served, but its records do not lead here any more.',
}
/** What follows if another project uses the name. */
export const takenWords =
  'The records are right, but another project uses the name. Remove it there, or change the records of the other project.'

/** Prints the document with --json, else the words. */
export function printDomains({ values, terminal }: Invocation, document: object, words: string): void {
  terminal.out(values['json'] ? `${JSON.stringify(document)}\n` : `${words.trimEnd()}\n`)
}

/** The records to create. */
export function recordTable({ records }: Domain, terminal: Terminal): string {
  const rows = records.map(({ type, name, value, note }) => [type, name, value, note ?? ''])
  return formatTable(
    [{ title: 'TYPE' }, { title: 'NAME' }, { title: 'VALUE' }, { title: 'NOTE', minimum: 20 }],
    rows,
    terminal,
  )
}

export function domainTable(
  found: readonly { readonly project: ProjectRow; readonly domain: Domain }[],
  terminal: Terminal,
) {
  if (found.length === 0) return 'There are no domains yet. Add one with: petstore domains add HOST --project SLUG'
  const rows = found.map(({ project, domain: { unicodeHostname, redirect, state, dns } }) => [
    unicodeHostname,
    project.slug,
    redirect ? `→ ${redirect.to} (${redirect.status})` : 'primary',
    state,
    dns.checkedAt === null ? 'never' : localTime(dns.checkedAt),
  ])
  return formatTable(
    [
      { title: 'DOMAIN', minimum: 16 },
      { title: 'PROJECT', minimum: 8 },
      { title: 'ROLE', minimum: 12 },
      { title: 'STATE' },
      { title: 'CHECKED' },
    ],
    rows,
    terminal,
  )
}

/** The state of a domain, and the findings of its last check. */
export function describeDomain({ hostname, state, findings }: Domain, terminal: Terminal): string {
  return [`${hostname}: ${stateWords[state]}`, ...findings.map((one) => describeFinding(one, terminal))].join('\n')
}
