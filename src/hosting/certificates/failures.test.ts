import { describe, expect, test } from 'bun:test'
import { testStart } from '../../testing/harness.ts'
import type { Problem } from './testing/fake-order.ts'
import { day, hour, minute, name, rejected, worldPerTest } from './testing/per-test.ts'

const shop = worldPerTest()
const { status, codes } = shop

describe('a rejected order', () => {
  test("keeps the authority's own words, also those of subproblems, and says what to do", async () => {
    shop.world.ca.inject('newOrder', rejected)
    await shop.world.order()
    expect(status().status).toBe('failed')
    expect(status().error).toContain('the authority forbids this name')
    expect(status().error).toContain('www.shop.example: CAA record for shop.example prevents issuance')
    const [finding] = shop.world.certificates.findingsOf(name)
    expect(finding?.code).toBe('ca_refused')
    expect(finding?.severity).toBe('error')
    expect(finding?.message).toContain('the authority forbids this name')
    expect(finding?.fix).toContain('--acme-directory')
    expect(finding?.fix).toContain('tries again at')
  })

  test('is tried again after 1, 10 and 100 minutes, then daily', async () => {
    shop.world.ca.inject('newOrder', ...Array<Problem>(6).fill(rejected))
    const pauses: number[] = []
    for (let count = 0; count < 5; count++) {
      await shop.world.order()
      pauses.push((status().nextAttemptAt ?? 0) - shop.world.clock.now())
      shop.world.clock.skip((pauses.at(-1) ?? 0) - 1)
      const before = shop.world.ca.count('newOrder')
      await shop.world.order()
      expect(shop.world.ca.count('newOrder')).toBe(before)
      shop.world.clock.skip(1)
    }
    expect(pauses).toEqual([minute, 10 * minute, 100 * minute, day, day])
    await shop.world.order()
    shop.world.clock.skip(day)
    await shop.world.order()
    expect(status()).toMatchObject({ status: 'active', error: null, nextAttemptAt: null })
    expect(codes()).toEqual([])
  })

  test('is tried at once when its owner verifies the domain again, but at most four times an hour', async () => {
    shop.world.ca.inject('newOrder', ...Array<Problem>(10).fill(rejected))
    for (let count = 0; count < 6; count++) {
      await shop.world.order()
      await shop.world.certificates.retry(name, [])
    }
    await shop.world.order()
    expect(shop.world.ca.count('newOrder')).toBe(4)
    expect(status().nextAttemptAt).toBe(testStart + hour)
  })

  test('whose challenge fails has the reason of the authority', async () => {
    shop.world.web.respond = () => undefined
    await shop.world.order()
    expect(status().error).toContain(`Invalid response from http://${name}/.well-known/acme-challenge/`)
    expect(codes()).toEqual(['ca_refused'])
    expect(shop.world.certificates.findingsOf(name)[0]?.fix).toContain('Another web server responded')
  })
})

test('a failed renewal is tried again within a tenth of the life that is left, also of a short certificate', async () => {
  shop.world.ca.settings.lifetimeMs = 10 * hour
  await shop.world.order()
  shop.world.ca.inject('newOrder', ...Array<Problem>(3).fill(rejected))
  shop.world.clock.skip(7 * hour)
  for (let count = 0; count < 3; count++) {
    await shop.world.order()
    const left = (status().expiresAt ?? 0) - shop.world.clock.now()
    expect((status().nextAttemptAt ?? 0) - shop.world.clock.now()).toBeLessThanOrEqual(left / 10)
    shop.world.clock.skip((status().nextAttemptAt ?? 0) - shop.world.clock.now())
  }
  await shop.world.order()
  expect(status().status).toBe('active')
})

describe('a certificate that expires', () => {
  /**
   * Fails attempts until well after the end of the certificate. Returns how long before or after it each was, and its
   * pause.
   */
  async function failAcrossExpiry(afterMs: number) {
    const expiresAt = status().expiresAt ?? 0
    const attempts: { readonly leftMs: number; readonly pauseMs: number }[] = []
    while (shop.world.clock.now() < expiresAt + afterMs) {
      await shop.world.order()
      const [nextMs, nowMs] = [status().nextAttemptAt ?? 0, shop.world.clock.now()]
      attempts.push({ leftMs: expiresAt - nowMs, pauseMs: nextMs - nowMs })
      expect(shop.world.logged.findLast((line) => /next/.test(line))).toContain(new Date(nextMs).toISOString())
      shop.world.clock.skip(nextMs - nowMs)
    }
    return attempts
  }

  test('while the authority is away is ordered as often as just before, and is there within a minute after its return', async () => {
    shop.world.ca.settings.lifetimeMs = 10 * minute
    await shop.world.order()
    let isAway = true
    const away = () => (isAway ? new Response('', { status: 502 }) : undefined)
    for (const step of ['directory', 'newOrder'] as const) shop.world.ca.inject(step, ...Array(1_000).fill(away))
    shop.world.clock.skip(7 * minute)
    const attempts = await failAcrossExpiry(10 * minute)
    const before = attempts.findLast(({ leftMs }) => leftMs > 0)?.pauseMs ?? 0
    const after = attempts.filter(({ leftMs }) => leftMs <= 0).map(({ pauseMs }) => pauseMs)
    expect(Math.max(...after)).toBeLessThanOrEqual(before)
    expect(status().status).toBe('expired')
    isAway = false
    shop.world.clock.skip(minute)
    await shop.world.order()
    expect(status()).toMatchObject({ status: 'active', nextAttemptAt: null })
  })

  test('and whose orders are rejected is ordered four times an hour', async () => {
    await shop.world.order()
    shop.world.ca.inject('newOrder', ...Array<Problem>(1_000).fill(rejected))
    shop.world.clock.skip(89.9 * day)
    const attempts = await failAcrossExpiry(6 * hour)
    expect(attempts.slice(-12).map(({ pauseMs }) => pauseMs)).toEqual(Array(12).fill(15 * minute))
  })

  test('is not ordered before the end of a limit of the authority', async () => {
    await shop.world.order()
    shop.world.clock.skip(91 * day)
    const detail = `too many failed authorizations (5) for "${name}" in the last 1h0m0s`
    shop.world.ca.inject('newOrder', { type: 'rateLimited', detail, status: 429, headers: { 'Retry-After': '7200' } })
    const [attempt] = await failAcrossExpiry(day + 2 * hour)
    expect(attempt?.pauseMs).toBe(2 * hour)
  })

  test('every few minutes is renewed each time: only orders that fail count against the four of an hour', async () => {
    shop.world.ca.settings.lifetimeMs = 5 * minute
    for (let count = 1; count <= 12; count++) {
      await shop.world.order()
      expect([status().status, shop.world.ca.count('newOrder')]).toEqual(['active', count])
      shop.world.clock.skip(4 * minute)
    }
  })
})

test('results are recorded for the owner of the name: a repeated failure once, then the certificate and its renewal', async () => {
  const recorded: string[] = []
  await shop.world.restart({
    addToHistory: (hostname, outcome, message) => recorded.push(`${hostname} ${outcome}: ${message}`),
  })
  shop.world.ca.inject('newOrder', rejected, rejected)
  await shop.world.order()
  shop.world.clock.skip(minute)
  await shop.world.order()
  shop.world.clock.skip(10 * minute)
  await shop.world.order()
  shop.world.clock.skip(61 * day)
  await shop.world.order()
  expect(recorded).toEqual([
    expect.stringMatching(/^www\.shop\.example failed: No certificate was issued\. .* forbids this name/),
    `${name} issued: A certificate was issued. It is valid until 2027-02-18.`,
    `${name} renewed: A certificate was renewed. It is valid until 2027-04-20.`,
  ])
})
