/** The findings of a check: first the remedy, then the problem, and the evidence of each server on demand. */

import { formatMoment, formatNumber, formatTime } from '../ui/format.ts'
import { Section } from '../ui/page.tsx'
import { Status, type StatusWords } from '../ui/status.tsx'
import type { Domain, Finding } from './queries.ts'

/** The most urgent first. */
const severities: Readonly<Record<Finding['severity'], StatusWords>> = {
  error: ['To fix', 'bad'],
  warning: ['Careful', 'warn'],
  info: ['Good to know', 'info'],
}
const order = Object.keys(severities)

export function Findings({ domain: { findings, dns } }: { readonly domain: Domain }) {
  if (findings.length === 0) return null
  const urgentFirst = findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
  return (
    <Section title="What to do">
      <ul className="findings">
        {urgentFirst.map((finding, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two findings can be about the same record
          <li key={`${finding.code} ${finding.name} ${finding.type} ${index}`}>
            <div className="finding-head">
              <Status of={severities[finding.severity]} />
              <strong>{finding.fix}</strong>
            </div>
            <p>{finding.message}</p>
            {finding.expiresAt !== null && finding.observed.length > 0 && (
              <p className="quiet">
                Other servers may remember the old record until {formatMoment(finding.expiresAt)}.
              </p>
            )}
            {finding.observed.length > 0 && <Evidence finding={finding} checkedAt={dns.checkedAt} />}
          </li>
        ))}
      </ul>
    </Section>
  )
}

const shownValues = 10

interface EvidenceProps {
  readonly finding: Finding
  readonly checkedAt: string | null
}

function Evidence({ finding: { expected, observed }, checkedAt }: EvidenceProps) {
  const time = checkedAt === null ? '' : ` at ${formatTime(checkedAt)}`
  return (
    <details>
      <summary>What the servers said</summary>
      <ul>
        {observed.map(({ server, rcode, values }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a server can be queried twice
          <li key={`${server} ${index}`}>
            We asked {server}
            {time} and got {values.length === 0 ? `nothing (${rcode})` : valuesText(values)}.
          </li>
        ))}
      </ul>
      {expected.length > 0 && <p>It should be {expected.join(' or ')}.</p>}
    </details>
  )
}

function valuesText(values: readonly string[]): string {
  const shown = values.slice(0, shownValues).join(', ')
  return values.length > shownValues ? `${shown} and ${formatNumber(values.length - shownValues)} more` : shown
}
