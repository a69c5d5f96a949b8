import { describe, expect, test } from 'bun:test'
import { checkDomain } from './check.ts'
import type { CheckRequest } from './request.ts'
import { codes, host, only, right, shopPerTest } from './testing/check.ts'
import type { TestQuery } from './testing/dns-server.ts'
import { addresses, expected, ours, type ShopOptions, target } from './testing/shop.ts'
import { zone } from './testing/zone.ts'

const shop = shopPerTest()

interface Setting extends ShopOptions {
  readonly request?: Partial<CheckRequest>
}

const check = (records: string, { request, ...options }: Setting = {}) => shop.check(records, options, request)

describe('the TXT record of ownership', () => {
  const request = { ownershipToken: 'petstore=Zx81' }

  test('passes with exactly the token, beside other values too', async () => {
    const records = `${right}\n_petstore-verify.www 300 TXT "other"\n_petstore-verify.www 300 TXT "petstore=Zx81"`
    expect(await check(records, { request })).toMatchObject({ ownership: 'verified', findings: [] })
  })

  test('passes in several strings, which are concatenated', async () => {
    const records = `${right}\n_petstore-verify.www 300 TXT "petstore" "=Zx81"`
    expect(await check(records, { request })).toMatchObject({ ownership: 'verified' })
  })

  test('is read over TCP where the server accepts it, and over UDP where it does not', async () => {
    const records = `${right}\n_petstore-verify.www 300 TXT "petstore=Zx81"`
    const change = { [addresses.second]: { tcp: false } }
    expect(await check(records, { request, change })).toMatchObject({ routing: 'verified', ownership: 'verified' })
    const proofs = (address: string) =>
      shop
        .world()
        .servers.get(address)
        ?.queries.filter(({ name, type }) => name.endsWith(host) && /^(A|AAAA|TXT)$/.test(type))
    expect(proofs(addresses.first)?.every(({ overTcp }) => overTcp)).toBe(true)
    expect(proofs(addresses.second)?.some(({ overTcp }) => overTcp)).toBe(false)
    expect(proofs(addresses.second)?.length).toBeGreaterThan(0)
  })

  test('can’t exist for a name that is too long', async () => {
    const hostname = `${`${'a'.repeat(60)}.`.repeat(4).slice(0, 235)}.kiosk.example`
    const report = await check(`* 300 CNAME ${target}.`, { request: { ...request, hostname } })
    expect(report).toMatchObject({ routing: 'verified', ownership: 'failed', findings: [{ code: 'invalid_hostname' }] })
  })

  test('is required', async () => {
    const report = await check(right, { request })
    expect(report).toMatchObject({ routing: 'verified', ownership: 'failed' })
    const finding = only(report)
    expect(finding).toMatchObject({ code: 'txt_missing', name: `_petstore-verify.${host}`, type: 'TXT' })
    expect(finding.fix).toContain(
      'create a TXT record with the name "_petstore-verify.www" and the value petstore=Zx81',
    )
  })

  test('is found at the names at which people put it by mistake', async () => {
    for (const name of ['www', `_petstore-verify.${host}`, '@']) {
      const records = `${right.replace('www', 'shop')}\n${name} 300 TXT "petstore=Zx81"`
      const report = await check(records, { request: { ...request, cnameTargets: [], publicAddresses: [] } })
      const finding = report.findings.find(({ code }) => code === 'txt_wrong_name')
      expect(finding?.fix).toContain('change the name of the TXT record to "_petstore-verify.www"')
    }
  })

  test('is created once more beside the one that proves the domain itself', async () => {
    const records = `${right}\n_petstore-verify 300 TXT "petstore=Zx81"`
    const finding = only(await check(records, { request }))
    expect(finding).toMatchObject({ code: 'txt_wrong_name', name: `_petstore-verify.${host}` })
    expect(finding.fix).toContain('create a TXT record with the name "_petstore-verify.www"')
    expect(finding.fix).toContain('The one at _petstore-verify.kiosk.example may stay')
  })

  test('with another value fails with the right value', async () => {
    for (const value of ['petstore=Zx81 ', 'petstore=zx81', "'petstore=Zx81'"]) {
      const finding = only(await check(`${right}\n_petstore-verify.www 300 TXT "${value}"`, { request }))
      expect(finding).toMatchObject({ code: 'txt_wrong_value', expected: ['petstore=Zx81'] })
      expect(finding.observed[0]?.values).toEqual([value])
    }
  })

  test('is not read through a CNAME, which has to be deleted unless it comes from a wildcard', async () => {
    const alias = '_petstore-verify.www 300 CNAME token\ntoken 300 TXT "petstore=Zx81"'
    const finding = only(await check(`${right}\n${alias}`, { request }))
    expect(finding).toMatchObject({ code: 'txt_missing', type: 'TXT' })
    expect(finding.message).toContain('has a CNAME record (to token.kiosk.example)')
    expect(finding.fix).toContain('delete the CNAME record "_petstore-verify.www"')
    const apex = { ...request, hostname: 'kiosk.example' }
    const records = `@ 300 A ${ours.v4}\n* 300 CNAME shops.other.example.`
    const missing = only(await check(records, { request: apex }))
    expect(missing).toMatchObject({ code: 'txt_missing' })
    expect(missing.fix).not.toContain('delete')
  })

  test('must be on every server that responds', async () => {
    const report = await check(`${right}\n_petstore-verify.www 300 TXT "petstore=Zx81"`, { request, second: right })
    expect(report).toMatchObject({ ownership: 'failed', findings: [{ code: 'nameservers_disagree', type: 'TXT' }] })
  })

  test('is missing if only a wildcard CNAME matches its name', async () => {
    const report = await check(`* 300 CNAME ${target}.\n${right}`, { request })
    expect(report).toMatchObject({ ownership: 'failed', findings: [{ code: 'txt_missing' }] })
  })

  test('needs an explicit CNAME beside it where a wildcard leads to the project', async () => {
    const report = await check(`* 300 CNAME ${target}.`, { request })
    expect(report).toMatchObject({ routing: 'verified', ownership: 'failed', findings: [{ code: 'txt_missing' }] })
    expect(only(report).fix).toContain('first make sure that there is a CNAME record with the name "www"')
    const followed = `${right}\n_petstore-verify.www 300 TXT "petstore=Zx81"\n* 300 CNAME ${target}.`
    expect(await check(followed, { request })).toMatchObject({
      routing: 'verified',
      ownership: 'verified',
      findings: [],
    })
  })
})

describe('CAA records', () => {
  test('of another authority forbid, and the finding names the record', async () => {
    const finding = only(await check(`${right}\n@ 300 CAA 0 issue "digicert.com"`))
    expect(finding).toMatchObject({ code: 'caa_forbids', name: 'kiosk.example', type: 'CAA', severity: 'error' })
    expect(finding.expected).toEqual(['0 issue "letsencrypt.org"'])
    expect(finding.fix).toContain('add a CAA record with the name "@" and the value 0 issue "letsencrypt.org"')
  })

  test('that allow nobody are reported as such', async () => {
    const finding = only(await check(`${right}\n@ 300 CAA 0 issue ";"`))
    expect(finding).toMatchObject({ code: 'caa_forbids' })
    expect(finding.message).toContain('allow no certificate authority')
    expect(finding.message).not.toContain('other')
  })

  test('that do not fit in a datagram are read over TCP, and summarised in the message', async () => {
    const many = Array.from({ length: 60 }, (_, i) => `@ 300 CAA 0 issue "authority-number-${i}.example"`).join('\n')
    const finding = only(await check(`${right}\n${many}`))
    expect(finding.code).toBe('caa_forbids')
    expect(finding.message).toContain('"authority-number-3.example" and 56 more)')
    expect(finding.observed[0]?.values).toHaveLength(20)
    const report = await check(`${right}\n${many}\n@ 300 CAA 0 issue "letsencrypt.org"`)
    expect(report).toMatchObject({ caa: 'verified', findings: [] })
    const queries = shop
      .world()
      .servers.get(addresses.first)
      ?.queries.filter(({ type }) => type === 'CAA')
    expect(queries?.map(({ overTcp }) => overTcp)).toContain(true)
  })

  test('of the name itself have precedence over those above', async () => {
    const records = `@ 60 A ${ours.v4}\n@ 300 CAA 0 issue "letsencrypt.org"\nshop 300 A 45.3.3.3\nshop 300 CAA 0 issue ";"`
    const request = { hostname: 'shop.kiosk.example', cnameTargets: [], publicAddresses: [] }
    expect(await check(records, { request })).toMatchObject({
      caa: 'failed',
      findings: [{ name: 'shop.kiosk.example' }],
    })
  })

  test('of the target of a CNAME have precedence over those above', async () => {
    const records =
      'www 300 CNAME shop\nshop 300 A 45.3.3.3\nshop 300 CAA 0 issue ";"\n@ 300 CAA 0 issue "letsencrypt.org"'
    const report = await check(records, { request: { cnameTargets: [], publicAddresses: [] } })
    expect(report).toMatchObject({ caa: 'failed', findings: [{ code: 'caa_forbids', name: 'shop.kiosk.example' }] })
  })

  test('of the registry apply if the domain has none', async () => {
    const report = await check(right, { registry: '@ 300 CAA 0 issue "registry-ca.example"' })
    expect(report).toMatchObject({ caa: 'failed', findings: [{ name: 'example' }] })
    expect(report.findings[0]?.fix).toStartWith('Where example is managed,')
  })

  test('of the registry are read above a public suffix of several labels, which is a separate zone', async () => {
    const registry = '45.1.0.9'
    const delegate = (label: string, address: string) => `${label} 300 NS ns.${label}\nns.${label} 300 A ${address}`
    const checkBelow = (recordsOfUk: string) => {
      const uk = zone('uk', `@ 300 NS ns\nns 300 A ${registry}\n${delegate('co', registry)}\n${recordsOfUk}`)
      const second = zone('co.uk', `@ 300 NS ns\nns 300 A ${registry}\n${delegate('kiosk', addresses.first)}`)
      const kiosk = zone('kiosk.co.uk', `@ 300 NS ns\nns 300 A ${addresses.first}\n${right}`)
      const change = { [addresses.first]: { zones: [kiosk] } }
      const more = [{ address: registry, zones: [uk, second] }]
      return check('', { change, more, request: { hostname: 'www.kiosk.co.uk' } })
    }
    expect(await checkBelow('')).toMatchObject({ routing: 'verified', caa: 'verified', findings: [] })
    const forbidden = await checkBelow('@ 300 CAA 0 issue "registry-ca.example"')
    expect(forbidden).toMatchObject({ routing: 'verified', caa: 'failed', findings: [{ name: 'uk' }] })
  })

  test('may forbid the method or the account', async () => {
    const method = await check(`${right}\n@ 300 CAA 0 issue "letsencrypt.org; validationmethods=dns-01"`)
    expect(only(method)).toMatchObject({ code: 'caa_method' })
    const caa = { ...expected.caa, accountUri: 'https://ca.example/acct/1' }
    const records = `${right}\n@ 300 CAA 0 issue "letsencrypt.org; accounturi=https://ca.example/acct/2"`
    expect(only(await check(records, { request: { caa } })).message).toContain('for another account only')
  })

  test('with an unknown critical tag forbid every authority, even if none is expected', async () => {
    const records = `${right}\n@ 300 CAA 128 tomorrow "x"`
    expect(only(await check(records))).toMatchObject({ code: 'caa_critical_unknown' })
    const world = await shop.open(records)
    const { caa: _, ...withoutCaa } = expected
    expect(codes(await checkDomain({ hostname: host, ...withoutCaa }, world.options))).toEqual([
      'error caa_critical_unknown',
    ])
  })

  test('that can’t be read make only the verdict on CAA unknown', async () => {
    const failing = ({ type }: TestQuery) => (type === 'CAA' ? { rcode: 2 } : undefined)
    const change = { [addresses.first]: { handle: failing }, [addresses.second]: { handle: failing } }
    const report = await check(right, { change })
    expect(report).toMatchObject({
      routing: 'verified',
      caa: 'unknown',
      findings: [{ code: 'dns_servfail', type: 'CAA' }],
    })
  })
})

describe('a name', () => {
  test('that is not a valid domain fails with the reason, without a query', async () => {
    const names = {
      'not a name': 'invalid_hostname',
      'co.uk': 'is_public_suffix',
      'www.stores.example': 'platform_domain',
      '*.kiosk.example': 'wildcard_unsupported',
    }
    for (const [hostname, code] of Object.entries(names)) {
      const report = await check(right, { request: { hostname } })
      expect(report).toMatchObject({
        routing: 'failed',
        queries: 0,
        findings: [{ code, severity: 'error', name: hostname }],
      })
    }
  })
})
