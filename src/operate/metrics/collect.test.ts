import { expect, test } from 'bun:test'
import { openWorld } from '../../hosting/certificates/testing/world.ts'
import { openDomainStore, targetOf } from '../../hosting/domains/testing/domain-store.ts'
import { certificateMetrics, domainMetrics } from './collect.ts'
import { writeExposition } from './exposition.ts'

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

test('the metrics have orders by outcome, and days left and the next renewal of each certificate', async () => {
  const world = await openWorld()
  try {
    world.want('www.shop.example')
    await world.order()
    world.ca.inject('newOrder', { type: 'rejectedIdentifier', detail: 'The authority forbids this name.' })
    world.want('bank.example')
    await world.order()
    world.clock.skip(30 * 86_400_000 - 600)
    const text = writeExposition(certificateMetrics(world.certificates, world.clock.now()))
    for (const line of [
      'petstore_certificate_orders_total{outcome="issued"} 1',
      'petstore_certificate_orders_total{outcome="failed"} 1',
      'petstore_certificate_orders_total{outcome="held"} 0',
      'petstore_certificates{state="valid"} 1',
      'petstore_certificates{state="missing"} 1',
      'petstore_certificates_failing 1',
      'petstore_certificate_days_left{hostname="www.shop.example",kind="domain"} 60',
      'petstore_clock_wrong_seconds 0',
    ]) {
      expect(text.split('\n')).toContain(line)
    }
    expect(text).toMatch(/petstore_certificate_renewal_time_seconds\{hostname="www.shop.example",kind="domain"\} \d+/)
  } finally {
    await world.close()
  }
})
