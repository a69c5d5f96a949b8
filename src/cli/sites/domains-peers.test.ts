import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Report } from '../../dns/report.ts'
import { isBuilt, runPetstore } from '../../testing/executable.ts'
import { freeDnsAddress } from '../../testing/peers/peer.ts'
import { hasPowerDns, type PowerDns, startPowerDns } from '../../testing/peers/powerdns.ts'
import { hasUnbound, startUnbound, type Unbound } from '../../testing/peers/unbound.ts'

const [authority, resolver] =
  hasPowerDns && hasUnbound ? await Promise.all([freeDnsAddress(53), freeDnsAddress(54)]) : []
const isPossible = isBuilt && authority !== undefined && resolver !== undefined

/** The public address of the service in this world. */
const service = '127.0.0.1'
const platform = 'stores.example'
const target = `k7c2.edge.${platform}`

describe.skipIf(!isPossible)('domains check, with PowerDNS and unbound,', () => {
  let dns: PowerDns
  let recursive: Unbound
  beforeAll(async () => {
    recursive = await startUnbound({ address: resolver ?? '', root: authority ?? '' })
    dns = await startPowerDns({
      address: authority ?? '',
      resolver: resolver ?? '',
      zones: {
        '.': ['example. IN NS ns1.example.', `ns1.example. IN A ${authority}`],
        example: [
          ...['shop', 'stores'].flatMap((zone) => [
            `${zone}.example. IN NS ns1.${zone}.example.`,
            `ns1.${zone}.example. IN A ${authority}`,
          ]),
        ],
        [platform]: [`@ IN A ${service}`, `* IN A ${service}`, `*.edge IN A ${service}`],
        'shop.example': [],
      },
    })
  })
  afterAll(async () => {
    await dns.stop()
    await recursive.stop()
  })

  async function check(name: string, records: readonly string[], ...options: readonly string[]) {
    await dns.change('shop.example', records)
    await recursive.flush()
    const args = ['domains', 'check', name, '--json', '--platform-domain', platform, '--cname-target', target]
    const resolverOptions = ['--dns-resolver', resolver ?? '', '--allow-private-addresses']
    const { out, err, code } = await runPetstore([...args, ...resolverOptions, ...options], { cwd: '/tmp' })
    if (out === '') throw new Error(err)
    const report = JSON.parse(out) as Report
    return { report, code, codes: report.findings.map((finding) => finding.code) }
  }

  test('a CNAME to the target of the project passes', async () => {
    const { report, code, codes } = await check('www.shop.example', [`www IN CNAME ${target}.`])
    expect(codes).toEqual([])
    expect(report).toMatchObject({ routing: 'verified', routedBy: 'cname', zone: 'shop.example', complete: true })
    expect(report.lookups.some(({ source }) => source === 'recursive')).toBe(true)
    expect(code).toBe(0)
  })

  test('an apex with an ALIAS of the target passes', async () => {
    const { report, code, codes } = await check('shop.example', [`@ IN ALIAS ${target}.`])
    expect(codes).toEqual([])
    expect(report).toMatchObject({ routing: 'verified', routedBy: 'address', isApex: true })
    expect(code).toBe(0)
  })

  const faults: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
    ['a wrong CNAME', 'www.shop.example', ['www IN CNAME other.stores.example.'], ['record_wrong_value']],
    ['a CNAME into another registry', 'www.shop.example', ['www IN CNAME shops.nobody.com.'], ['record_wrong_value']],
    ['a wildcard that leads elsewhere', 'www.shop.example', ['* IN A 127.0.0.9'], ['wildcard_matched']],
    ['an A record in the place of the CNAME', 'www.shop.example', ['www IN A 127.0.0.9'], ['conflict_a']],
    ['no record', 'www.shop.example', [], ['record_missing']],
    [
      'a CAA record for another authority',
      'www.shop.example',
      [`www IN CNAME ${target}.`, '@ IN CAA 0 issue "other.example"'],
      ['caa_forbids'],
    ],
    ['an apex without an address', 'shop.example', [], ['apex_needs_alias']],
    [
      'an apex with a further address',
      'shop.example',
      [`@ IN A ${service}`, '@ IN A 127.0.0.9'],
      ['apex_partial_match'],
    ],
    [
      'a name server that does not reply',
      'www.shop.example',
      [`www IN CNAME ${target}.`, '@ IN NS ns2.shop.example.', 'ns2 IN A 127.0.0.253'],
      ['dns_timeout'],
    ],
  ]
  for (const [fault, name, records, expected] of faults) {
    test(`${fault} is found, and exits with 1 if it is an error`, async () => {
      const { report, code, codes } = await check(name, records, '--caa-identity', 'ca.example')
      expect(codes).toEqual(expected as never)
      expect(code).toBe(report.findings.some(({ severity }) => severity === 'error') ? 1 : 0)
      for (const { fix, message } of report.findings) expect([fix, message]).not.toContain('')
    })
  }
})
