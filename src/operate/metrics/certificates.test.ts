import { expect, test } from 'bun:test'
import { openWorld } from '../../hosting/certificates/testing/world.ts'
import { certificateMetrics } from './certificates.ts'
import { writeExposition } from './exposition.ts'

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
