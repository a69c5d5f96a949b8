import { expect, test } from 'bun:test'
import type { TestQuery } from '../../dns/testing/dns-server.ts'
import { testHosting } from '../../testing/harness.ts'
import { openDomainStore, ours, targetOf } from '../domains/testing/domain-store.ts'
import { createOrderCheck } from './hosting-certificates.ts'

test('no certificate is ordered while a restored store is on hold, and one is ordered after the confirmation', async () => {
  const hosting = { ...testHosting, acmeDirectory: 'http://127.0.0.1:9/directory' }
  const store = await openDomainStore({ config: { hosting, certificateOf: undefined } })
  const { app, clock } = store
  await app.writer.write(() => app.owner.updateInstallation({ restoredAt: clock.now() }))
  await app.hostingParts.certificates?.open()
  const wanted = () => app.hostingParts.certificates?.counts(clock.now())
  const before = wanted()
  for (let i = 0; i < 120; i++) {
    clock.advance(1_000)
    await app.writer.write(() => {})
  }
  expect(wanted()).toEqual(before)
  await app.writer.write(app.hold.confirm)
  for (let i = 0; i < 1_000 && Bun.deepEquals(wanted(), before); i++) {
    clock.advance(1_000)
    await Bun.sleep(1)
  }
  expect(wanted()).not.toEqual(before)
  await store.close()
})

test('the names that want a certificate are compared after a domain is proven, and not after each check', async () => {
  const hosting = { ...testHosting, acmeDirectory: 'http://127.0.0.1:9/directory' }
  const store = await openDomainStore({ config: { hosting, certificateOf: undefined } })
  const { routes } = store.app.domainHosting
  const { wantedCertificates } = routes
  let comparisons = 0
  Object.assign(routes, {
    wantedCertificates() {
      comparisons++
      return wantedCertificates()
    },
  })
  await store.app.hostingParts.certificates?.open()
  const project = await store.newProject()
  const { json } = await store.add(project, 'www.kiosk.example')
  await store.add(project, 'old.kiosk.example')
  store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.\nold 300 A 198.51.100.20`)
  /** The comparisons that the job makes after `work`; it waits for those that are expected, and a moment for others. */
  const comparedAfter = async (work: () => Promise<unknown>, expected: number) => {
    await work()
    comparisons = 0
    store.clock.skip(1_000)
    for (let i = 0; i < 1_000 && comparisons < expected; i++) await Bun.sleep(5)
    await Bun.sleep(10)
    return comparisons
  }
  await comparedAfter(async () => {}, 0)
  expect(await comparedAfter(() => store.verify(project, 'www.kiosk.example'), 1)).toBe(1)
  expect(await comparedAfter(() => store.verify(project, 'old.kiosk.example'), 0)).toBe(0)
  expect(await comparedAfter(() => store.remove(project, 'www.kiosk.example'), 1)).toBe(1)
  await store.close()
})

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
