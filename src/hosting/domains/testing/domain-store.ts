/** A store with hosting, and an internet of DNS servers in which a test creates and changes the records of domains. */

import type { Plan } from '../../../access/accounts/rules.ts'
import type { AppConfig } from '../../../app/app-parts.ts'
import type { HttpProbe } from '../../../dns/http-probe.ts'
import { addresses, ours } from '../../../dns/testing/shop.ts'
import { createWorld, patientLimits, shortLimits, type WorldOptions } from '../../../dns/testing/world.ts'
import { type TestZone, zone } from '../../../dns/testing/zone.ts'
import { openTestStore, testHosting, testStart } from '../../../testing/harness.ts'
import { buildZip } from '../../deploys/testing/zip.ts'
import type { CertificateStatus } from '../../projects/view.ts'
import { noCertificate } from '../state.ts'

export { ours }

const registry = (names: readonly string[]) =>
  zone(
    'example',
    [
      '@ 3600 NS a.nic',
      `a.nic 3600 A ${addresses.registry}`,
      'stores 3600 NS ns.stores',
      `ns.stores 3600 A ${addresses.platform}`,
      ...names.flatMap((name) => [`${name} 3600 NS ns1.${name}`, `ns1.${name} 3600 A ${addresses.first}`]),
    ].join('\n'),
  )

const platform = zone(
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

/** The addresses of the world lead nowhere. */
const reachable: HttpProbe = async (_, address) => ({ address, kind: 'ok', detail: '' })

export interface DomainStoreOptions extends WorldOptions {
  readonly plan?: Plan
  /** Hostnames with a certificate, and for how long it is valid, in milliseconds. */
  readonly certificates?: Readonly<Record<string, number>>
  readonly config?: Partial<AppConfig>
}

export async function openDomainStore({
  plan = 'pro',
  certificates = {},
  config: more = {},
  ...worldOptions
}: DomainStoreOptions = {}) {
  const registered = new Map<string, TestZone>()
  const registryZones: TestZone[] = [registry([])]
  const customerZones: TestZone[] = []
  let isSilent = false
  const limits = { ...patientLimits }
  const world = await createWorld(
    [
      { address: addresses.registry, zones: registryZones },
      { address: addresses.first, zones: customerZones, handle: () => (isSilent ? 'silence' : undefined) },
      { address: addresses.platform, zones: [platform] },
    ],
    { limits, ...worldOptions },
  )
  const certificateOf = (hostname: string): CertificateStatus => {
    const lifetimeMs = certificates[hostname]
    return lifetimeMs === undefined
      ? noCertificate
      : { ...noCertificate, status: 'active', expiresAt: testStart + lifetimeMs }
  }
  const config: Partial<AppConfig> = {
    hosting: { ...testHosting, publicAddresses: [ours.v4, ours.v6], caaIdentities: ['letsencrypt.org'] },
    dns: { probe: reachable, ...world.options },
    certificateOf,
    ...more,
  }
  const store = await openTestStore(config, 'business')
  const own = await store.newKey({ plan })

  /** Creates a project and deploys a site to it; returns its id. */
  async function newProject(key = own.key): Promise<number> {
    const { id } = (await store.call('POST', '/v1/projects', { key, body: { name: 'Shop' } })).json
    await deploy(id, key)
    return id
  }

  function deploy(projectId: number, key = own.key) {
    const headers = { 'Content-Type': 'application/zip' }
    const rawBody = new Blob([buildZip([{ name: 'index.html', content: 'Welcome' }]) as Uint8Array<ArrayBuffer>])
    return store.call('POST', `/v1/projects/${projectId}/deploys`, { key, headers, rawBody })
  }

  const domainsPath = (projectId: number) => `/v1/projects/${projectId}/domains`

  return {
    ...store,
    world,
    config,
    own,
    newProject,
    deploy,
    /**
     * Registers a domain below `example` and sets all of its records; `shop.kiosk` is a zone that `kiosk` delegates.
     */
    setRecords(name: string, records: string): void {
      registered.set(name, zone(`${name}.example`, `@ 3600 NS ns1\nns1 3600 A ${addresses.first}\n${records}`))
      customerZones.splice(0, customerZones.length, ...registered.values())
      registryZones.splice(0, 1, registry([...registered.keys()].filter((known) => !known.includes('.'))))
    },
    /** Whether the customers' name server is silent. */
    setSilence(value: boolean): void {
      isSilent = value
      Object.assign(limits, value ? shortLimits : patientLimits)
    },
    add: (projectId: number, hostname: string, more: object = {}, key = own.key) =>
      store.call('POST', domainsPath(projectId), { key, body: { hostname, ...more } }),
    get: (projectId: number, hostname: string, key = own.key) =>
      store.call('GET', `${domainsPath(projectId)}/${hostname}`, { key }),
    list: (projectId: number, key = own.key) => store.call('GET', domainsPath(projectId), { key }),
    change: (projectId: number, hostname: string, body: object, key = own.key) =>
      store.call('PATCH', `${domainsPath(projectId)}/${hostname}`, { key, body }),
    remove: (projectId: number, hostname: string, key = own.key) =>
      store.call('DELETE', `${domainsPath(projectId)}/${hostname}`, { key }),
    verify: (projectId: number, hostname: string, key = own.key) =>
      store.call('POST', `${domainsPath(projectId)}/${hostname}/verify`, { key }),
    async events(projectId: number, hostname: string, key = own.key): Promise<string[]> {
      const { json } = await store.call('GET', `${domainsPath(projectId)}/${hostname}/events`, { key })
      return json.map(({ type }: { type: string }) => type)
    },
    /** Resolves when no check is running. */
    async settled(): Promise<void> {
      while ((store.app.domainHosting.checks?.inProgress() ?? 0) > 0) await Bun.sleep(5)
    },
    async close() {
      await store.close()
      world.close()
    },
  }
}
export type DomainTestStore = Awaited<ReturnType<typeof openDomainStore>>

/** The CNAME target of a domain, from its records. */
export function targetOf({ records }: { readonly records: readonly { readonly value: string }[] }): string {
  return records[0]?.value ?? ''
}
