import { expect, test } from 'bun:test'
import type { Domain } from './queries.ts'
import { hostnameIn, purposeOf, siblingOf, standInOf, stateLabelOf, stepsOf } from './words.ts'

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

test('the steps of a domain tell what is done, and what is waited for or wrong', () => {
  const none = { status: 'none' }
  const valid = { status: 'active' }
  const missing = [{ code: 'record_missing' }]
  const silent = [{ code: 'dns_timeout' }]
  const states: [steps: string, domain: object][] = [
    ['now later later later', { state: 'pending_dns', dns: { status: 'pending' }, certificate: none, findings: [] }],
    [
      'now later later later',
      { state: 'pending_dns', dns: { status: 'pending' }, certificate: none, findings: silent },
    ],
    [
      'now later later later',
      { state: 'pending_dns', dns: { status: 'failed' }, certificate: none, findings: missing },
    ],
    [
      'wrong later later later',
      { state: 'dns_error', dns: { status: 'failed' }, certificate: none, findings: missing },
    ],
    ['done wrong later later', { state: 'dns_error', dns: { status: 'failed' }, certificate: none, findings: silent }],
    [
      'done now later later',
      { state: 'pending_ownership', dns: { status: 'failed' }, certificate: none, findings: [] },
    ],
    ['done done now later', { state: 'issuing', dns: { status: 'verified' }, certificate: none, findings: [] }],
    [
      'done done wrong later',
      { state: 'cert_error', dns: { status: 'verified' }, certificate: { status: 'failed' }, findings: [] },
    ],
    ['done done done done', { state: 'active', dns: { status: 'verified' }, certificate: valid, findings: [] }],
    [
      'changed changed done done',
      { state: 'degraded', dns: { status: 'drifted' }, certificate: valid, findings: missing },
    ],
  ]
  for (const [steps, domain] of states) {
    expect([domain, stepsOf(domain as Domain).map(({ state }) => state)]).toEqual([domain, steps.split(' ') as never])
  }
})

test('the name with or without www is offered for whole domains and their www alone', () => {
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

const finding = (code: string, values: readonly string[] = []) => ({ code, severity: 'error', observed: [{ values }] })

/** The states of the steps, in a word each. */
function steps(domain: object): string {
  const rest = { findings: [], certificate: { status: 'none' }, state: 'pending_dns' }
  return stepsOf({ ...rest, ...domain } as unknown as Domain)
    .map(({ state }) => state)
    .join(' ')
}

test('records are found only if there is one at the name', () => {
  const failed = { status: 'failed', checkedAt: '2026-11-21T21:00:00Z' }
  for (const [findings, expected] of [
    [[finding('record_missing')], 'wrong later later later'],
    [[finding('label_doubled')], 'wrong later later later'],
    [[finding('txt_wrong_name')], 'wrong later later later'],
    [[finding('apex_needs_alias')], 'wrong later later later'],
    [[finding('apex_needs_alias', ['other.example'])], 'done wrong later later'],
    [[finding('conflict_a', ['192.0.2.1'])], 'done wrong later later'],
  ] as const) {
    expect(steps({ dns: failed, findings, state: 'dns_error' })).toBe(expected)
  }
})

test('a live domain whose records have changed needs a fix in the steps of its records, and says that it is live', () => {
  const dns = { status: 'drifted', checkedAt: '2026-11-21T21:00:00Z' }
  const live = { dns, certificate: { status: 'active' }, state: 'active' }
  expect(steps({ ...live, findings: [finding('record_missing')] })).toBe('changed changed done done')
  expect(steps({ ...live, findings: [finding('record_wrong_value', ['x'])] })).toBe('done changed done done')
  expect(stateLabelOf(live as unknown as Domain)).toBe('Live, but records changed')
  const verified = { ...live, dns: { ...dns, status: 'verified' } }
  expect([stateLabelOf(verified as unknown as Domain), steps(verified)]).toEqual(['Live', 'done done done done'])
})

test('a domain leads to the main address once that is live; until then a live one can take its place', () => {
  const domain = (hostname: string, state: string, to?: string) =>
    ({
      hostname,
      unicodeHostname: hostname,
      state,
      role: to === undefined ? 'primary' : 'redirect',
      redirect: to === undefined ? null : { to, status: 301 },
    }) as unknown as Domain
  const www = domain('www.kiosk.example', 'active', 'kiosk.example')
  const later = [domain('kiosk.example', 'pending_dns'), www]
  expect(purposeOf(www, later)).toBe('Leads to kiosk.example once that is live')
  expect(standInOf(later)?.live.hostname).toBe('www.kiosk.example')
  const now = [domain('kiosk.example', 'active'), www]
  expect(purposeOf(www, now)).toBe('Leads to kiosk.example')
  expect(standInOf(now)).toBeUndefined()
  expect(
    standInOf([domain('kiosk.example', 'pending_dns'), domain('a.example', 'issuing', 'kiosk.example')]),
  ).toBeUndefined()
})
