/** States of domains in words, and the steps from records to a live domain. */

import type { StatusWords } from '../ui/status.tsx'
import type { Domain } from './queries.ts'

const states: Readonly<Record<Domain['state'], StatusWords>> = {
  pending_dns: ['Waiting for records', 'warn'],
  pending_ownership: ['Waiting for proof', 'warn'],
  dns_error: ['Records are wrong', 'bad'],
  issuing: ['Getting a certificate', 'info'],
  active: ['Live', 'good'],
  cert_error: ['No certificate', 'bad'],
  degraded: ['Live, but records changed', 'warn'],
}

/** The state of a domain in words: one that is live says so too when its records have changed. */
export const stateOf = ({ state, dns }: Domain): StatusWords =>
  states[state === 'active' && dns.status === 'drifted' ? 'degraded' : state]

/** The button that checks the records now. */
export const verifyLabel = ({ dns: { status } }: Domain): string =>
  status === 'verified' || status === 'drifted' ? 'Re-verify' : 'Verify'

/** The use of a domain for visitors. Other domains redirect to the main address only while that is live. */
export function purposeOf({ role, redirect }: Domain, domains: readonly Domain[]): string {
  if (role === 'primary') return 'Main address'
  const main = domains.find(({ hostname }) => hostname === redirect?.to)
  const name = main?.unicodeHostname ?? redirect?.to ?? 'the main address'
  return main === undefined || main.state === 'active'
    ? `Redirects to ${name}`
    : `Redirects to ${name} once that is live`
}

/** The domain that visitors can use while the main address is not live; undefined if there is no need for one. */
export function standInOf(domains: readonly Domain[]): { readonly main: Domain; readonly live: Domain } | undefined {
  const main = domains.find(({ role }) => role === 'primary')
  const live = domains.find(({ state }) => state === 'active')
  const isNeeded = main !== undefined && main.state !== 'active' && main.state !== 'degraded'
  return isNeeded && live !== undefined ? { main, live } : undefined
}

/** The name with `www.` in front for a domain of two labels, and the other way round; undefined for any other. */
export function siblingOf(hostname: string): string | undefined {
  if (!isHostname(hostname)) return undefined
  const labels = hostname.split('.')
  if (labels.length === 2 && labels[0] !== 'www') return `www.${hostname}`
  return labels.length === 3 && labels[0] === 'www' ? labels.slice(1).join('.') : undefined
}

/** Whether a text looks like the name of a host, in any script. */
const isHostname = (text: string): boolean => /^[\p{L}\p{M}\p{N}\p{So}_-]+(\.[\p{L}\p{M}\p{N}\p{So}_-]+)+$/u.test(text)

/** What is wrong with the hostname that was entered, for people; undefined if it looks like one. */
export function hostnameFault(text: string): string | undefined {
  if (isHostname(text)) return undefined
  if (text.includes('@')) return 'This is an e-mail address. Enter the domain itself, such as www.example.com.'
  return 'Enter a domain that you own, such as www.example.com.'
}

/** `changed`: it was done, and still works, but has to be corrected. */
export type StepState = 'done' | 'now' | 'wrong' | 'changed' | 'later'

export interface Step {
  readonly label: string
  readonly state: StepState
}

/** Findings that say that there is no record at the name. */
const missing = [
  'record_missing',
  'label_doubled',
  'txt_missing',
  'txt_wrong_name',
  'domain_not_registered',
  'delegation_broken',
]

/** A whole domain without any address is said to need an ALIAS record. */
const isMissing = ({ code, observed }: Domain['findings'][number]): boolean =>
  missing.includes(code) || (code === 'apex_needs_alias' && observed.every(({ values }) => values.length === 0))

/** How far a domain has got. Exactly one step is `now` or `wrong` until it is live. */
export function stepsOf({ dns, certificate, findings, state }: Domain): readonly Step[] {
  const isVerified = dns.status === 'verified' || dns.status === 'drifted'
  // While the status is pending, no check had a result: the servers could not be queried.
  const isFailed = dns.status === 'failed'
  const lacksRecords = findings.some(isMissing)
  const hasRecords = isVerified || (isFailed && !lacksRecords)
  const hasCertificate = ['active', 'renewing'].includes(certificate.status)
  const isLive = state === 'active' || state === 'degraded'
  const done = [hasRecords, isVerified, hasCertificate || isLive, isLive]
  const isWrong = state === 'dns_error'
  const wrong = [isWrong, isWrong, ['failed', 'expired'].includes(certificate.status), state === 'cert_error']
  const first = done.indexOf(false)
  const changed = dns.status === 'drifted' ? [lacksRecords, true] : []
  return ['Records found', 'Points here', 'Certificate', 'Live'].map((label, index) => ({
    label,
    state: changed[index] === true ? 'changed' : stateAt(index, first, wrong[index] === true),
  }))
}

function stateAt(index: number, first: number, isWrong: boolean): StepState {
  if (index < first || first === -1) return 'done'
  if (index > first) return 'later'
  return isWrong ? 'wrong' : 'now'
}

/** The hostname in something that was pasted: an address with `https://`, a path, a final dot. An e-mail address stays whole. */
export function hostnameIn(text: string): string {
  const trimmed = text.trim().toLowerCase()
  return trimmed
    .replace(/^[a-z][a-z0-9+.-]*:\/\/(?:[^@/?#]*@)?/, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d+$/, '')
    .replace(/\.$/, '')
}

export const purposeLabels: Readonly<Record<Domain['records'][number]['purpose'], string>> = {
  routing: 'Points the domain here',
  routing_alternative: 'Instead, if your provider does not offer the type above',
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
