import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkDomain } from './check.ts'
import { codes, host, only, right, shopPerTest } from './testing/check.ts'
import { expected, ours, target } from './testing/shop.ts'
import { shortLimits } from './testing/world.ts'
import { zone } from './testing/zone.ts'

const shop = shopPerTest()
const { check } = shop

describe('a subdomain', () => {
  test('passes if every name server has exactly the expected CNAME', async () => {
    const report = await check(`www 300 CNAME ${target}.`)
    expect(report).toMatchObject({ routing: 'verified', routedBy: 'cname', zone: 'kiosk.example', isApex: false })
    expect(report).toMatchObject({ findings: [], caa: 'verified', ownership: 'not_checked', complete: true })
    expect(report.nameservers).toEqual(['ns1.kiosk.example', 'ns2.kiosk.example'])
  })

  test('passes in any case of letters and in its Unicode form', async () => {
    expect(await check(`www 300 CNAME ${target.toUpperCase()}.`, {}, { hostname: 'WWW.Kiosk.Example.' })).toMatchObject(
      {
        routing: 'verified',
      },
    )
    const report = await check(`xn--bcher-kva 300 CNAME ${target}.`, {}, { hostname: 'Bücher.kiosk.example' })
    expect(report).toMatchObject({
      routing: 'verified',
      hostname: 'xn--bcher-kva.kiosk.example',
      unicodeHostname: 'bücher.kiosk.example',
    })
  })

  test('passes with a CNAME to another name that leads to the target', async () => {
    const report = await check(`www 300 CNAME shop\nshop 300 CNAME ${target}.`)
    expect(report).toMatchObject({ routing: 'verified', routedBy: 'cname', findings: [] })
  })

  test('passes with any target one label below the platform if the token is unknown, and with no other depth', async () => {
    const request = { cnameTargets: ['*.edge.stores.example'] }
    expect(await check(`www 300 CNAME ${target}.`, {}, request)).toMatchObject({ routing: 'verified' })
    expect(await check('www 300 CNAME a.b.edge.stores.example.', {}, request)).toMatchObject({ routing: 'failed' })
  })

  test('without a record fails', async () => {
    const finding = only(await check('mail 300 A 45.3.3.3'))
    expect(finding).toMatchObject({
      code: 'record_missing',
      severity: 'error',
      name: host,
      type: 'CNAME',
      expected: [target],
    })
    expect(finding.fix).toContain(`create a CNAME record with the name "www" and the value ${target}`)
    expect(finding.observed.map(({ server, rcode, authoritative }) => [server, rcode, authoritative])).toEqual([
      ['ns1.kiosk.example (45.1.0.2)', 'NXDOMAIN', true],
      ['ns2.kiosk.example (45.1.0.3)', 'NXDOMAIN', true],
    ])
  })

  test('that is missing is cached as missing for the minimum of the SOA record', async () => {
    const report = await check('@ 900 SOA ns1 hostmaster 1 7200 3600 1209600 120\nmail 300 A 45.3.3.3')
    const waitMs = Date.parse(only(report).expiresAt ?? '') - Date.parse(report.checkedAt)
    expect(Math.abs(waitMs - 120_000)).toBeLessThan(2_000)
  })

  test('with a wrong value fails with the value and the time at which caches drop it', async () => {
    const report = await check('www 900 CNAME shops.other.example.')
    const finding = only(report)
    expect(finding).toMatchObject({ code: 'record_wrong_value', type: 'CNAME', expected: [target] })
    expect(finding.fix).toContain(`it must have the value ${target} instead of shops.other.example`)
    expect(finding.observed[0]).toMatchObject({ values: ['CNAME shops.other.example'], ttl: 900, rcode: 'NOERROR' })
    const waitMs = Date.parse(finding.expiresAt ?? '') - Date.parse(report.checkedAt)
    expect(Math.abs(waitMs - 900_000)).toBeLessThan(2_000)
  })

  test('to whose name the provider has appended the zone fails with that reason', async () => {
    const finding = only(await check(`${host} 300 CNAME ${target}.`))
    expect(finding).toMatchObject({ code: 'label_doubled' })
    expect(finding.fix).toContain('change the record\'s name from "www.kiosk.example" to "www"')
  })

  test('to whose value the provider has appended the zone fails with that reason', async () => {
    const finding = only(await check(`www 300 CNAME ${target}`))
    expect(finding).toMatchObject({ code: 'target_doubled' })
    expect(finding.message).toContain(`${target}.kiosk.example`)
    expect(finding.fix).toContain(`to ${target}. with a dot at its end`)
  })

  test('with addresses instead of the CNAME has a conflict for each type', async () => {
    const report = await check('www 300 A 45.3.3.3\nwww 600 AAAA 2a02::3')
    expect(codes(report)).toEqual(['error conflict_a', 'error conflict_aaaa'])
    expect(report.findings.map(({ type }) => type)).toEqual(['A', 'AAAA'])
    expect(report.findings[1]?.fix).toContain(
      'delete the AAAA records with the name "www" (2a02::3), then create a CNAME',
    )
  })

  test('is not verified by the public addresses, which belong to no account', async () => {
    expect(codes(await check(`www 300 A ${ours.v4}`))).toEqual(['error conflict_a'])
  })

  test('with an A record beside the CNAME has a conflict', async () => {
    const finding = only(await check(`www 300 CNAME ${target}.\nwww 300 A 45.3.3.3`))
    expect(finding).toMatchObject({ code: 'conflict_a' })
    expect(finding.message).toContain('beside its CNAME')
  })

  test('with other records fails, because a CNAME cannot exist beside them', async () => {
    const finding = only(await check('www 300 MX 10 mail.other.example.\nwww 300 TXT "v=spf1 -all"'))
    expect(finding).toMatchObject({ code: 'conflict_other', type: 'MX' })
    expect(finding.fix).toContain('delete the MX and TXT records with the name "www"')
  })

  test('without a record beside a wildcard has no other records and no doubled name', async () => {
    for (const wildcard of [
      '* 300 MX 10 mail.other.example.\n* 300 TXT "v=spf1 -all"',
      '* 300 A 45.3.3.3\n_acme-challenge.www 300 TXT "left over"',
    ]) {
      expect(codes(await check(wildcard))).toEqual(['error record_missing'])
    }
  })

  test('behind the proxy of Cloudflare fails', async () => {
    const finding = only(await check('www 300 A 104.21.5.6\nwww 300 AAAA 2606:4700::6'))
    expect(finding).toMatchObject({ code: 'proxied', severity: 'error' })
    expect(finding.fix).toContain('turn the proxy off for the record "www"')
  })

  test('with a private address fails, unless private addresses are allowed', async () => {
    const finding = only(await check('www 300 A 192.168.1.10'))
    expect(finding).toMatchObject({ code: 'reserved_address' })
    expect(finding.message).toContain('192.168.1.10: private')
    const options = { ...shop.world().options, allowPrivateAddresses: true }
    expect(codes(await checkDomain({ hostname: host, ...expected }, options))).toEqual(['error conflict_a'])
  })

  test('that a wrong wildcard matches needs its own record', async () => {
    for (const wildcard of ['CNAME shops.other.example.', 'A 45.3.3.3', 'AAAA 2a01:4f8::3', 'A 10.1.2.3']) {
      const wrong = only(await check(`* 300 ${wildcard}`))
      expect(wrong).toMatchObject({ code: 'wildcard_matched', severity: 'error', type: 'CNAME', expected: [target] })
      expect(wrong.message).toContain(`comes from the wildcard record *.kiosk.example`)
      expect(wrong.fix).toContain(`create a CNAME record with the name "www" and the value ${target}`)
      expect(wrong.fix).not.toContain('change the')
    }
    // Its own record is the fault, whatever the wildcard is.
    expect(codes(await check('* 300 A 45.3.3.3\nwww 300 A 45.3.3.4'))).toEqual(['error conflict_a'])
    expect(await check(`* 300 CNAME ${target}.`)).toMatchObject({ routing: 'verified', findings: [] })
  })
})

describe('CNAMEs', () => {
  test('that form a loop fail', async () => {
    const finding = only(await check('www 300 CNAME a\na 300 CNAME b\nb 300 CNAME www'))
    expect(finding).toMatchObject({ code: 'cname_loop' })
    expect(finding.message).toContain(`${host} → a.kiosk.example → b.kiosk.example → ${host}`)
  })

  const chain = (length: number) => {
    const names = Array.from({ length }, (_, i) => `h${i}`)
    return ['www', ...names].map((name, i) => `${name} 300 CNAME ${names[i] ?? `${target}.`}`).join('\n')
  }

  test('may be eight in a row, and not more', async () => {
    expect(await check(chain(7))).toMatchObject({ routing: 'verified' })
    expect(only(await check(chain(8)))).toMatchObject({ code: 'cname_too_long' })
  })

  test('are followed into other zones', async () => {
    const other = zone('other.example', `@ 300 NS ns\nns 300 A 45.1.0.9\nshops 300 CNAME ${target}.`)
    const options = {
      registry: 'other 300 NS ns.other\nns.other 300 A 45.1.0.9',
      more: [{ address: '45.1.0.9', zones: [other] }],
    }
    expect(await check('www 300 CNAME shops.other.example.', options)).toMatchObject({ routing: 'verified' })
  })

  test('into a zone whose servers do not respond leave the verdict unknown', async () => {
    const options = {
      registry: 'other 300 NS ns.other\nns.other 300 A 45.1.0.9',
      more: [{ address: '45.1.0.9', handle: () => 'silence' as const }],
      limits: shortLimits,
    }
    const report = await check('www 300 CNAME shops.other.example.', options)
    expect(report).toMatchObject({ routing: 'unknown' })
    expect(codes(report)).toContain('error dns_timeout')
  })
})

describe('without an expectation', () => {
  const nothing = { cnameTargets: [], publicAddresses: [], platformDomains: [] }

  test('any address passes, and so does any CNAME that leads to one', async () => {
    expect(await check('www 300 A 45.3.3.3', {}, nothing)).toMatchObject({ routing: 'not_checked', findings: [] })
    const report = await check(`www 300 CNAME ${target}.`, {}, nothing)
    expect(report).toMatchObject({ routing: 'not_checked', findings: [] })
  })

  test('a name without any record and a CNAME without a target are faults', async () => {
    expect(codes(await check('', {}, nothing))).toEqual(['error record_missing'])
    expect(codes(await check('www 300 CNAME gone', {}, nothing))).toEqual(['error record_wrong_value'])
    expect(codes(await check('', {}, { ...nothing, hostname: 'kiosk.example' }))).toEqual(['error record_missing'])
  })

  test('servers with different records are a warning', async () => {
    const report = await check('www 300 A 45.3.3.3', { second: 'www 300 A 45.4.4.4' }, nothing)
    expect(codes(report)).toEqual(['warning nameservers_disagree'])
  })
})

describe('for any records of two servers', () => {
  const lines = [
    `CNAME ${target}.`,
    'CNAME shops.other.example.',
    `A ${ours.v4}`,
    'A 45.3.3.3',
    `AAAA ${ours.v6}`,
    'AAAA 2a02::3',
  ]
  const records = fc.subarray(lines, { maxLength: 3 })

  /** The rule of the verdict, written independently of the checker. */
  function passes(chosen: readonly string[], isApex: boolean): boolean {
    // A name can have only one CNAME, and nothing beside it.
    if (!isApex) return chosen.length === 1 && chosen[0] === lines[0]
    return chosen.length > 0 && chosen.every((line) => line === lines[2] || line === lines[4])
  }

  test('the domain passes if each of them passes alone, and fails otherwise', async () => {
    const property = fc.asyncProperty(records, records, fc.boolean(), async (first, second, isApex) => {
      const text = (chosen: readonly string[]) => chosen.map((line) => `${isApex ? '@' : 'www'} 60 ${line}`).join('\n')
      const request = { hostname: isApex ? 'kiosk.example' : host }
      const report = await check(text(first), { second: text(second) }, request)
      const isRight = passes(first, isApex) && passes(second, isApex)
      expect([first, second, report.routing]).toEqual([first, second, isRight ? 'verified' : 'failed'])
      const errors = report.findings.filter(({ severity }) => severity === 'error')
      expect(errors.length > 0).toBe(!isRight)
      for (const finding of report.findings) expect(finding.fix.length).toBeGreaterThan(20)
    })
    await fc.assert(property, { numRuns: 20, examples: [[lines.slice(0, 2), lines.slice(0, 1), false]] })
  })
})

test('two CNAME records at one name are a finding, in either order, even if one of them is right', async () => {
  const other = 'www 300 CNAME old.kiosk.example.'
  for (const records of [`${right}\n${other}`, `${other}\n${right}`]) {
    const report = await check(records)
    expect(report).toMatchObject({ routing: 'failed', findings: [{ code: 'conflict_other', type: 'CNAME' }] })
    expect(only(report).message).toStartWith('www.kiosk.example has 2 CNAME records (')
    expect(only(report).fix).toEndWith('delete the CNAME record "www" with the value old.kiosk.example.')
    expect(only(report).observed[0]?.values.toSorted()).toEqual(
      [`CNAME ${target}`, 'CNAME old.kiosk.example'].toSorted(),
    )
  }
  const none = await check(`${other}\nwww 300 CNAME older.kiosk.example.`)
  expect(only(none).fix).toContain('with the value old.kiosk.example, older.kiosk.example, then create')
  expect((await check(`${right}\n${right}`)).routing).toBe('verified')
})
