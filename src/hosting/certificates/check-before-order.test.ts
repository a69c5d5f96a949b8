import { expect, test } from 'bun:test'
import type { TestQuery } from '../../dns/testing/dns-server.ts'
import { testHosting } from '../../testing/harness.ts'
import { openDomainStore, ours } from '../domains/testing/domain-store.ts'
import { createOrderCheck } from './hosting-certificates.ts'

test('a name of the platform waits for its record, even while the addresses of this machine are not known', async () => {
  const { app, close } = await openDomainStore()
  const opened = app.domainHosting.platform
  if (!opened) throw new Error('hosting is off')
  const verdicts = async (platformDomain: string, addresses: readonly string[]) => {
    const hosting = { ...testHosting, platformDomain, sitesDomain: platformDomain }
    const platform = { ...opened, acceptedAddresses: () => addresses, caa: () => undefined }
    const check = createOrderCheck({ ...app, platform, hosting })
    const found = await check(`api.${platformDomain}`, new AbortController().signal)
    return 'findings' in found ? found.findings.map(({ code }) => code) : found.verdict
  }
  expect(await verdicts('stores.example', [ours.v4])).toBe('allowed')
  expect(await verdicts('stores.example', [])).toBe('allowed')
  expect(await verdicts('stores.example', ['192.0.2.99'])).toContain('record_wrong_value')
  for (const addresses of [[], [ours.v4]]) {
    expect([addresses, await verdicts('absent.example', addresses)]).toEqual([
      addresses,
      expect.arrayContaining(['record_missing']),
    ])
  }
  await close()
})

test('a name whose signatures are wrong holds the order: the authority would not find it', async () => {
  const isValidated = ({ flags }: TestQuery) => (flags & (1 << 4)) === 0
  const resolve = (query: TestQuery) =>
    query.name === 'api.stores.example' && isValidated(query) ? { rcode: 2 } : undefined
  const { app, close } = await openDomainStore({ resolve })
  const { platform } = app.domainHosting
  if (!platform) throw new Error('hosting is off')
  const check = createOrderCheck({
    ...app,
    platform: { ...platform, caa: () => undefined },
    hosting: testHosting,
  })
  const found = await check('api.stores.example', new AbortController().signal)
  expect('findings' in found && found.findings.map(({ code }) => code)).toContain('dnssec_bogus')
  await close()
})
