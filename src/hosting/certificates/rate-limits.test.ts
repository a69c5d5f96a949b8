import { describe, expect, test } from 'bun:test'
import { testStart } from '../../testing/harness.ts'
import type { Problem } from './testing/fake-order.ts'
import { day, hour, minute, name, worldPerTest } from './testing/per-test.ts'

const shop = worldPerTest()
const { status, codes } = shop

describe('a limit of the authority', () => {
  const limited = (detail: string, seconds = 7_200): Problem => ({
    type: 'rateLimited',
    detail,
    status: 429,
    headers: { 'Retry-After': String(seconds) },
  })

  test('on a name pauses the name alone, until the time of Retry-After', async () => {
    shop.world.want('other.shop.example')
    shop.world.ca.inject('newOrder', limited(`too many failed authorizations (5) for "${name}" in the last 1h0m0s`))
    await shop.world.order()
    const names = [name, 'other.shop.example']
    const paused = names.filter((one) => status(one).status === 'failed')
    expect(paused).toHaveLength(1)
    const [first = ''] = paused
    expect(status(first).rateLimitedUntil).toBeGreaterThanOrEqual(testStart + 2 * hour)
    expect(status(names.find((one) => one !== first)).status).toBe('active')
    expect(codes(first)).toEqual(['acme_rate_limited'])
    shop.world.clock.skip(hour)
    await shop.world.certificates.retry(first, [])
    await shop.world.order()
    expect(shop.world.ca.count('newOrder')).toBe(2)
    shop.world.clock.skip(hour + minute)
    await shop.world.order()
    expect(status(first).status).toBe('active')
  })

  test('on a registered domain pauses every name of that domain', async () => {
    shop.world.ca.inject(
      'newOrder',
      limited('too many certificates (50) already issued for "shop.example" in the last 168h'),
    )
    await shop.world.order()
    shop.world.want('blog.shop.example')
    shop.world.want('www.elsewhere.example')
    await shop.world.order()
    expect(shop.world.ca.count('newOrder')).toBe(2)
    expect(status('www.elsewhere.example').status).toBe('active')
    expect(status('blog.shop.example').rateLimitedUntil).toBe(status().rateLimitedUntil as number)
    expect(status('blog.shop.example').error).toContain('already issued for "shop.example"')
    expect(codes('blog.shop.example')).toEqual(['acme_rate_limited'])
  })

  test('on the account pauses every order', async () => {
    shop.world.ca.inject('newOrder', limited('too many new orders (300) from this account in the last 3h0m0s'))
    await shop.world.order()
    shop.world.want('www.elsewhere.example')
    await shop.world.order()
    expect(shop.world.ca.count('newOrder')).toBe(1)
    await shop.world.restart()
    await shop.world.order()
    expect(shop.world.ca.count('newOrder')).toBe(1)
    shop.world.clock.skip(2 * hour)
    await shop.world.order()
    expect([status().status, status('www.elsewhere.example').status]).toEqual(['active', 'active'])
  })

  test('without a Retry-After counts until the time in its words, or for an hour', async () => {
    const words = 'too many new orders (300) from this account, retry after 2026-11-20 14:00:00 UTC: see the limits'
    const untold = { type: 'rateLimited', status: 429 }
    shop.world.ca.inject('newOrder', { ...untold, detail: words }, { ...untold, detail: 'too many requests' })
    await shop.world.order()
    expect(status().rateLimitedUntil).toBe(Date.UTC(2026, 10, 20, 14))
    shop.world.clock.skip(5 * hour)
    await shop.world.order()
    expect(status().rateLimitedUntil).toBeGreaterThan(shop.world.clock.now() + hour - minute)
    expect(status().rateLimitedUntil).toBeLessThanOrEqual(shop.world.clock.now() + hour)
  })

  test('is observed in full by a renewal, too', async () => {
    await shop.world.order()
    const { expiresAt } = status()
    shop.world.clock.skip(80 * day)
    shop.world.ca.inject('newOrder', limited('too many new orders from this account', 6 * 86_400))
    await shop.world.order()
    expect(status().rateLimitedUntil).toBe(shop.world.clock.now() + 6 * day)
    expect(status().nextAttemptAt).toBe(shop.world.clock.now() + 6 * day)
    expect(codes()).toContain('acme_rate_limited')
    shop.world.clock.skip(6 * day)
    await shop.world.order()
    expect(status().expiresAt).toBeGreaterThan(expiresAt ?? 0)
  })
})
