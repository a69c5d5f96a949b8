import { expect, test } from 'bun:test'
import type { Domain } from './queries.ts'
import { hostnameFault, hostnameIn, purposeOf, siblingOf, standInOf, stateOf, stepsOf } from './words.ts'

interface Facts {
  readonly hostname?: string
  readonly state?: Domain['state']
  readonly dns?: Domain['dns']['status']
  readonly certificate?: Domain['certificate']['status']
  readonly findings?: Domain['findings']
  /** The main address that it redirects to; undefined for the main address. */
  readonly to?: string
}

function domainOf({ hostname = 'www.kiosk.example', to, ...facts }: Facts): Domain {
  const { state = 'pending_dns', dns = 'pending', certificate = 'none', findings = [] } = facts
  const never = { expiresAt: null, nextAttemptAt: null, rateLimitedUntil: null, error: null }
  return {
    hostname,
    unicodeHostname: hostname,
    projectId: 1,
    role: to === undefined ? 'primary' : 'redirect',
    redirect: to === undefined ? null : { to, status: 301 },
    hsts: false,
    state,
    dns: { status: dns, checkedAt: '2026-11-21T21:00:00Z', nextCheckAt: null },
    certificate: { status: certificate, ...never },
    records: [],
    findings,
    createdAt: '2026-11-21T20:00:00Z',
  }
}

/** A finding with the values that a server has. */
function finding(code: string, values: string[] = []): Domain['findings'][number] {
  const observed = [{ server: '192.0.2.53', rcode: 'NOERROR', authoritative: true, values, ttl: 300 }]
  const texts = { message: '', fix: '', expiresAt: null }
  return { code, severity: 'error', name: 'www.kiosk.example', type: 'CNAME', expected: [], observed, ...texts }
}

/** The states of the steps, in a word each. */
const stepsIn = (facts: Facts): string =>
  stepsOf(domainOf(facts))
    .map(({ state }) => state)
    .join(' ')

test('a pasted address gives its hostname', () => {
  for (const [text, hostname] of [
    ['www.example.com', 'www.example.com'],
    [' https://www.Example.com/shop?x=1#y ', 'www.example.com'],
    ['http://user@example.com:8080/', 'example.com'],
    ['example.com.', 'example.com'],
    ['shop.example.com/path', 'shop.example.com'],
    ['', ''],
  ] as const) {
    expect([text, hostnameIn(text)]).toEqual([text, hostname])
  }
})

test('an e-mail address is not taken for its domain, and the fault says what it is', () => {
  for (const text of ['me@example.com', ' Me@Example.com ', 'mailto:me@example.com', 'Me <me@example.com>']) {
    expect([text, hostnameFault(hostnameIn(text))]).toEqual([text, expect.stringContaining('e-mail address')])
  }
  expect(hostnameFault('example')).toStartWith('Enter a domain that you own')
  expect(hostnameFault('www.example.com')).toBeUndefined()
})

test('the steps of a domain show what is done, in progress or wrong', () => {
  const missing = [finding('record_missing')]
  const silent = [finding('dns_timeout')]
  const states: readonly (readonly [steps: string, facts: Facts])[] = [
    ['now later later later', { state: 'pending_dns' }],
    ['now later later later', { state: 'pending_dns', findings: silent }],
    ['now later later later', { state: 'pending_dns', dns: 'failed', findings: missing }],
    ['wrong later later later', { state: 'dns_error', dns: 'failed', findings: missing }],
    ['done wrong later later', { state: 'dns_error', dns: 'failed', findings: silent }],
    ['done now later later', { state: 'pending_ownership', dns: 'failed' }],
    ['done done now later', { state: 'issuing', dns: 'verified' }],
    ['done done wrong later', { state: 'cert_error', dns: 'verified', certificate: 'failed' }],
    ['done done done done', { state: 'active', dns: 'verified', certificate: 'active' }],
    ['changed changed done done', { state: 'degraded', dns: 'drifted', certificate: 'active', findings: missing }],
  ]
  for (const [steps, facts] of states) expect([facts, stepsIn(facts)]).toEqual([facts, steps])
})

test('the name with or without www is offered for root domains and their www only', () => {
  for (const [hostname, sibling] of [
    ['kiosk.example', 'www.kiosk.example'],
    ['www.kiosk.example', 'kiosk.example'],
    ['bücher.example', 'www.bücher.example'],
    ['🐱.example', 'www.🐱.example'],
    ['sales.kiosk.example', undefined],
    ['my shop.example', undefined],
    ['kiosk', undefined],
    ['kiosk..example', undefined],
    ['', undefined],
  ] as const) {
    expect([hostname, siblingOf(hostname)]).toEqual([hostname, sibling])
  }
})

test('records are found only if there is one at the name', () => {
  for (const [one, expected] of [
    [finding('record_missing'), 'wrong later later later'],
    [finding('label_doubled'), 'wrong later later later'],
    [finding('txt_wrong_name'), 'wrong later later later'],
    [finding('apex_needs_alias'), 'wrong later later later'],
    [finding('apex_needs_alias', ['other.example']), 'done wrong later later'],
    [finding('conflict_a', ['192.0.2.1']), 'done wrong later later'],
  ] as const) {
    expect(stepsIn({ dns: 'failed', findings: [one], state: 'dns_error' })).toBe(expected)
  }
})

test('a live domain whose records have changed needs a fix in the steps of its records, and says that it is live', () => {
  const live = { state: 'active', dns: 'drifted', certificate: 'active' } as const
  expect(stepsIn({ ...live, findings: [finding('record_missing')] })).toBe('changed changed done done')
  expect(stepsIn({ ...live, findings: [finding('record_wrong_value', ['x'])] })).toBe('done changed done done')
  expect(stateOf(domainOf(live))[0]).toBe('Live, but records changed')
  const verified = { ...live, dns: 'verified' } as const
  expect([stateOf(domainOf(verified))[0], stepsIn(verified)]).toEqual(['Live', 'done done done done'])
})

test('a domain redirects to the main address once that is live; until then a live one can take its place', () => {
  const hostname = 'kiosk.example'
  const www = domainOf({ state: 'active', to: hostname })
  const later = [domainOf({ hostname }), www]
  expect(purposeOf(www, later)).toBe('Redirects to kiosk.example once that is live')
  expect(standInOf(later)?.live.hostname).toBe('www.kiosk.example')
  const now = [domainOf({ hostname, state: 'active' }), www]
  expect(purposeOf(www, now)).toBe('Redirects to kiosk.example')
  expect(standInOf(now)).toBeUndefined()
  const issuing = domainOf({ hostname: 'a.example', state: 'issuing', to: hostname })
  expect(standInOf([domainOf({ hostname }), issuing])).toBeUndefined()
})
