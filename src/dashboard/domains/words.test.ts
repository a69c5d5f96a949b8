import { expect, test } from 'bun:test'
import type { Domain } from './queries.ts'
import { hostnameIn, stepsOf } from './words.ts'

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
    ['done done done done', { state: 'degraded', dns: { status: 'drifted' }, certificate: valid, findings: missing }],
  ]
  for (const [steps, domain] of states) {
    expect([domain, stepsOf(domain as Domain).map(({ state }) => state)]).toEqual([domain, steps.split(' ') as never])
  }
})
