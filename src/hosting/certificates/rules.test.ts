import { describe, expect, test } from 'bun:test'
import { retryAtOf } from './acme/transport.ts'
import { limitScope, noFailure, pauseAfter } from './rules.ts'
import { statusOf } from './status.ts'
import type { CertificateRow } from './store.ts'

const minute = 60_000
const name = 'www.shop.example'

describe('the pauses in minutes', () => {
  const none = { kind: 'domain', notAfter: null } as const
  const after = (row: Parameters<typeof pauseAfter>[2], source: Parameters<typeof pauseAfter>[1]) =>
    [1, 2, 3, 50].map((failures) => pauseAfter(failures, source, row, 0) / minute)

  test('are 1, 10 and 100, then a day; at most 10 while the authority is away, and at most an hour while a check holds the order', () => {
    expect([after(none, 'ca'), after(none, 'account')]).toEqual(Array(2).fill([1, 10, 100, 1_440]))
    expect(after(none, 'unavailable')).toEqual([1, 10, 10, 10])
    expect(after(none, 'held')).toEqual([1, 10, 60, 60])
    expect(after({ ...none, kind: 'api' }, 'held')).toEqual([1, 5, 5, 5])
  })

  test('are at most a tenth of the life that the certificate has left, and shorter still once it has expired', () => {
    expect(after({ ...none, notAfter: 200 * minute }, 'ca')).toEqual([1, 10, 20, 20])
    expect(after({ ...none, notAfter: 1 }, 'ca')).toEqual([0.25, 0.25, 0.25, 0.25])
    const expired = { ...none, notAfter: 0 }
    expect(after(expired, 'unavailable')).toEqual([0.25, 0.25, 0.25, 0.25])
    expect(after(expired, 'held')).toEqual([1, 5, 5, 5])
    expect([after(expired, 'ca'), after(expired, 'account')]).toEqual(Array(2).fill([1, 10, 15, 15]))
  })
})

describe('the scope of a limit', () => {
  // The words of https://letsencrypt.org/docs/rate-limits/
  const scopes: readonly (readonly [string, ReturnType<typeof limitScope>])[] = [
    [
      'too many certificates (50) already issued for "shop.example" in the last 168h0m0s, retry after',
      { domain: 'shop.example' },
    ],
    [`too many certificates (5) already issued for this exact set of identifiers in the last 168h`, 'name'],
    [`too many failed authorizations (5) for "${name}" in the last 1h0m0s`, 'name'],
    ['too many new orders (300) from this account in the last 3h0m0s', 'account'],
    ['too many new registrations (10) from this IP address in the last 3h0m0s', 'account'],
    ['too many certificates (50) already issued for "other.example"', 'account'],
    ['Service busy; retry later.', 'account'],
    ['', 'account'],
  ]
  for (const [words, scope] of scopes) {
    test(`is ${JSON.stringify(scope)} for "${words}"`, () => {
      expect(limitScope(words, name)).toEqual(scope)
    })
  }

  test('of a name that is a registered domain is that domain', () => {
    const words = 'too many certificates (50) already issued for "shop.example" in the last 168h'
    expect(limitScope(words, 'shop.example')).toEqual({ domain: 'shop.example' })
    expect(limitScope(words, 'evilshop.example')).toBe('account')
  })
})

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 21)
  const at = (fields: Record<string, string>) => retryAtOf(new Headers(fields), now)

  test('is seconds, or a date by the clock of the authority', () => {
    expect(at({ 'retry-after': '120' })).toBe(now + 120_000)
    const day = 86_400_000
    const dates = { 'retry-after': new Date(now + day + 60_000).toUTCString(), date: new Date(now + day).toUTCString() }
    expect(at(dates)).toBe(now + 60_000)
    expect(at({ 'retry-after': dates['retry-after'] })).toBe(now + day + 60_000)
  })

  test('may have each of the three forms of a date of HTTP', () => {
    const [usual, fromC] = [Date.UTC(2026, 10, 22, 8, 49, 37), Date.UTC(2026, 11, 6, 8, 49, 37)]
    expect(at({ 'retry-after': 'Sun, 22 Nov 2026 08:49:37 GMT' })).toBe(usual)
    expect(at({ 'retry-after': 'Sunday, 22-Nov-26 08:49:37 GMT' })).toBe(usual)
    expect(at({ 'retry-after': 'Sunday, 06-Nov-94 08:49:37 GMT' })).toBe(Date.UTC(1994, 10, 6, 8, 49, 37))
    expect(at({ 'retry-after': 'Sun Dec  6 08:49:37 2026' })).toBe(fromC)
  })

  test('that is missing or none of these counts for nothing', () => {
    expect(at({})).toBeUndefined()
    for (const value of [
      'soon',
      '-5',
      '1e9',
      '99999999999999999999',
      'Sun, 22 Nov 2026 08:49:37 CET',
      '2026-11-22T08:49:37Z',
    ]) {
      expect([value, at({ 'retry-after': value })]).toEqual([value, undefined])
    }
  })
})

describe('the status of a name without a certificate', () => {
  const row: CertificateRow = {
    hostname: name,
    accountId: 1,
    kind: 'domain',
    wantedAt: 0,
    removedAt: null,
    file: null,
    directory: null,
    renewalId: null,
    notBefore: null,
    notAfter: null,
    installedAt: null,
    renewAt: null,
    renewalCheckAt: null,
    renewalWindow: null,
    ...noFailure,
  }
  const order = { id: 1, hostname: name, acmeAccountId: 1, state: 'placed', url: 'https://ca.example/1' } as const
  const openOrder = { ...order, token: null, keyAuthorization: null, file: null, replaces: null, createdAt: 0 }
  const at = (nowMs: number, facts: object = {}) =>
    statusOf({ row, order: undefined, limit: undefined, nowMs, waitingBefore: 0, ...facts })

  test('has no explanation for the first 30 minutes', () => {
    expect(at(29 * minute)).toMatchObject({ status: 'queued', error: null })
    expect(at(29 * minute, { order: openOrder })).toMatchObject({ status: 'issuing', error: null })
  })

  test('says after 30 minutes why there is none, and what to do', () => {
    const begun = 'There is no certificate after 31 minutes:'
    expect(at(31 * minute).error).toBe(
      `${begun} the order has not begun. Check that the domain still verifies and that no CAA record forbids the certificate authority, then verify it again.`,
    )
    expect(at(31 * minute, { order: openOrder }).error).toStartWith(
      `${begun} the certificate authority has not finished`,
    )
    expect(at(31 * minute, { waitingBefore: 7 }).error).toBe(
      `${begun} 7 other names are waiting for an order before it. There is nothing to do.`,
    )
    const limit = { directory: '', domain: 'shop.example', since: 0, until: 60 * minute, message: 'Too many' }
    expect(at(31 * minute, { limit })).toMatchObject({
      error:
        'The certificate authority has set a limit: Too many. The order follows when the limit ends; there is nothing to do.',
      rateLimitedUntil: 60 * minute,
      nextAttemptAt: 60 * minute,
    })
  })
})
