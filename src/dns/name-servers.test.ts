import { describe, expect, test } from 'bun:test'
import { both, codes, right, shopPerTest } from './testing/check.ts'
import type { Handler, TestQuery } from './testing/dns-server.ts'
import { addresses, ours, shopZone } from './testing/shop.ts'
import { shortLimits } from './testing/world.ts'
import { zone } from './testing/zone.ts'

const shop = shopPerTest()
const { check } = shop

describe('a name server', () => {
  test('with different records makes the domain fail and is named', async () => {
    const report = await check(right, { second: 'www 300 CNAME old.other.example.' })
    expect(report).toMatchObject({ routing: 'failed', findings: [{ code: 'nameservers_disagree', severity: 'error' }] })
    expect(report.findings[0]?.message).toContain('Wrong are ns2.kiosk.example (45.1.0.3)')
    expect(report.findings[0]?.observed).toHaveLength(2)
  })

  test('without the zone is lame, and the others decide', async () => {
    for (const reply of [{ rcode: 5 }, { authoritative: false }]) {
      const report = await check(right, { change: { [addresses.second]: { handle: () => reply } } })
      expect(report).toMatchObject({
        routing: 'verified',
        findings: [{ code: 'nameserver_lame', severity: 'warning' }],
      })
      expect(report.findings[0]?.message).toContain('ns2.kiosk.example (45.1.0.3)')
    }
  })

  test('that does not respond or fails is a warning, and the others decide', async () => {
    const silent = await check(right, {
      change: { [addresses.second]: { handle: () => 'silence', tcp: false } },
      limits: shortLimits,
    })
    expect(silent).toMatchObject({ routing: 'verified', findings: [{ code: 'dns_timeout', severity: 'warning' }] })
    expect(silent.findings[0]?.observed).toMatchObject([{ rcode: 'TIMEOUT', values: [], ttl: null }])
    const failing = await check(right, { change: { [addresses.second]: { handle: () => ({ rcode: 2 }) } } })
    expect(failing).toMatchObject({ routing: 'verified', findings: [{ code: 'dns_servfail', severity: 'warning' }] })
  })

  test('with a reserved address is a warning, and nothing is sent to it', async () => {
    const options = {
      registry: 'kiosk 3600 NS ns9.kiosk\nns9.kiosk 300 A 10.1.2.3',
      more: [{ address: '10.1.2.3', zones: [shopZone('')] }],
    }
    const report = await check(`${right}\n@ 3600 NS ns9`, options)
    expect(report).toMatchObject({ routing: 'verified', findings: [{ code: 'reserved_address', severity: 'warning' }] })
    expect(shop.world().servers.get('10.1.2.3')?.queries).toEqual([])
  })

  test('without an address is a warning', async () => {
    const options = { registry: 'kiosk 3600 NS ns9.gone.example.' }
    const report = await check(`${right}\n@ 3600 NS ns9.gone.example.`, options)
    expect(report.findings).toMatchObject([{ code: 'nameserver_lame', name: 'ns9.gone.example', type: 'A' }])
  })

  test('whose address the resolvers do not know is not reported as having none', async () => {
    const delegation = (name: string) => `${name} 300 NS ns1.host.net.\n${name} 300 NS ns2.host.net.`
    const hosts = `ns1 300 A ${addresses.first}\nns2 300 A ${addresses.second}`
    const checkWith = (failing: RegExp, response: ReturnType<Handler>) =>
      check(
        '',
        {
          registry: delegation('books'),
          change: both({ zones: [zone('books.example', `${delegation('@')}\n${right}`)] }),
          more: [{ address: '45.1.0.9', zones: [zone('host.net', hosts)] }],
          resolve: ({ name }) => (failing.test(name) ? response : undefined),
          limits: shortLimits,
        },
        { hostname: 'www.books.example' },
      )
    for (const response of [{ rcode: 2 }, { rcode: 5 }]) {
      expect(await checkWith(/^ns1/, response)).toMatchObject({ routing: 'verified', findings: [] })
      const report = await checkWith(/^ns/, response)
      expect(report).toMatchObject({ routing: 'unknown', findings: [{ code: 'dns_timeout', name: 'books.example' }] })
      expect(report.findings[0]?.message).toContain('ns1.host.net, ns2.host.net')
      expect(report.findings[0]?.fix).toContain('again in a few minutes')
    }
    expect(codes(await checkWith(/^ns/, {}))).toEqual(['error delegation_broken'])
  })

  test('that has timed out gets no further query', async () => {
    const report = await check(right, { change: both({ handle: () => 'silence', tcp: false }), limits: shortLimits })
    expect(report).toMatchObject({ routing: 'unknown', findings: [{ code: 'dns_timeout', severity: 'error' }] })
    expect(shop.world().servers.get(addresses.first)?.queries.length).toBeLessThanOrEqual(4)
  })
})

describe('a missing answer leaves the verdict unknown', () => {
  test('if all servers time out, reject the query or fail', async () => {
    const states = [
      [() => 'silence' as const, 'dns_timeout'],
      [() => ({ rcode: 5 }), 'nameservers_refuse'],
      [() => ({ rcode: 4 }), 'dns_timeout'],
      [() => ({ rcode: 2 }), 'dns_servfail'],
    ] as const
    for (const [handle, code] of states) {
      const report = await check(right, { change: both({ handle }), limits: shortLimits })
      expect(report).toMatchObject({
        routing: 'unknown',
        caa: 'unknown',
        findings: [{ code, severity: 'error', expected: [] }],
      })
    }
  })

  test('if all servers refuse queries about the zone, which they do not have', async () => {
    const report = await check(right, { change: both({ zones: [] }) })
    const [finding] = report.findings
    expect(finding).toMatchObject({ code: 'nameservers_refuse', name: 'kiosk.example', type: 'NS', expected: [] })
    expect(finding?.observed.map(({ rcode }) => rcode)).toEqual(['REFUSED', 'REFUSED'])
    expect(finding?.fix).toContain('at your registrar, set the name servers that the new provider lists.')
  })

  test('if no server answers for one of the two types of addresses, which the finding names', async () => {
    const handle = ({ type }: TestQuery) => (type === 'AAAA' ? { rcode: 4 } : undefined)
    const report = await check(`@ 300 A ${ours.v4}`, { change: both({ handle }) }, { hostname: 'kiosk.example' })
    const [finding] = report.findings
    expect(report.routing).toBe('unknown')
    expect(finding).toMatchObject({ code: 'dns_timeout', severity: 'error', name: 'kiosk.example', type: 'AAAA' })
    expect(finding?.observed.map(({ rcode }) => rcode)).toEqual(['NOTIMP', 'NOTIMP'])
    expect(finding?.message).toBe(
      'The name servers of kiosk.example gave an answer for other records of kiosk.example, but none for its AAAA records.',
    )
    const rejects = 'is listed as a name server of kiosk.example but rejects queries for AAAA records.'
    expect(report.findings.slice(1).map(({ message }) => message)).toEqual([
      `ns1.kiosk.example (${addresses.first}) ${rejects}`,
      `ns2.kiosk.example (${addresses.second}) ${rejects}`,
    ])
  })

  test('if the registry or every resolver times out', async () => {
    const registry = await check(right, {
      change: { [addresses.registry]: { handle: () => 'silence' } },
      limits: shortLimits,
    })
    expect(registry).toMatchObject({ routing: 'unknown', findings: [{ code: 'dns_timeout', name: 'example' }] })
    const resolver = await check(right, { resolve: () => 'silence', limits: shortLimits })
    expect(resolver).toMatchObject({ routing: 'unknown', findings: [{ code: 'dns_timeout' }] })
    expect(resolver.findings[0]?.fix).toContain('--dns-resolver')
  })
})

describe('a server that follows CNAMEs itself', () => {
  /** Fails like PowerDNS if a CNAME loops. */
  const failing = ({ name, type }: TestQuery) =>
    name === 'www.kiosk.example' && type !== 'CNAME' ? { rcode: 2 } : undefined

  test('and fails because of a loop is queried for the CNAME alone', async () => {
    const records = 'www 300 CNAME a\na 300 CNAME www'
    const report = await check(records, { change: both({ zones: [shopZone(records)], handle: failing }) })
    expect(report).toMatchObject({ routing: 'failed', zone: 'kiosk.example' })
    expect(codes(report)).toEqual(['error cname_loop'])
  })
})

describe('a zone with broken signatures', () => {
  test('is found although the resolver does not validate the addresses of its servers', async () => {
    const checkingDisabled = 1 << 4
    const resolve = ({ name, flags }: TestQuery) =>
      name.endsWith('kiosk.example') && (flags & checkingDisabled) === 0 ? { rcode: 2 } : undefined
    const options = { registry: 'books 300 NS ns1.kiosk', resolve }
    const change = both({ zones: [zone('books.example', `@ 300 NS ns1.kiosk.example.\n${right}`)] })
    const outside = await check(right, { ...options, change }, { hostname: 'www.books.example' })
    expect(outside).toMatchObject({ routing: 'verified', findings: [] })
    expect(codes(await check(right, { resolve }))).toEqual(['error dnssec_bogus'])
  })
})
