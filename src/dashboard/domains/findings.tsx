/** What the check found: first what to do, then what is wrong, and the evidence of each server on demand. */

import { formatMoment } from '../ui/format.ts'
import { Section } from '../ui/page.tsx'
import { Status, type Tone } from '../ui/status.tsx'
import type { Finding } from './queries.ts'

const tones: Readonly<Record<Finding['severity'], Tone>> = { error: 'bad', warning: 'warn', info: 'info' }
const labels: Readonly<Record<Finding['severity'], string>> = {
  error: 'To fix',
  warning: 'Careful',
  info: 'Good to know',
}

export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return null
  return (
    <Section title="What to do">
      <ul className="findings">
        {findings.map((finding) => (
          <li key={`${finding.code} ${finding.name} ${finding.type}`}>
            <div className="finding-head">
              <Status tone={tones[finding.severity]}>{labels[finding.severity]}</Status>
              <strong>{finding.fix}</strong>
            </div>
            <p>{finding.message}</p>
            {finding.expiresAt !== null && (
              <p className="quiet">Old data may be remembered elsewhere until {formatMoment(finding.expiresAt)}.</p>
            )}
            {finding.observed.length > 0 && <Evidence finding={finding} />}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Evidence({ finding: { expected, observed } }: { readonly finding: Finding }) {
  return (
    <details>
      <summary>What the servers said</summary>
      <ul>
        {observed.map(({ server, rcode, values }) => (
          <li key={server}>
            We asked {server} and got {values.length === 0 ? `nothing (${rcode})` : values.join(', ')}.
          </li>
        ))}
      </ul>
      {expected.length > 0 && <p>It should be {expected.join(' or ')}.</p>}
    </details>
  )
}
