import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { CertificateStatus } from '../projects/view.ts'
import { nextWhileDrifted, nextWhileWaiting, waitedAfter, waitingMs } from './checks/schedule.ts'
import { assertRoom, assertTarget, successorOf } from './roles.ts'
import { type DnsFacts, isValid, noCertificate, stateOf } from './state.ts'

const now = Date.UTC(2026, 10, 21)
const hour = 3_600_000
const dns = (given: Partial<DnsFacts>): DnsFacts => ({
  dnsStatus: 'verified',
  failure: null,
  isDegraded: false,
  nextCheckAt: now + hour,
  ...given,
})
const certificate = (status: CertificateStatus['status'], expiresAt: number | null = null): CertificateStatus => ({
  ...noCertificate,
  status,
  expiresAt,
})
const valid = now + 30 * 24 * hour

describe('the state of a domain', () => {
  const cases: readonly (readonly [string, Partial<DnsFacts>, CertificateStatus | undefined])[] = [
    ['pending_dns', { dnsStatus: 'pending' }, certificate('none')],
    ['pending_dns', { dnsStatus: 'failed', failure: 'missing' }, certificate('none')],
    ['pending_ownership', { dnsStatus: 'failed', failure: 'ownership' }, certificate('none')],
    ['dns_error', { dnsStatus: 'failed', failure: 'wrong' }, certificate('none')],
    ['dns_error', { dnsStatus: 'failed', failure: 'missing', nextCheckAt: null }, certificate('none')],
    ['dns_error', { dnsStatus: 'failed', failure: 'ownership', nextCheckAt: null }, certificate('none')],
    ['issuing', {}, certificate('none')],
    ['issuing', {}, certificate('queued')],
    ['issuing', {}, certificate('issuing')],
    ['active', {}, certificate('active', valid)],
    ['active', {}, certificate('renewing', valid)],
    ['active', {}, certificate('failed', valid)],
    ['active', { dnsStatus: 'drifted', failure: 'wrong' }, certificate('active', valid)],
    ['active', {}, undefined],
    ['cert_error', {}, certificate('failed')],
    ['cert_error', {}, certificate('expired', now - 1)],
    ['cert_error', {}, certificate('active', now)],
    ['degraded', { dnsStatus: 'drifted', isDegraded: true }, certificate('active', valid)],
    ['degraded', { dnsStatus: 'drifted', isDegraded: true }, undefined],
    ['cert_error', { dnsStatus: 'drifted', isDegraded: true }, certificate('expired', now - 1)],
  ]
  for (const [state, facts, status] of cases) {
    const shown = `${JSON.stringify(facts)} and the certificate ${status ? status.status : 'of a proxy'}`
    test(`is ${state} with ${shown}${status?.expiresAt === valid ? ', which is valid' : ''}`, () => {
      expect(stateOf(dns(facts), status, now)).toBe(state as never)
    })
  }

  test('is active only with proven records and, where the service has to have one, a valid certificate', () => {
    const facts = fc.record<DnsFacts>({
      dnsStatus: fc.constantFrom('pending', 'verified', 'failed', 'drifted'),
      failure: fc.constantFrom(null, 'missing', 'ownership', 'wrong'),
      isDegraded: fc.boolean(),
      nextCheckAt: fc.constantFrom(null, now + hour),
    })
    const status = fc.constantFrom('none', 'queued', 'issuing', 'active', 'renewing', 'failed', 'expired' as const)
    const expiry = fc.constantFrom(null, now - 1, now, valid)
    fc.assert(
      fc.property(facts, status, expiry, (given, certificateState, expiresAt) => {
        const own = certificate(certificateState as 'none', expiresAt)
        if (stateOf(given, own, now) !== 'active') return
        expect(['verified', 'drifted']).toContain(given.dnsStatus)
        expect([isValid(own, now), given.isDegraded]).toEqual([true, false])
      }),
    )
  })
})

describe('the schedule', () => {
  test('has pauses from a minute to an hour that never shrink, and ends after 48 hours', () => {
    let last = 0
    for (let waited = 0; waited < waitingMs; waited += 60_000) {
      const pause = (nextWhileWaiting(waited, now) ?? 0) - now
      expect(pause).toBeGreaterThanOrEqual(Math.max(last, 60_000))
      expect(pause).toBeLessThanOrEqual(hour)
      last = pause
    }
    expect([nextWhileWaiting(waitingMs - 1, now) === null, nextWhileWaiting(waitingMs, now)]).toEqual([false, null])
  })

  test('counts a gap of any length, and a clock that goes back, as at most two hours', () => {
    const year = 365 * 24 * hour
    expect(waitedAfter(hour, now, now + 60_000)).toBe(hour + 60_000)
    expect(waitedAfter(hour, now, now + year)).toBe(3 * hour)
    expect(waitedAfter(hour, now, now - year)).toBe(hour)
  })

  test('checks a drifted domain hourly for two days, then daily', () => {
    expect(nextWhileDrifted(now, now) - now).toBe(hour)
    expect(nextWhileDrifted(now - 47 * hour, now) - now).toBe(hour)
    expect(nextWhileDrifted(now - 48 * hour, now) - now).toBe(24 * hour)
  })
})

describe('roles', () => {
  const members = [
    { hostname: 'a.example', isPrimary: true },
    { hostname: 'b.example', isPrimary: false },
  ]
  test('only the primary can be the target of a redirect', () => {
    expect(() => assertTarget('c.example', 'a.example', members)).not.toThrow()
    expect(() => assertTarget('b.example', 'b.example', members)).toThrow('itself')
    expect(() => assertTarget('c.example', 'b.example', members)).toThrow('chain')
    expect(() => assertTarget('b.example', 'd.example', members)).toThrow('of this project')
  })

  test('the fiftieth domain is the last', () => {
    expect(() => assertRoom(49, 1)).not.toThrow()
    expect(() => assertRoom(49, 2)).toThrow('50 is the most')
    expect(() => assertRoom(50, 1)).toThrow('50 is the most')
  })

  test('the oldest active domain succeeds a primary, else the oldest verified, else the oldest', () => {
    const row = (id: number, isActive: boolean, holdsName: boolean) => ({ id, isActive, holdsName })
    expect(successorOf([row(3, true, true), row(2, true, true), row(1, false, true)])?.id).toBe(2)
    expect(successorOf([row(3, false, true), row(1, false, false)])?.id).toBe(3)
    expect(successorOf([row(3, false, false), row(1, false, false)])?.id).toBe(1)
    expect(successorOf([])).toBeUndefined()
  })
})
