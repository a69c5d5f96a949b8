import { afterEach, describe, expect, test } from 'bun:test'
import { checkDomain } from './check.ts'
import type { CheckRequest } from './request.ts'
import { codes, host } from './testing/check.ts'
import { expected, ours, target } from './testing/shop.ts'
import { createWorld, type World } from './testing/world.ts'
import { zone } from './testing/zone.ts'

let world: World | undefined
afterEach(() => world?.close())

const topLevel = ['com', 'net', 'org', 'info', 'example']
const hosting = topLevel.slice(0, 4)
const lines = (list: readonly string[]) => list.join('\n')

/**
 * As at Azure and Route 53, each zone has four name servers, whose names are in four top-level domains. A top-level
 * domain has three. The keys are the zones, the values their records.
 */
async function openWorld(records: Readonly<Record<string, string>>): Promise<World> {
  world?.close()
  const names = Object.keys(records)
  const serversOf = (i: number) =>
    hosting.map((top, n) => ({ name: `ns${n}.dns${i}.${top}.`, address: `45.20.${i}.${n}` }))
  const delegations = names.flatMap((name, i) =>
    serversOf(i).map((server) => ({ top: name.split('.').at(-1), line: `${name}. 3600 NS ${server.name}` })),
  )
  const registries = topLevel.flatMap((top, i) => {
    const own = [1, 2, 3].flatMap((n) => [`@ 3600 NS ns${n}.nic`, `ns${n}.nic 3600 A 45.10.${i}.${n}`])
    const further = delegations.filter((delegation) => delegation.top === top).map(({ line }) => line)
    const addresses = names.flatMap((_, n) => serversOf(n).filter(({ name }) => name.endsWith(`.${top}.`)))
    const glue = addresses.map(({ name, address }) => `${name} 3600 A ${address}`)
    const zones = [zone(top, lines([...own, ...further, ...glue]))]
    return [1, 2, 3].map((n) => ({ address: `45.10.${i}.${n}`, zones }))
  })
  const hosts = Object.entries(records).flatMap(([name, text], i) => {
    const own = serversOf(i).map((server) => `@ 3600 NS ${server.name}`)
    return serversOf(i).map(({ address }) => ({ address, zones: [zone(name, lines([...own, text]))] }))
  })
  world = await createWorld([...registries, ...hosts])
  return world
}

const platform = { 'stores.example': `*.edge 300 A ${ours.v4}\n*.edge 300 AAAA ${ours.v6}` }
const token = 'petstore=Zx81'
const proof = `_petstore-verify.www 300 TXT ${token}`

/** The zones of a chain from the shop over `names` to `end`. */
function chain(names: readonly string[], end: string): Record<string, string> {
  const all = [host, ...names]
  const zones = all.map((name, i) => {
    const [label, ...rest] = name.split('.')
    const next = all[i + 1]
    return [rest.join('.'), `${label} 300 ${next === undefined ? end : `CNAME ${next}.`}`] as const
  })
  return { ...Object.fromEntries(zones), ...platform }
}

async function check(zones: Record<string, string>, request: Partial<CheckRequest> = {}) {
  const shop = { 'kiosk.example': `${zones['kiosk.example']}\n${proof}` }
  const { options } = await openWorld({ ...zones, ...shop })
  return checkDomain({ hostname: host, ...expected, ownershipToken: token, ...request }, options)
}

describe('a chain of CNAMEs over zones with four name servers each', () => {
  const hops = ['a.cdn.net', 'b.cdx.net', 'c.cdy.com', 'd.cdz.net', 'e.cdv.com']

  test('passes if it ends here, with the proof of ownership and CAA', async () => {
    for (const length of [0, 1, 2, 3, 4, 5]) {
      const report = await check(chain(hops.slice(0, length), `CNAME ${target}.`))
      expect(report).toMatchObject({ routing: 'verified', ownership: 'verified', caa: 'verified', findings: [] })
    }
  })

  test('fails with the first value if it ends elsewhere', async () => {
    for (const length of [1, 2, 3, 4, 5]) {
      const report = await check(chain(hops.slice(0, length), 'A 45.3.3.3'))
      expect(report).toMatchObject({ routing: 'failed', ownership: 'verified', caa: 'verified', complete: true })
      expect(codes(report)).toEqual(['error record_wrong_value'])
      expect(report.findings[0]?.message).toBe(`${host} points at a.cdn.net.`)
    }
  })

  test('has at most eight hops within few zones', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `h${i}.cdn.net`)
    const records = names.map((_, i) => `h${i} 300 CNAME ${names[i + 1] ?? target}.`)
    const zones = { 'kiosk.example': `www 300 CNAME ${names[0]}.`, 'cdn.net': lines(records), ...platform }
    expect(await check(zones)).toMatchObject({ routing: 'verified', caa: 'verified', findings: [] })
  })

  test('is followed although the first two name servers of a zone on the way do not serve it', async () => {
    const zones = chain(hops.slice(0, 1), `CNAME ${target}.`)
    const shop = { 'kiosk.example': `${zones['kiosk.example']}\n${proof}` }
    const { options, servers } = await openWorld({ ...zones, ...shop })
    const elsewhere = servers.get('45.10.0.1')
    const connect = (address: string) =>
      (/^45\.20\.1\.[01]$/.test(address) ? elsewhere : undefined) ?? options.connect(address)
    const report = await checkDomain({ hostname: host, ...expected }, { ...options, connect })
    expect(report).toMatchObject({ routing: 'verified', caa: 'verified', findings: [] })
  })

  test('that exceeds the limits of a check is reported as such, and no name server is blamed', async () => {
    const tops = ['net', 'com', 'org', 'info', 'net', 'com', 'org']
    const names = tops.map((top, i) => `h${i}.cdn${i}.${top}`)
    const report = await check(chain(names, `CNAME ${target}.`), {})
    expect(report).toMatchObject({ ownership: 'verified', complete: false })
    for (const { code, message, fix } of report.findings) {
      expect([code, message]).toEqual(['dns_timeout', expect.stringContaining('The check reached its limits')])
      expect(fix).toContain('further CNAME')
    }
    expect(report.findings.length).toBeGreaterThan(0)
  })
})

test('a check that is cut off anywhere says that it reached its limits, and blames no server', async () => {
  const zones = chain(['a.cdn.net'], `CNAME ${target}.`)
  const { options } = await openWorld(zones)
  const complete = await checkDomain({ hostname: host, ...expected }, options)
  for (let queries = 0; queries < complete.queries; queries++) {
    const report = await checkDomain(
      { hostname: host, ...expected },
      { ...options, limits: { ...options.limits, queries } },
    )
    const blames = report.findings.filter(({ message }) => !message.includes('reached its limits'))
    expect([queries, blames]).toEqual([queries, []])
  }
})
