import { describe, expect, test } from 'bun:test'
import type { Answer } from 'dns-packet'
import { checkDomain } from './check.ts'
import { codes, host, only, right, shopPerTest } from './testing/check.ts'
import { startDnsServer, type TestQuery } from './testing/dns-server.ts'
import { expected, target } from './testing/shop.ts'
import { shortLimits } from './testing/world.ts'

const shop = shopPerTest()
const { check } = shop

describe('a recursive resolver', () => {
  const stale = ({ name, type }: TestQuery) =>
    name === host && type === 'A'
      ? { answers: [{ type: 'A' as const, name, ttl: 1_234, data: '45.3.3.3' } satisfies Answer] }
      : undefined

  test('that still has the earlier answer causes the finding propagating, until its TTL ends', async () => {
    const report = await check(right, { resolve: stale })
    expect(report).toMatchObject({ routing: 'verified', findings: [{ code: 'propagating', severity: 'info' }] })
    const waitMs = Date.parse(only(report).expiresAt ?? '') - Date.parse(report.checkedAt)
    expect(Math.abs(waitMs - 1_234_000)).toBeLessThan(2_000)
    // The answer for AAAA is already new.
    expect(only(report).observed).toMatchObject([{ rcode: 'NOERROR', values: ['45.3.3.3'], ttl: 1_234 }])
  })

  test('that still has "does not exist" causes it until the SOA’s TTL ends', async () => {
    const soa = {
      mname: 'ns1.kiosk.example',
      rname: 'x.kiosk.example',
      serial: 1,
      refresh: 1,
      retry: 1,
      expire: 1,
      minimum: 900,
    }
    const resolve = ({ name }: TestQuery) =>
      name === host
        ? {
            rcode: 3,
            authorities: [{ type: 'SOA' as const, name: 'kiosk.example', ttl: 77, data: soa } satisfies Answer],
          }
        : undefined
    const report = await check(right, { resolve })
    const waitMs = Date.parse(only(report).expiresAt ?? '') - Date.parse(report.checkedAt)
    expect([only(report).code, Math.round(waitMs / 10_000)]).toEqual(['propagating', 8])
  })

  test('never changes a verdict, also with a forged answer', async () => {
    const forged = ({ name }: TestQuery) =>
      name === host ? { answers: [{ type: 'CNAME' as const, name, ttl: 60, data: target }] } : undefined
    expect(await check('www 300 CNAME other.example.', { resolve: forged })).toMatchObject({ routing: 'failed' })
  })

  test('that fails only with validation reports DNSSEC as bogus', async () => {
    const checkingDisabled = 1 << 4
    const resolve = ({ name, flags }: TestQuery) =>
      name === host && (flags & checkingDisabled) === 0 ? { rcode: 2 } : undefined
    const report = await check(right, { resolve })
    expect(report).toMatchObject({ routing: 'verified', findings: [{ code: 'dnssec_bogus', severity: 'error' }] })
  })

  test('with an extended error for it reports DNSSEC as bogus', async () => {
    const resolve = ({ name }: TestQuery) => (name === host ? { rcode: 2, extendedErrors: [7] } : undefined)
    expect(codes(await check(right, { resolve }))).toEqual(['error dnssec_bogus'])
  })

  test('that fails for another reason is a warning', async () => {
    const resolve = ({ name }: TestQuery) => (name === host ? { rcode: 2, extendedErrors: [22] } : undefined)
    expect(codes(await check(right, { resolve }))).toEqual(['warning dns_servfail'])
  })
})

describe('the finding dnssec_bogus', () => {
  const checkingDisabled = 1 << 4
  const isValidated = ({ flags }: TestQuery) => (flags & checkingDisabled) === 0

  test('needs an answer without validation for the type that failed', async () => {
    const resolve = ({ name, type }: TestQuery) => (name === host && type === 'AAAA' ? { rcode: 2 } : undefined)
    const finding = only(await check(right, { resolve }))
    expect(finding).toMatchObject({ code: 'dns_servfail', severity: 'warning', type: 'AAAA' })
    const bogus = (query: TestQuery) => (isValidated(query) ? resolve(query) : undefined)
    expect(codes(await check(right, { resolve: bogus }))).toEqual(['error dnssec_bogus'])
  })

  test('is not given if the resolver names another cause', async () => {
    for (const [extendedErrors, code] of [
      [[22], 'warning dns_servfail'],
      [[23], 'warning dns_servfail'],
      [[22, 9], 'error dnssec_bogus'],
      [[0], 'error dnssec_bogus'],
    ] as const) {
      const resolve = (query: TestQuery) =>
        query.name === host && isValidated(query) ? { rcode: 2, extendedErrors } : undefined
      expect([extendedErrors, codes(await check(right, { resolve }))]).toEqual([extendedErrors, [code]])
    }
  })

  test('is about the target of a CNAME if the CNAME itself validates', async () => {
    const resolve = (query: TestQuery) =>
      query.name === host && query.type !== 'CNAME' && isValidated(query)
        ? { rcode: 2, extendedErrors: [9] }
        : undefined
    const finding = only(await check(right, { resolve }))
    expect(finding).toMatchObject({ code: 'dnssec_bogus', name: target })
    expect(finding.message).toContain(`signatures of ${target}`)
    expect(finding.fix).not.toContain('your registrar')
  })

  test('is about the zone of the owner if the CNAME that validates leads to a name there', async () => {
    const resolve = ({ name, type }: TestQuery) =>
      name === host && type !== 'CNAME' ? { rcode: 2, extendedErrors: [9] } : undefined
    const own = only(await check('www 300 CNAME shop\nshop 300 A 45.3.3.3', { resolve }, { cnameTargets: [] }))
    expect(own).toMatchObject({ code: 'dnssec_bogus', name: host })
    expect(own.message).toStartWith("The DNSSEC signatures of kiosk.example don't validate")
    expect(own.fix).toContain('at your registrar')
    expect(own.fix).not.toContain('The operator of')
    // The resolver does not say which of the two zones it is.
    const further = only(await check(`www 300 CNAME shop\nshop 300 CNAME ${target}.`, { resolve }))
    expect(further.message).toStartWith(`The DNSSEC signatures of kiosk.example or ${target} don't validate`)
    expect(further.fix).toContain('at your registrar')
    expect(further.fix).toEndWith(
      `If the signatures of kiosk.example are right, the operator of ${target} has to correct its DS record, or its signatures.`,
    )
  })
})

describe('a second resolver', () => {
  test('is queried if the first one fails', async () => {
    const world = await shop.open(right)
    const dead = { address: '127.0.1.251', port: 9 }
    const options = { ...world.options, resolvers: [dead, ...world.options.resolvers] }
    const report = await checkDomain({ hostname: host, ...expected }, options)
    expect(report).toMatchObject({ routing: 'verified', findings: [{ code: 'dns_timeout', severity: 'warning' }] })
    expect(report.findings[0]?.observed).toMatchObject([{ server: '127.0.1.251:9', rcode: 'CONNECTION_REFUSED' }])
    expect(report.findings[0]?.message).toBe('A recursive resolver does not answer: 127.0.1.251:9.')
  })

  test('is queried without waiting again for one that has timed out', async () => {
    const world = await shop.open(right)
    const silent = await startDnsServer('127.0.1.201', () => 'silence')
    const options = { ...world.options, resolvers: [silent, ...world.options.resolvers] }
    const report = await checkDomain({ hostname: host, ...expected }, { ...options, limits: shortLimits })
    silent.close()
    expect(report).toMatchObject({ routing: 'verified', findings: [{ code: 'dns_timeout', severity: 'warning' }] })
    // The two simultaneous queries, with two attempts each.
    expect(silent.queries.length).toBeLessThanOrEqual(6)
  })
})
