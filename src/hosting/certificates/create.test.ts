import { expect, test } from 'bun:test'
import { openDomainStore, targetOf } from '../../domains/testing/domain-store.ts'
import { testHosting } from '../../testing/harness.ts'

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
  const comparedAfter = async (work: () => Promise<unknown>) => {
    await work()
    comparisons = 0
    store.clock.skip(1_000)
    await Bun.sleep(10)
    return comparisons
  }
  await comparedAfter(async () => {})
  expect(await comparedAfter(() => store.verify(project, 'www.kiosk.example'))).toBe(1)
  expect(await comparedAfter(() => store.verify(project, 'old.kiosk.example'))).toBe(0)
  expect(await comparedAfter(() => store.remove(project, 'www.kiosk.example'))).toBe(1)
  await store.close()
})
