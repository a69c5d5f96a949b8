/** The world that most tests of the checker need: a registry, the two name servers of a shop, and the platform's. */

import type { CheckRequest } from '../request.ts'
import { createWorld, type World, type WorldOptions, type WorldServer } from './world.ts'
import { type TestZone, zone } from './zone.ts'

export const addresses = {
  registry: '45.1.0.1',
  first: '45.1.0.2',
  second: '45.1.0.3',
  platform: '45.1.0.4',
} as const

export const target = 'k7f2q9.edge.stores.example'
export const ours = { v4: '45.9.9.9', v6: '2a01:4f8::9' } as const

/** The platform's expectations of every domain in these tests. */
export const expected = {
  cnameTargets: [target],
  publicAddresses: [ours.v4, ours.v6],
  platformDomains: ['stores.example'],
  caa: { identities: ['letsencrypt.org'], method: 'http-01' },
} as const satisfies Partial<CheckRequest>

const registryRecords = `
@ 3600 NS a.nic
a.nic 3600 A ${addresses.registry}
kiosk 3600 NS ns1.kiosk
kiosk 3600 NS ns2.kiosk
ns1.kiosk 3600 A ${addresses.first}
ns2.kiosk 3600 A ${addresses.second}
stores 3600 NS ns.stores
ns.stores 3600 A ${addresses.platform}
`
const serverRecords = `
@ 3600 NS ns1
@ 3600 NS ns2
ns1 3600 A ${addresses.first}
ns2 3600 A ${addresses.second}
`
const platformZone = zone(
  'stores.example',
  `
@ 3600 NS ns
ns 3600 A ${addresses.platform}
@ 300 A ${ours.v4}
* 300 A ${ours.v4}
*.edge 300 A ${ours.v4}
*.edge 300 AAAA ${ours.v6}
`,
)

export function shopZone(records: string): TestZone {
  return zone('kiosk.example', serverRecords + records)
}

export interface ShopOptions extends WorldOptions {
  /** Records of kiosk.example on its second server, where they differ from the first one's. */
  readonly second?: string
  /** Further records of the registry. */
  readonly registry?: string
  /** Changes the servers of the registry, the shop and the platform, by address. */
  readonly change?: Readonly<Record<string, Partial<WorldServer>>>
  readonly more?: readonly WorldServer[]
}

/** A world in which kiosk.example has these records. */
export function createShopWorld(records: string, options: ShopOptions = {}): Promise<World> {
  const { second = records, registry = '', change = {}, more = [], ...worldOptions } = options
  const servers: WorldServer[] = [
    { address: addresses.registry, zones: [zone('example', registryRecords + registry)] },
    { address: addresses.first, zones: [shopZone(records)] },
    { address: addresses.second, zones: [shopZone(second)] },
    { address: addresses.platform, zones: [platformZone] },
  ]
  const changed = servers.map((server) => ({ ...server, ...change[server.address] }))
  return createWorld([...changed, ...more], worldOptions)
}
