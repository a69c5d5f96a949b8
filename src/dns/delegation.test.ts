import { afterEach, describe, expect, test } from 'bun:test'
import { checkDomain } from './check.ts'
import type { Report } from './report.ts'
import type { CheckRequest } from './request.ts'
import { startDnsServer, type TestQuery } from './testing/dns-server.ts'
import { addresses, createShopWorld, expected, type ShopOptions, shopZone, target } from './testing/shop.ts'
import { authoritativeReply, shortLimits, type World } from './testing/world.ts'
import { zone } from './testing/zone.ts'

let world: World | undefined
afterEach(() => world?.close())

const right = `www 300 CNAME ${target}.`
const bothServers = [addresses.first, addresses.second]

async function check(records: string, options: ShopOptions = {}, request: Partial<CheckRequest> = {}): Promise<Report> {
  world = await createShopWorld(records, options)
  return checkDomain({ hostname: 'www.kiosk.example', ...expected, ...request }, world.options)
}

const codes = ({ findings }: Report) => findings.map(({ code, severity }) => `${severity} ${code}`)
const both = (change: object) => Object.fromEntries(bothServers.map((address) => [address, change]))

describe('the delegation', () => {
  test('of a domain that the registry does not know is reported as not registered', async () => {
    const report = await check('', {}, { hostname: 'www.nobody.example' })
    expect(report).toMatchObject({ routing: 'failed', zone: null, findings: [{ code: 'domain_not_registered' }] })
    expect(report.findings[0]).toMatchObject({ name: 'nobody.example', observed: [{ rcode: 'NXDOMAIN' }] })
  })

  test('to servers without authority for the zone is broken', async () => {
    const report = await check('', { change: both({ zones: [], handle: () => ({ authoritative: false }) }) })
    expect(report).toMatchObject({ routing: 'unknown', findings: [{ code: 'delegation_broken' }] })
    expect(report.findings[0]?.fix).toStartWith('At your registrar')
    expect(report.findings[0]?.observed).toHaveLength(2)
  })

  test('to names without an address is broken', async () => {
    const options = { registry: 'lost 300 NS ns1.gone.example.' }
    const report = await check('', options, { hostname: 'www.lost.example' })
    expect(report.findings).toMatchObject([{ code: 'delegation_broken', expected: ['ns1.gone.example'] }])
    expect(report.findings[0]?.message).toContain('no address is known')
  })

  test('back to the parent zone is broken', async () => {
    const loop = () => ({
      authorities: [{ type: 'NS' as const, name: 'example', ttl: 60, data: 'a.nic.example' }],
    })
    const report = await check('', { change: both({ handle: loop }) })
    expect(codes(report)).toEqual(['error delegation_broken'])
  })

  test('that never ends is followed for at most twelve steps', async () => {
    const deeper = ({ name }: { name: string }) => ({
      authorities: [
        { type: 'NS' as const, name: name.split('.').slice(-3).join('.'), ttl: 60, data: 'ns1.kiosk.example' },
      ],
    })
    const report = await check(
      '',
      { change: both({ handle: deeper }) },
      { hostname: `${'a.'.repeat(60)}kiosk.example` },
    )
    expect(codes(report)).toEqual(['error delegation_broken'])
    expect(report.queries).toBeLessThan(100)
  })

  test('to reserved addresses is not followed, unless private addresses are allowed', async () => {
    const private_ = '10.1.2.3'
    const options = {
      registry: `home 300 NS ns.home\nns.home 300 A ${private_}`,
      more: [{ address: private_, zones: [zone('home.example', `@ 300 NS ns\nns 300 A ${private_}\n${right}`)] }],
    }
    const request = { hostname: 'www.home.example' }
    const report = await check('', options, request)
    expect(report).toMatchObject({ routing: 'unknown', findings: [{ code: 'reserved_address', name: 'home.example' }] })
    expect(world?.servers.get(private_)?.queries).toEqual([])
    const allowed = { ...(world as World).options, allowPrivateAddresses: true }
    expect(await checkDomain({ ...expected, ...request }, allowed)).toMatchObject({ routing: 'verified' })
  })

  test('that differs from the NS records of the zone is a warning', async () => {
    const zones = [shopZone(`${right}\n@ 3600 NS ns3\nns3 300 A ${addresses.first}`)]
    const report = await check(right, { change: both({ zones }) })
    expect(report).toMatchObject({ routing: 'verified' })
    expect(report.findings).toMatchObject([{ code: 'nameservers_disagree', severity: 'warning', type: 'NS' }])
    expect(report.findings[0]?.message).toContain('ns3.kiosk.example')
  })

  test('is found also if one server has the zones of the registry and the shop', async () => {
    const registry = zone('example', `@ 300 NS a.nic\na.nic 300 A ${addresses.registry}`)
    const zones = [registry, shopZone(right), zone('stores.example', '@ 300 NS a.nic.example.')]
    const change = Object.fromEntries([addresses.registry, ...bothServers].map((address) => [address, { zones }]))
    const report = await check(right, { change })
    expect(report).toMatchObject({ zone: 'kiosk.example', routing: 'verified', caa: 'verified' })
  })
})

describe('a server that has the zones of the root, the registry and the shop', () => {
  /** Like PowerDNS, it adds the SOA record of the zone in which a CNAME ends. */
  async function checkOn(hostname: string, records: string) {
    const root = zone('', `@ 300 NS a.nic.example.\n@ 300 SOA a.nic.example. host.example. 1 7200 3600 1209600 300`)
    const registry = zone('example', `@ 300 NS a.nic\na.nic 300 A ${addresses.registry}`)
    const zones = [root, registry, shopZone(records), zone('stores.example', '@ 300 NS a.nic.example.')]
    const handle = (query: TestQuery) => {
      const reply = authoritativeReply(zones, query)
      const last = reply.answers?.at(-1)
      if (last?.type !== 'CNAME' || query.type === 'CNAME') return undefined
      const end = zones.find(({ name }) => name === (last.data.endsWith('.example') ? 'example' : ''))
      return { ...reply, authorities: end?.records.filter(({ type }) => type === 'SOA') ?? [] }
    }
    const change = Object.fromEntries([addresses.registry, ...bothServers].map((one) => [one, { zones, handle }]))
    return check(records, { change }, { hostname })
  }

  test('has the zone of a name with a CNAME into another one', async () => {
    for (const value of ['shops.nobody.com.', 'shops.nobody.example.', 'mail.kiosk.example.']) {
      const report = await checkOn('old.kiosk.example', `old 1 CNAME ${value}`)
      expect(report).toMatchObject({ zone: 'kiosk.example', routing: 'failed' })
      expect(codes(report)).toEqual(['error record_wrong_value'])
      world?.close()
    }
  })

  test('refers to a subdomain from the zone of the domain, whose provider has to correct that', async () => {
    const report = await checkOn('shop.sub.kiosk.example', 'sub 1 NS ns1.nowhere.example.')
    expect(report.findings).toMatchObject([{ code: 'delegation_broken', name: 'sub.kiosk.example' }])
    const { fix } = report.findings[0] as { fix: string }
    expect(fix).toStartWith('At the company where you manage the DNS of kiosk.example,')
    expect(fix).toContain('the NS records with the name "sub"')
  })

  test('is told of a CNAME at the domain itself, also if that hides the other records', async () => {
    const report = await checkOn('kiosk.example', '@ 1 CNAME shops.nobody.com.')
    expect(report).toMatchObject({ zone: 'kiosk.example', isApex: true, findings: [{ code: 'apex_needs_alias' }] })
    world?.close()
    const only = () => ({
      authoritative: true,
      answers: [{ type: 'CNAME' as const, name: 'kiosk.example', ttl: 60, data: 'shops.nobody.example' }],
    })
    for (const servers of [bothServers, [addresses.registry, ...bothServers]]) {
      const handle = (query: TestQuery) => (query.name === 'kiosk.example' ? only() : undefined)
      const change = Object.fromEntries(servers.map((address) => [address, { handle }]))
      const hidden = await check('', { change }, { hostname: 'kiosk.example' })
      expect(hidden).toMatchObject({ zone: 'kiosk.example', findings: [{ code: 'apex_needs_alias' }] })
      world?.close()
    }
  })
})

test('a broken delegation below the domain is corrected at the DNS provider of the zone above', async () => {
  const lame = { address: '45.1.0.9', zones: [], handle: () => ({ authoritative: false }) }
  for (const records of ['sub 300 NS ns1.nowhere.example.', 'sub 300 NS ns.sub\nns.sub 300 A 45.1.0.9']) {
    const report = await check(records, { more: [lame] }, { hostname: 'shop.sub.kiosk.example' })
    expect(report.findings).toMatchObject([{ code: 'delegation_broken', name: 'sub.kiosk.example' }])
    const { fix } = report.findings[0] as { fix: string }
    expect(fix).toStartWith('At the company where you manage the DNS of kiosk.example (its name servers are ns1.kiosk')
    expect(fix).toContain('the NS records with the name "sub"')
    expect(fix).not.toContain('registrar')
    world?.close()
  }
})

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
      world?.close()
    }
  })

  test('that does not respond or fails is a warning, and the others decide', async () => {
    const silent = await check(right, {
      change: { [addresses.second]: { handle: () => 'silence', tcp: false } },
      limits: shortLimits,
    })
    expect(silent).toMatchObject({ routing: 'verified', findings: [{ code: 'dns_timeout', severity: 'warning' }] })
    expect(silent.findings[0]?.observed).toMatchObject([{ rcode: 'TIMEOUT', values: [], ttl: null }])
    world?.close()
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
    expect(world?.servers.get('10.1.2.3')?.queries).toEqual([])
  })

  test('without an address is a warning', async () => {
    const options = { registry: 'kiosk 3600 NS ns9.gone.example.' }
    const report = await check(`${right}\n@ 3600 NS ns9.gone.example.`, options)
    expect(report.findings).toMatchObject([{ code: 'nameserver_lame', name: 'ns9.gone.example', type: 'A' }])
  })

  test('that has timed out gets no further query', async () => {
    const report = await check(right, { change: both({ handle: () => 'silence', tcp: false }), limits: shortLimits })
    expect(report).toMatchObject({ routing: 'unknown', findings: [{ code: 'dns_timeout', severity: 'error' }] })
    expect(world?.servers.get(addresses.first)?.queries.length).toBeLessThanOrEqual(4)
  })
})

describe('a missing answer leaves the verdict unknown', () => {
  test('if all servers time out, reject the query or fail', async () => {
    const states = [
      [() => 'silence' as const, 'dns_timeout'],
      [() => ({ rcode: 5 }), 'dns_timeout'],
      [() => ({ rcode: 2 }), 'dns_servfail'],
    ] as const
    for (const [handle, code] of states) {
      const report = await check(right, { change: both({ handle }), limits: shortLimits })
      expect(report).toMatchObject({ routing: 'unknown', caa: 'unknown', findings: [{ code, severity: 'error' }] })
      world?.close()
    }
  })

  test('if the registry or every resolver times out', async () => {
    const registry = await check(right, {
      change: { [addresses.registry]: { handle: () => 'silence' } },
      limits: shortLimits,
    })
    expect(registry).toMatchObject({ routing: 'unknown', findings: [{ code: 'dns_timeout', name: 'example' }] })
    world?.close()
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
    world?.close()
    expect(codes(await check(right, { resolve }))).toEqual(['error dnssec_bogus'])
  })
})

describe('a second resolver', () => {
  test('is queried if the first one fails', async () => {
    world = await createShopWorld(right)
    const dead = { address: '127.0.1.251', port: 9 }
    const options = { ...world.options, resolvers: [dead, ...world.options.resolvers] }
    const report = await checkDomain({ hostname: 'www.kiosk.example', ...expected }, options)
    expect(report).toMatchObject({ routing: 'verified', findings: [{ code: 'dns_timeout', severity: 'warning' }] })
    expect(report.findings[0]?.observed).toMatchObject([{ server: '127.0.1.251:9', rcode: 'CONNECTION_REFUSED' }])
  })

  test('is queried without waiting again for one that has timed out', async () => {
    world = await createShopWorld(right)
    const silent = await startDnsServer('127.0.1.201', () => 'silence')
    const options = { ...world.options, resolvers: [silent, ...world.options.resolvers] }
    const limits = { ...world.options.limits, udpTimeoutsMs: [300, 300] }
    const report = await checkDomain({ hostname: 'www.kiosk.example', ...expected }, { ...options, limits })
    silent.close()
    expect(report).toMatchObject({ routing: 'verified', findings: [{ code: 'dns_timeout', severity: 'warning' }] })
    // The two simultaneous queries, with two attempts each.
    expect(silent.queries.length).toBeLessThanOrEqual(6)
  })
})
