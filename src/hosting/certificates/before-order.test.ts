import { beforeEach, describe, expect, test } from 'bun:test'
import type { Finding } from '../../dns/report.ts'
import { testStart } from '../../testing/harness.ts'
import type { OrderCheck } from './attempt.ts'
import { minute, name, worldPerTest } from './testing/per-test.ts'

let check: OrderCheck
let checks: number
beforeEach(() => {
  check = { verdict: 'allowed', warnings: [] }
  checks = 0
})
const shop = worldPerTest({
  checkBeforeOrder: async () => {
    checks++
    return check
  },
})
const { status } = shop

describe('before an order', () => {
  const finding = (code: Finding['code'], severity: Finding['severity']): Finding => ({
    code,
    severity,
    name,
    type: null,
    expected: [],
    observed: [],
    message: `The message of ${code}.`,
    fix: `The fix of ${code}.`,
    expiresAt: null,
  })

  test('a check that fails holds it, with the finding and its fix', async () => {
    check = { verdict: 'held', findings: [finding('propagating', 'info'), finding('caa_forbids', 'error')] }
    await shop.world.order()
    expect(shop.world.ca.count('newOrder')).toBe(0)
    expect(status()).toMatchObject({
      status: 'failed',
      error: 'The message of caa_forbids. The fix of caa_forbids.',
      nextAttemptAt: testStart + minute,
    })
    check = { verdict: 'allowed', warnings: [] }
    shop.world.clock.skip(minute)
    await shop.world.order()
    expect(status().status).toBe('active')
  })

  test('the problem of a check is gone when the owner has corrected it and verifies again, and stays otherwise', async () => {
    check = { verdict: 'held', findings: [finding('caa_forbids', 'error')] }
    await shop.world.order()
    await shop.world.certificates.retry(name, ['propagating', 'caa_forbids'])
    expect(status()).toMatchObject({ status: 'failed', error: expect.stringContaining('caa_forbids') })
    await shop.world.order()
    await shop.world.certificates.retry(name, ['propagating'])
    expect(status()).toMatchObject({ status: 'queued', error: null, nextAttemptAt: null })
  })

  test('a failed probe warns, and blocks once the authority has failed for the same reason until the probe passes', async () => {
    check = { verdict: 'allowed', warnings: [finding('wrong_server', 'warning')] }
    shop.world.web.respond = () => undefined
    await shop.world.order()
    expect(shop.world.ca.count('newOrder')).toBe(1)
    shop.world.clock.skip(minute)
    await shop.world.order()
    expect(shop.world.ca.count('newOrder')).toBe(1)
    expect(status().error).toBe('The message of wrong_server. The fix of wrong_server.')
    check = { verdict: 'allowed', warnings: [finding('http_unreachable', 'warning')] }
    shop.world.web.respond = (host, token) => shop.world.certificates.challengeResponse(host, token)
    shop.world.clock.skip(10 * minute)
    await shop.world.order()
    expect(shop.world.ca.count('newOrder')).toBe(2)
    expect(checks).toBe(3)
    expect(status().status).toBe('active')
  })

  test('a name that waits for 30 minutes says why and what to do', async () => {
    expect(status().error).toBeNull()
    shop.world.ca.settings.processingLooks = 1_000
    await shop.world.order()
    shop.world.clock.skip(31 * minute)
    expect(status().error).toContain('has not finished the order within 5 minutes')
  })
})

test('the first check before an order knows the CAA identities of the authority', async () => {
  const identities: (readonly string[])[] = []
  await shop.replace({
    checkBeforeOrder: async () => {
      identities.push(shop.world.certificates.authority().caaIdentities)
      return { verdict: 'allowed', warnings: [] }
    },
  })
  await shop.world.order()
  expect(identities).toEqual([['ca.example']])
})
