/** States of domains in words, and the steps from records to a live domain. */

import type { Tone } from '../ui/status.tsx'
import type { Domain } from './queries.ts'

type State = Domain['state']

export const stateLabels: Readonly<Record<State, string>> = {
  pending_dns: 'Waiting for records',
  pending_ownership: 'Waiting for proof',
  dns_error: 'Records are wrong',
  issuing: 'Getting a certificate',
  active: 'Live',
  cert_error: 'No certificate',
  degraded: 'Live, but records changed',
}

export const stateTones: Readonly<Record<State, Tone>> = {
  pending_dns: 'warn',
  pending_ownership: 'warn',
  dns_error: 'bad',
  issuing: 'info',
  active: 'good',
  cert_error: 'bad',
  degraded: 'warn',
}

/** The button that checks the records now. */
export const verifyLabel = ({ dns: { status } }: Domain): string =>
  status === 'verified' || status === 'drifted' ? 'Re-verify' : 'Verify'

export function purposeOf({ role, redirect }: Domain): string {
  return role === 'primary' ? 'Main address' : `Leads to ${redirect?.to ?? 'the main address'}`
}

export type StepState = 'done' | 'now' | 'wrong' | 'later'

export interface Step {
  readonly label: string
  readonly state: StepState
}

const missing = ['record_missing', 'txt_missing', 'domain_not_registered', 'delegation_broken']

/** How far a domain has got. Exactly one step is `now` or `wrong` until it is live. */
export function stepsOf({ dns, certificate, findings, state }: Domain): readonly Step[] {
  const isVerified = dns.status === 'verified' || dns.status === 'drifted'
  // While the status is pending, no check had a result: the servers could not be asked.
  const isFailed = dns.status === 'failed'
  const hasRecords = isVerified || (isFailed && !findings.some(({ code }) => missing.includes(code)))
  const hasCertificate = ['active', 'renewing'].includes(certificate.status)
  const isLive = state === 'active' || state === 'degraded'
  const done = [hasRecords, isVerified, hasCertificate || isLive, isLive]
  const isWrong = state === 'dns_error'
  const wrong = [isWrong, isWrong, ['failed', 'expired'].includes(certificate.status), state === 'cert_error']
  const first = done.indexOf(false)
  return ['Records found', 'Points here', 'Certificate', 'Live'].map((label, index) => ({
    label,
    state: index < first || first === -1 ? 'done' : index > first ? 'later' : wrong[index] === true ? 'wrong' : 'now',
  }))
}

/** The hostname in something that was pasted: an address with `https://`, a path, a final dot. */
export function hostnameIn(text: string): string {
  const trimmed = text.trim().toLowerCase()
  return trimmed
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/[/?#].*$/, '')
    .replace(/^[^@]*@/, '')
    .replace(/:\d+$/, '')
    .replace(/\.$/, '')
}

export const purposeLabels: Readonly<Record<Domain['records'][number]['purpose'], string>> = {
  routing: 'Leads visitors here',
  routing_alternative: 'Instead, if your provider does not have the type above',
  ownership: 'Proves that the domain is yours',
}

/** The records as a text, for a mail or a note. */
export function recordsText(hostname: string, records: Domain['records']): string {
  const lines = records.map(
    ({ type, name, value, ttl, purpose }) =>
      `Type: ${type}\nName: ${name}\nValue: ${value}\nTTL: ${ttl}\n(${purposeLabels[purpose]})`,
  )
  return `DNS records for ${hostname}:\n\n${lines.join('\n\n')}\n`
}
