import { expect, test } from 'bun:test'
import { openDomainStore, targetOf } from '../../hosting/domains/testing/domain-store.ts'
import { domainMetrics } from './domains.ts'

test('the metrics of domains count them by status, and their checks by outcome', async () => {
  const store = await openDomainStore()
  const project = await store.newProject()
  const { json } = await store.add(project, 'www.kiosk.example')
  await store.add(project, 'cat.kiosk.example')
  await store.add(project, 'dog.kiosk.example')
  store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.\ncat 300 A 198.51.100.20`)
  for (const name of ['www', 'cat', 'cat']) await store.verify(project, `${name}.kiosk.example`)
  const samples = Object.fromEntries(
    domainMetrics(store.app.domainHosting).map(({ name, samples }) => [
      name,
      Object.fromEntries(samples.map(([labels, value]) => [Object.values(labels)[0] ?? '', value])),
    ]),
  )
  expect(samples).toEqual({
    petstore_domains: { pending: 1, verified: 1, failed: 1, drifted: 0 },
    petstore_domain_checks_total: { proven: 1, failed: 2, unknown: 0, taken: 0, gone: 0 },
    petstore_domain_checks_in_progress: { '': 0 },
  })
  await store.close()
})

test('without hosting there are no metrics of domains', () => {
  expect(domainMetrics({ domains: { countsByStatus: () => [] }, checks: undefined })).toEqual([])
})
