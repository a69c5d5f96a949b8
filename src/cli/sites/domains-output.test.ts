import { describe, expect, test } from 'bun:test'
import type { DomainCheck } from '../../hosting/domains/checks/diagnose.ts'
import type { Domain } from '../../hosting/domains/schemas.ts'
import type { Project } from '../../hosting/projects/schemas.ts'
import { testTerminal } from '../terminal/test-terminal.ts'
import { describeDomain, domainTable, recordTable } from './domains.ts'
import { describeReport } from './domains-report.ts'

const { terminal } = testTerminal({ outColumns: 80 })
const target = `${'0123456789abcdef'.repeat(2)}.edge.stores.example`
const note = 'Your provider may call it ANAME, or have no such type: then use www and redirect this name to it.'

const base: Domain = {
  hostname: 'www.shop.example',
  unicodeHostname: 'www.shop.example',
  projectId: 1,
  role: 'primary',
  redirect: null,
  hsts: false,
  state: 'active',
  dns: { status: 'verified', checkedAt: null, nextCheckAt: null },
  certificate: { status: 'active', expiresAt: null, nextAttemptAt: null, rateLimitedUntil: null, error: null },
  records: [],
  findings: [],
  createdAt: '2026-11-21T12:00:00Z',
}
const domain = (changes: Partial<Domain>): Domain => ({ ...base, ...changes })
const finding = (code: string, message = 'A fault.'): Domain['findings'][number] => ({
  code,
  severity: 'error',
  name: base.hostname,
  type: null,
  expected: [],
  observed: [],
  message,
  fix: 'Correct it.',
  expiresAt: null,
})
/** The text without its line breaks. */
const words = (text: string) => text.replaceAll(/\s+/g, ' ')

describe('on a narrow terminal', () => {
  test('the records to create keep their values in one line and their whole notes', () => {
    const fqdn = 'shop.example'
    const records: Domain['records'] = [
      { type: 'ALIAS', name: '@', fqdn, value: target, ttl: 300, purpose: 'routing', note },
    ]
    const table = recordTable(domain({ records }), terminal)
    expect(table).toContain(`ALIAS  @     ${target}  `)
    const notes = table.split('\n').map((line) => line.slice(`ALIAS  @     ${target}  `.length))
    expect(words(notes.slice(1).join(' ')).trim()).toBe(note)
    expect(table).not.toContain('…')
  })

  test('a list shows whole names, and the A-labels of a name in another alphabet', () => {
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`
    const names = [
      { hostname: long, unicodeHostname: long },
      { hostname: 'xn--pple-43d.example', unicodeHostname: 'аpple.example' },
    ]
    const project = { id: domain({}).projectId, slug: 'a-slug-of-a-project-that-is-long' } as Project
    const table = domainTable(names.map(domain), [project], terminal)
    for (const whole of [long, 'аpple.example', '(xn--pple-43d.example)', project.slug]) expect(table).toContain(whole)
  })

  test('a check shows whole values, which have to be compared', () => {
    const values = [`CNAME ${target}`, `CNAME x${target}`]
    const server = 'ns1.a-provider-with-a-long-name.example (45.1.0.2)'
    const observed = [{ server, rcode: 'NOERROR', authoritative: true, values, ttl: 300 }]
    const lookups = [{ name: 'www.shop.example', type: 'A', source: 'authoritative', observed }]
    const report = {
      ...base,
      zone: 'shop.example',
      isApex: false,
      nameservers: [],
      routing: 'failed',
      ownership: 'not_checked',
      caa: 'not_checked',
      lookups,
      caaIdentities: [],
    } as never as DomainCheck
    const text = describeReport(report, terminal)
    for (const whole of [target, `x${target}`, '(45.1.0.2)']) expect(text).toContain(whole)
    expect(text).toContain('\nA of www.shop.example\n')
    expect(text).toContain('CAA           not checked (--caa-identity)')
    const known = { ...report, caaIdentities: ['ca.example'] }
    expect(describeReport(known, terminal)).toContain('CAA           depends on the account')
    expect(describeReport({ ...known, zone: null }, terminal)).toContain('CAA           not checked\n')
  })
})

test('the heading of a table is one line, however long the name is, and does not widen the table', () => {
  const name = `_petstore-verify.${'a'.repeat(60)}.shop.example`
  const server = 'ns1.example (45.1.0.2)'
  const observed = [{ server, rcode: 'NOERROR', authoritative: true, values: ['v'.repeat(40)], ttl: 300 }]
  const lookups = [{ name, type: 'TXT', source: 'recursive', observed }]
  const report = {
    ...base,
    zone: null,
    isApex: false,
    nameservers: [],
    routing: 'failed',
    ownership: 'failed',
    caa: 'failed',
    lookups,
  }
  const lines = describeReport(report as never, terminal).split('\n')
  const heading = lines.indexOf(`TXT of ${name}, by resolvers`)
  expect(lines[heading + 1]).toBe(`  ${server}  NOERROR  300 s  ${'v'.repeat(40)}`)
})

describe('the headline of a domain', () => {
  const headline = (changes: Partial<Domain>) => describeDomain(domain(changes), terminal).split('\n')[0]

  test('does not contradict its findings', () => {
    const dns = { ...base.dns, status: 'drifted' as const }
    expect(headline({})).toBe('www.shop.example: verified and active.')
    const drifted = headline({ dns, findings: [finding('record_missing')] })
    expect(drifted).toBe('www.shop.example: active, but its records are no longer right. It is still served.')
    expect(headline({ findings: [finding('caa_forbids')] })).toContain('but a fault has to be corrected')
    expect(headline({ state: 'issuing', findings: [finding('caa_forbids')] })).toContain('a fault prevents')
  })

  test('is followed by the reason why there is no certificate, once, and by the time of the next attempt', () => {
    const error = 'The certificate authority has not finished the order within 5 minutes. The service tries again.'
    const failed = { ...base.certificate, status: 'failed' as const, error }
    const certificate = { ...failed, nextAttemptAt: '2026-11-21T12:00:00.000Z' }
    const text = words(describeDomain(domain({ state: 'cert_error', certificate }), terminal))
    expect(text).toContain(`there is no valid certificate. ${error} The next attempt for its certificate is at 2026`)
    const findings = [finding('ca_refused', `It says: ${error}`)]
    const again = words(describeDomain(domain({ state: 'cert_error', certificate, findings }), terminal))
    expect(again.split(error)).toHaveLength(2)
    expect(headline({ state: 'cert_error', certificate: failed })).toEndWith('The running server tries again at once.')
  })
})
