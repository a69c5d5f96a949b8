import { afterEach, describe, expect, test } from 'bun:test'
import { checkDomain } from './check.ts'
import { host } from './testing/check.ts'
import { expected, ours, target } from './testing/shop.ts'
import { createWorld, hasIpv6Loopback, type World, type WorldServer } from './testing/world.ts'
import { zone } from './testing/zone.ts'

let world: World | undefined
afterEach(() => world?.close())

const registry = { v4: '45.1.0.1', v6: '2a02:1::1' }
const host1 = { v4: '45.1.0.2', v6: '2a02:1::2' }
const both = (name: string, { v4, v6 }: typeof registry) => `${name} 300 A ${v4}\n${name} 300 AAAA ${v6}`

/** The broadcast address, to which no socket may connect. */
const noRoute = { address: '255.255.255.255', port: 53 }

/** Checks on a machine with these routes. All servers listen on their IPv6 addresses. */
async function check({ ipv6 }: { ipv6: boolean }) {
  const delegated = 'kiosk 300 NS ns.dns.net.\nstores 300 NS ns.dns.net.'
  const shop = zone('kiosk.example', `@ 300 NS ns.dns.net.\nwww 300 CNAME ${target}.`)
  const platform = zone('stores.example', `@ 300 NS ns.dns.net.\n*.edge 300 AAAA ${ours.v6}`)
  world = await createWorld([
    { address: registry.v6, zones: [zone('example', `@ 300 NS a.nic\n${both('a.nic', registry)}\n${delegated}`)] },
    { address: host1.v6, zones: [shop, platform] },
    { address: '45.1.0.9', zones: [zone('dns.net', both('ns', host1))] },
  ])
  const { options } = world
  const connect = (address: string) => (ipv6 && address.includes(':') ? options.connect(address) : noRoute)
  return checkDomain({ hostname: host, ...expected }, { ...options, connect })
}

test.skipIf(!hasIpv6Loopback)(
  'a machine without an IPv4 route queries name servers at their IPv6 addresses',
  async () => {
    expect(await check({ ipv6: true })).toMatchObject({ routing: 'verified', caa: 'verified', findings: [] })
  },
)

test('a machine without an IPv6 route queries the others if a zone has IPv6 addresses alone', async () => {
  const kiosk = '2a02:1::3'
  world = await createWorld([
    {
      address: registry.v4,
      zones: [zone('example', `@ 300 NS a.nic\n${both('a.nic', registry)}\nkiosk 300 NS ns.dns.net.`)],
    },
    { address: '45.1.0.9', zones: [zone('dns.net', `ns 300 AAAA ${kiosk}`)] },
  ])
  const { options } = world
  const connect = (address: string) => (address.includes(':') ? noRoute : options.connect(address))
  const report = await checkDomain({ hostname: host, ...expected }, { ...options, connect })
  expect(report).toMatchObject({ routing: 'unknown', findings: [{ code: 'dns_timeout', name: 'kiosk.example' }] })
})

describe('on a machine without an IPv6 route', () => {
  const dead = ['45.7.0.1', '45.7.0.2']
  const nameServers = (name: string, addresses: readonly string[]) =>
    addresses.map((address, i) => `${name} 300 NS ns${i}.${name}\nns${i}.${name} 300 A ${address}`).join('\n')

  /** The servers of the registry have IPv6 addresses as well. There is no route to the dead addresses. */
  async function checkWith(delegations: string, servers: readonly WorldServer[] = []) {
    const records = `@ 300 NS a.nic\n${both('a.nic', registry)}\n${delegations}`
    world = await createWorld([{ address: registry.v4, zones: [zone('example', records)] }, ...servers])
    const { options } = world
    const connect = (address: string) =>
      address.includes(':') || dead.includes(address) ? noRoute : options.connect(address)
    return checkDomain({ hostname: host, ...expected }, { ...options, connect })
  }

  test('a zone whose servers have no route is named, and not the one above it', async () => {
    const report = await checkWith(nameServers('kiosk', dead))
    expect(report).toMatchObject({ routing: 'unknown', findings: [{ code: 'dns_timeout', name: 'kiosk.example' }] })
    expect(report.findings[0]?.observed.map(({ rcode }) => rcode)).toEqual(['NO_ROUTE', 'NO_ROUTE'])
  })

  test('the other servers of a zone are queried if the first ones have no route', async () => {
    const delegations = [nameServers('kiosk', [host1.v4]), nameServers('host', [...dead, host1.v4])]
    const shop = zone('kiosk.example', '@ 300 NS ns0\nwww 300 CNAME shop.host.example.')
    const alias = zone('host.example', `@ 300 NS ns2\nshop 300 CNAME ${target}.`)
    const report = await checkWith(delegations.join('\n'), [{ address: host1.v4, zones: [shop, alias] }])
    expect(report).toMatchObject({ routing: 'verified', findings: [] })
  })
})

test.skipIf(!hasIpv6Loopback)('a machine without any route is reported as such', async () => {
  const report = await check({ ipv6: false })
  expect(report).toMatchObject({ routing: 'unknown', findings: [{ code: 'dns_timeout', name: 'example' }] })
  expect(report.findings[0]?.message).toContain('This machine has no route to')
})
