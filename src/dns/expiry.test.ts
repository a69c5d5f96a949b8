import { describe, expect, test } from 'bun:test'
import type { Finding, Report } from './report.ts'
import { both, codes, host, only, right, shopPerTest } from './testing/check.ts'
import type { TestQuery } from './testing/dns-server.ts'
import { ours, target } from './testing/shop.ts'

const { check } = shopPerTest()

/** The seconds until the only finding expires. */
const secondsOf = (report: Report) => secondsUntil(report, only(report))

function secondsUntil({ checkedAt }: Report, { expiresAt }: Finding): number {
  const waitMs = Date.parse(expiresAt ?? '') - Date.parse(checkedAt)
  return Math.round(waitMs / 10_000) * 10
}

describe('a finding expires with the wrong records', () => {
  const apex = { hostname: 'kiosk.example' }

  test('and not with the right ones beside them', async () => {
    const records = `@ 86400 A ${ours.v4}\n@ 300 AAAA 2a02::3`
    const report = await check(records, {}, apex)
    expect([only(report).code, secondsOf(report)]).toEqual(['aaaa_foreign', 300])
  })

  test('and not with an empty answer for the other type', async () => {
    const report = await check('@ 3600 SOA ns1 hostmaster 1 7200 3600 1209600 3600\nwww 300 A 45.3.3.3')
    expect([only(report).code, secondsOf(report)]).toEqual(['conflict_a', 300])
  })

  test('and with those of this service as well, where a CNAME is needed', async () => {
    const soa = '@ 3600 SOA ns1 hostmaster 1 7200 3600 1209600 60\n'
    const own = await check(`${soa}www 7200 A ${ours.v4}`)
    expect([only(own).code, secondsOf(own)]).toEqual(['conflict_a', 7200])
    const mixed = await check(`www 7200 A ${ours.v4}\nwww 300 AAAA 2a02::3`)
    expect(codes(mixed)).toEqual(['error conflict_a', 'error conflict_aaaa'])
    expect(mixed.findings.map((finding) => secondsUntil(mixed, finding))).toEqual([7200, 300])
    const wildcard = await check(`* 7200 A ${ours.v4}\n* 300 AAAA 2a02::3`)
    expect([only(wildcard).code, secondsOf(wildcard)]).toEqual(['wildcard_matched', 7200])
  })

  test('and not with the right CNAME beside them', async () => {
    const report = await check(`www 86400 CNAME ${target}.\nwww 300 A 45.3.3.3`)
    expect([only(report).code, secondsOf(report)]).toEqual(['conflict_a', 300])
  })

  test('and with the CNAME of an apex beside right addresses', async () => {
    const handle = ({ name, type }: TestQuery) => {
      if (name !== apex.hostname || !type.startsWith('A')) return undefined
      const data = type === 'A' ? ours.v4 : ours.v6
      const alias = { type: 'CNAME' as const, name, ttl: 86_400, data: target }
      return { authoritative: true, answers: [alias, { type: type as 'A' | 'AAAA', name, ttl: 300, data }] }
    }
    const report = await check('', { change: both({ handle }) }, apex)
    expect([only(report).code, secondsOf(report)]).toEqual(['apex_needs_alias', 86_400])
  })

  test('and not with those of the servers that are right', async () => {
    const routing = await check(`www 86400 CNAME ${target}.`, { second: 'www 300 CNAME old.other.example.' })
    expect([only(routing).code, secondsOf(routing)]).toEqual(['nameservers_disagree', 300])
    const txt = `${right}\n_petstore-verify.www 86400 TXT "petstore=Zx81"`
    const ownership = await check(txt, { second: right }, { ownershipToken: 'petstore=Zx81' })
    expect([only(ownership).code, secondsOf(ownership)]).toEqual(['nameservers_disagree', 300])
  })

  test('of the name itself, and not with those of the target of an earlier CNAME', async () => {
    const old = 'old.host.example'
    const resolve = ({ name, type }: TestQuery) =>
      name === host && type === 'A'
        ? {
            answers: [
              { type: 'CNAME' as const, name, ttl: 120, data: old },
              { type: 'A' as const, name: old, ttl: 86_400, data: '45.3.3.3' },
            ],
          }
        : undefined
    const report = await check(right, { resolve })
    expect([only(report).code, secondsOf(report)]).toEqual(['propagating', 120])
  })
})
