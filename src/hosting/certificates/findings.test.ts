import { beforeEach, describe, expect, test } from 'bun:test'
import type { Problem } from './testing/fake-order.ts'
import { day, hour, minute, name, rejected, worldPerTest } from './testing/per-test.ts'

const shop = worldPerTest()
const { status, codes } = shop

describe('an authority that cannot be reached', () => {
  beforeEach(async () => {
    // Nothing listens there.
    await shop.world.restart({ acmeDirectory: 'http://127.0.0.1:9/directory' })
    await shop.world.order()
  })

  test('is an error of the certificate at once, and a finding after 30 minutes without one, with what to do', async () => {
    const words = "127.0.0.1:9 can't be reached: nothing listens there."
    expect(status()).toMatchObject({ status: 'failed', error: expect.stringContaining(words) })
    expect(codes()).toEqual([])
    shop.world.clock.skip(30 * minute - 1)
    expect(codes()).toEqual([])
    shop.world.clock.skip(1)
    await shop.world.order()
    const [found] = shop.world.certificates.findingsOf(name)
    expect(found).toMatchObject({ code: 'ca_refused', severity: 'error', name })
    expect(found?.message).toStartWith(`There is no certificate for ${name} after 30 minutes, because`)
    expect(found?.message).toEndWith(words)
    expect(found?.fix).toStartWith('You do not have to change anything. The service tries again automatically.')
    expect(found?.fix).toContain('The next attempt is at 2026-11-20 ')
    shop.world.clock.skip(3 * day)
    expect(shop.world.certificates.findingsOf(name)[0]?.message).toContain('after 3 days')
  })

  test('is no longer a finding once there is a certificate', async () => {
    shop.world.clock.skip(hour)
    await shop.world.order()
    expect(codes()).toEqual(['ca_refused'])
    await shop.world.restart()
    shop.world.clock.skip(day)
    await shop.world.order()
    expect([status().status, codes()]).toEqual(['active', []])
    // A renewal has time.
    await shop.world.restart({ acmeDirectory: 'http://127.0.0.1:9/directory' })
    shop.world.clock.skip(61 * day)
    await shop.world.order()
    expect([status().error === null, codes()]).toEqual([false, []])
  })
})

describe('an expiring certificate', () => {
  test('is a finding when a quarter of its life is left, and an error in the last tenth', async () => {
    await shop.world.order()
    shop.world.ca.inject('newOrder', ...Array<Problem>(20).fill(rejected))
    const severities: (string | undefined)[] = []
    for (const days of [61, 7, 14, 9]) {
      shop.world.clock.skip(days * day)
      await shop.world.order()
      severities.push(
        shop.world.certificates.findingsOf(name).find(({ code }) => code === 'certificate_expiring')?.severity,
      )
    }
    expect(severities).toEqual([undefined, 'warning', 'error', 'error'])
    expect(status().status).toBe('expired')
    const [first] = shop.world.certificates.findingsOf(name).filter(({ code }) => code === 'certificate_expiring')
    expect(first?.message).toContain('expired at 2027-02-18')
    expect(first?.message).toContain('the authority forbids this name')
  })
})

describe('a wrong clock', () => {
  test('of more than an hour is a finding, orders no second certificate, and ends when it is corrected', async () => {
    let offset = 0
    await shop.replace({}, () => offset)
    offset = -365 * day
    await shop.world.order()
    expect(codes()).toContain('clock_wrong')
    const [found] = shop.world.certificates.findingsOf(name).filter(({ code }) => code === 'clock_wrong')
    expect(found?.message).toContain('8760 hours ahead of')
    expect(found?.fix).toContain('timedatectl')
    for (let count = 0; count < 5; count++) {
      shop.world.clock.skip(hour)
      await shop.world.order()
    }
    expect(shop.world.ca.count('newOrder')).toBe(1)
    await shop.world.queryRenewals()
    expect(shop.world.logged.join('')).toContain('clock_wrong')
    shop.world.clock.setWall(shop.world.clock.now() - 365 * day)
    expect(codes()).not.toContain('clock_wrong')
  })
})
