import { describe, expect, test } from 'bun:test'
import { checkDomain } from './check.ts'
import { both, bothServers, codes, right, shopPerTest } from './testing/check.ts'
import type { TestQuery } from './testing/dns-server.ts'
import { addresses, expected, shopZone } from './testing/shop.ts'
import { authoritativeReply } from './testing/world.ts'
import { zone } from './testing/zone.ts'

const shop = shopPerTest()
const { check } = shop

describe('the delegation', () => {
  test('of a domain that the registry does not know is reported as not registered', async () => {
    const report = await check('', {}, { hostname: 'www.nobody.example' })
    expect(report).toMatchObject({ routing: 'failed', zone: null, findings: [{ code: 'domain_not_registered' }] })
    expect(report.findings[0]).toMatchObject({
      name: 'nobody.example',
      expected: [],
      observed: [{ rcode: 'NXDOMAIN' }],
    })
  })

  const root = '45.1.0.77'
  const rootRecords = `@ 300 NS a.root\na.root 300 A ${root}\n@ 300 SOA a.root. host.root. 1 7200 3600 1209600 300`
  const noEnding = {
    routing: 'failed',
    findings: [
      {
        code: 'domain_not_registered',
        name: 'exampel',
        message: 'shop.exampel does not exist: there is no top-level domain .exampel.',
      },
    ],
  }

  test('of a domain below a top-level domain that does not exist is missing at the root', async () => {
    const request = { hostname: 'www.shop.exampel' }
    expect(await check('', { more: [{ address: root, zones: [zone('', rootRecords)] }] }, request)).toMatchObject(
      noEnding,
    )
    // A resolver that names no servers of the root passes on its denial.
    const resolve = ({ name }: TestQuery) =>
      name === ''
        ? { rcode: 0 }
        : { rcode: 3, authorities: zone('', rootRecords).records.filter(({ type }) => type === 'SOA') }
    expect(await check('', { resolve }, request)).toMatchObject(noEnding)
  })

  test('of a domain that a server of the registry denies with the SOA of the root is missing', async () => {
    const options = { change: { [addresses.registry]: { zones: [zone('', rootRecords)] } } }
    const resolve = ({ name, type }: TestQuery) => {
      if (name === 'example') return { answers: [{ type: 'NS' as const, name, ttl: 60, data: 'a.nic.example' }] }
      const isServer = name === 'a.nic.example' && type === 'A'
      return isServer ? { answers: [{ type, name, ttl: 60, data: addresses.registry }] } : undefined
    }
    const report = await check('', { ...options, resolve }, { hostname: 'www.nobody.example' })
    expect(report).toMatchObject({
      routing: 'failed',
      findings: [{ code: 'domain_not_registered', name: 'nobody.example' }],
    })
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
    expect(shop.world().servers.get(private_)?.queries).toEqual([])
    const allowed = { ...shop.world().options, allowPrivateAddresses: true }
    expect(await checkDomain({ ...expected, ...request }, allowed)).toMatchObject({ routing: 'verified' })
  })

  test('that differs from the NS records of the zone is a warning', async () => {
    const zones = [shopZone(`${right}\n@ 3600 NS ns3\nns3 300 A ${addresses.first}`)]
    const report = await check(right, { change: both({ zones }) })
    expect(report).toMatchObject({ routing: 'verified' })
    expect(report.findings).toMatchObject([{ code: 'nameservers_disagree', severity: 'warning', type: 'NS' }])
    expect(report.findings[0]?.message).toContain('ns3.kiosk.example')
  })

  test('is found even if one server has the zones of the registry and the shop', async () => {
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
    }
  })

  test('refers to a subdomain from the zone of the domain, whose provider has to correct that', async () => {
    const report = await checkOn('shop.sub.kiosk.example', 'sub 1 NS ns1.nowhere.example.')
    expect(report.findings).toMatchObject([{ code: 'delegation_broken', name: 'sub.kiosk.example' }])
    const { fix } = report.findings[0] as { fix: string }
    expect(fix).toStartWith('At the company where you manage the DNS of kiosk.example,')
    expect(fix).toContain('the NS records with the name "sub"')
  })

  test('has a CNAME at the domain itself reported, even if that hides the other records', async () => {
    const report = await checkOn('kiosk.example', '@ 1 CNAME shops.nobody.com.')
    expect(report).toMatchObject({ zone: 'kiosk.example', isApex: true, findings: [{ code: 'apex_needs_alias' }] })
    const only = () => ({
      authoritative: true,
      answers: [{ type: 'CNAME' as const, name: 'kiosk.example', ttl: 60, data: 'shops.nobody.example' }],
    })
    for (const servers of [bothServers, [addresses.registry, ...bothServers]]) {
      const handle = (query: TestQuery) => (query.name === 'kiosk.example' ? only() : undefined)
      const change = Object.fromEntries(servers.map((address) => [address, { handle }]))
      const hidden = await check('', { change }, { hostname: 'kiosk.example' })
      expect(hidden).toMatchObject({ zone: 'kiosk.example', findings: [{ code: 'apex_needs_alias' }] })
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
  }
})
