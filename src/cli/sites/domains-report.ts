/** Formats a report of the DNS checker as text: the responses of the servers, the faults, and how to fix them. */

import type { Finding, Lookup, Observation, Report, Severity, Verdict } from '../../dns/report.ts'
import type { DomainCheck } from '../../hosting/domains/checks/diagnose.ts'
import { printable } from '../../lib/log.ts'
import type { Terminal } from '../command.ts'
import {
  type Cell,
  type Column,
  formatPairs,
  formatTable,
  localTime,
  maximumWidth,
  paint,
  plural,
  wrap,
} from '../terminal/output.ts'

type Screen = Pick<Terminal, 'outColumns' | 'colours'>

export function describeReport(report: DomainCheck, screen: Screen): string {
  const parts = [
    formatPairs(summary(report)),
    ...lookupTables(report, screen),
    ...report.findings.map((finding) => describeFinding(finding, screen)),
    conclusion(report),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function summary(report: DomainCheck): (readonly [string, string])[] {
  const { hostname, unicodeHostname, zone, isApex, nameservers } = report
  const shown = unicodeHostname === hostname ? hostname : `${hostname} (${unicodeHostname})`
  return [
    ['Name', shown],
    ['Zone', zone === null ? 'not found' : `${zone}${isApex ? ' (the name is the domain itself)' : ''}`],
    ['Name servers', nameservers.join(', ') || 'none found'],
    ['Leads here', routingWords(report)],
    ...(report.ownership === 'not_checked' ? [] : [['Ownership', verdictWords[report.ownership]] as const]),
    ['CAA', caaText(report)],
  ]
}

const verdictWords: Readonly<Record<Verdict, string>> = {
  verified: 'yes',
  failed: 'no',
  unknown: 'could not be checked',
  not_checked: 'not checked',
}
const caaWords: Readonly<Record<Verdict, string>> = {
  verified: 'the certificate authority may issue',
  failed: 'the certificate authority may not issue',
  unknown: 'could not be checked',
  not_checked: 'not checked (--caa-identity)',
}

function caaText({ caa, caaIdentities, zone }: DomainCheck): string {
  if (caa !== 'not_checked' || caaIdentities.length === 0) return caaWords[caa]
  return zone === null ? 'not checked' : 'depends on the account at the certificate authority, which is not known here'
}

function routingWords({ routing, routedBy }: Report): string {
  if (routing === 'not_checked') return 'not checked (--platform-domain)'
  if (routing !== 'verified') return verdictWords[routing]
  return routedBy === 'cname' ? 'yes, by its CNAME' : 'yes, by its addresses'
}

/** A table of all servers' responses for each name. Types with equal responses, as of an alias, share one. */
function lookupTables({ lookups }: Report, screen: Screen): string[] {
  const shared: { readonly types: string[]; readonly lookup: Lookup }[] = []
  for (const lookup of lookups) {
    const same = shared.find((one) => Bun.deepEquals({ ...one.lookup, type: lookup.type }, lookup))
    if (same) same.types.push(lookup.type)
    else shared.push({ types: [lookup.type], lookup })
  }
  return shared.map(({ types, lookup: { name, source, observed } }) => {
    const heading = printable(`${types.join(', ')} of ${name}${source === 'recursive' ? ', by resolvers' : ''}`)
    return `${paint(heading, screen.colours ? 'dim' : undefined)}\n${formatTable(observationColumns, observed.map(observationRow), screen)}`
  })
}

const observationColumns: readonly Column[] = [
  { title: '', minimum: 30, wraps: true },
  { title: '' },
  { title: '', align: 'right' },
  { title: '', minimum: 20, wraps: true },
]

function observationRow({ server, rcode, values, ttl }: Observation): Cell[] {
  const status: Cell = rcode === 'NOERROR' ? rcode : { text: rcode, colour: rcode === 'NXDOMAIN' ? 'yellow' : 'red' }
  const nothing = rcode === 'NOERROR' ? 'no such record' : ''
  return [`  ${server}`, status, ttl === null ? '' : `${ttl} s`, values.join(', ') || nothing]
}

const titles = {
  error: { text: 'ERROR', colour: 'red' },
  warning: { text: 'WARNING', colour: 'yellow' },
  info: { text: 'INFO', colour: 'dim' },
} as const satisfies Record<Severity, Cell>

type DescribedFinding = Pick<Finding, 'severity' | 'message' | 'fix' | 'expiresAt'> & { readonly code: string }

/** A finding with its instructions, for people. */
export function describeFinding(
  { code, severity, message, fix, expiresAt }: DescribedFinding,
  { outColumns, colours }: Screen,
): string {
  const { text, colour } = titles[severity]
  const title = paint(text, colours ? colour : undefined)
  const width = Math.min(outColumns || maximumWidth, maximumWidth)
  const expiry = expiresAt === null ? [] : [`Caches may keep the current records until ${localTime(expiresAt)}.`]
  const lines = [message, `To do: ${fix}`, ...expiry].flatMap((line) => wrap(printable(line), width - 2))
  return `${title} ${code}\n${lines.map((line) => `  ${line}\n`).join('')}`
}

function conclusion({ findings, queries, elapsedMs, complete }: Report): string {
  const number = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length
  const faults = number('error')
  const warnings = number('warning')
  const found = [
    ...(faults > 0 ? [plural(faults, 'fault')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
  ]
  const limit = complete ? '' : ' The check reached its limits before it had sent every query.'
  const cost = queries > 0 ? ` (${queries} queries, ${(elapsedMs / 1_000).toFixed(1)} s)` : ''
  return `${found.length > 0 ? `Found ${found.join(' and ')}` : 'No faults found'}${cost}.${limit}\n`
}
