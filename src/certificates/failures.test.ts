import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Finding } from '../dns/report.ts'
import { testStart } from '../testing/harness.ts'
import type { OrderCheck } from './orders/attempt.ts'
import type { Problem } from './testing/fake-order.ts'
import { openWorld, type World } from './testing/world.ts'

const name = 'www.shop.example'
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

let check: OrderCheck = { verdict: 'allowed', warnings: [] }
let checks = 0
let world: World
beforeEach(async () => {
  check = { verdict: 'allowed', warnings: [] }
  checks = 0
  world = await openWorld({
    checkBeforeOrder: async () => {
      checks++
      return check
    },
  })
  world.want(name)
})
afterEach(() => world.close())

const status = (hostname = name) => world.certificates.certificateOf(hostname)
const codes = (hostname = name) => world.certificates.findingsOf(hostname).map(({ code }) => code)
const rejected: Problem = {
  type: 'rejectedIdentifier',
  detail: 'Error creating new order :: the authority forbids this name',
  subproblems: [
    {
      type: 'urn:ietf:params:acme:error:caa',
      detail: 'CAA record for shop.example prevents issuance',
      identifier: { type: 'dns', value: name },
    },
  ],
}

describe('a rejected order', () => {
  test("keeps the authority's own words, also those of subproblems, and says what to do", async () => {
    world.ca.inject('newOrder', rejected)
    await world.order()
    expect(status().status).toBe('failed')
    expect(status().error).toContain('the authority forbids this name')
    expect(status().error).toContain('www.shop.example: CAA record for shop.example prevents issuance')
    const [finding] = world.certificates.findingsOf(name)
    expect(finding?.code).toBe('ca_refused')
    expect(finding?.severity).toBe('error')
    expect(finding?.message).toContain('the authority forbids this name')
    expect(finding?.fix).toContain('--acme-directory')
    expect(finding?.fix).toContain('tries again at')
  })

  test('is tried again after 1, 10 and 100 minutes, then daily', async () => {
    world.ca.inject('newOrder', ...Array<Problem>(6).fill(rejected))
    const pauses: number[] = []
    for (let count = 0; count < 5; count++) {
      await world.order()
      pauses.push((status().nextAttemptAt ?? 0) - world.clock.now())
      world.clock.skip((pauses.at(-1) ?? 0) - 1)
      const before = world.ca.count('newOrder')
      await world.order()
      expect(world.ca.count('newOrder')).toBe(before)
      world.clock.skip(1)
    }
    expect(pauses).toEqual([minute, 10 * minute, 100 * minute, day, day])
    await world.order()
    world.clock.skip(day)
    await world.order()
    expect(status()).toMatchObject({ status: 'active', error: null, nextAttemptAt: null })
    expect(codes()).toEqual([])
  })

  test('is tried at once when its owner verifies the domain again, but at most four times an hour', async () => {
    world.ca.inject('newOrder', ...Array<Problem>(10).fill(rejected))
    for (let count = 0; count < 6; count++) {
      await world.order()
      await world.certificates.retry(name)
    }
    await world.order()
    expect(world.ca.count('newOrder')).toBe(4)
    expect(status().nextAttemptAt).toBe(testStart + hour)
  })

  test('whose challenge fails has the reason of the authority', async () => {
    world.web.respond = () => undefined
    await world.order()
    expect(status().error).toContain(`Invalid response from http://${name}/.well-known/acme-challenge/`)
    expect(codes()).toEqual(['ca_refused'])
    expect(world.certificates.findingsOf(name)[0]?.fix).toContain('Another web server responded')
  })
})

test('a failed renewal is tried again within a tenth of the life that is left, also of a short certificate', async () => {
  world.ca.settings.lifetimeMs = 10 * hour
  await world.order()
  world.ca.inject('newOrder', ...Array<Problem>(3).fill(rejected))
  world.clock.skip(7 * hour)
  for (let count = 0; count < 3; count++) {
    await world.order()
    const left = (status().expiresAt ?? 0) - world.clock.now()
    expect((status().nextAttemptAt ?? 0) - world.clock.now()).toBeLessThanOrEqual(left / 10)
    world.clock.skip((status().nextAttemptAt ?? 0) - world.clock.now())
  }
  await world.order()
  expect(status().status).toBe('active')
})

describe('a limit of the authority', () => {
  const limited = (detail: string, seconds = 7_200): Problem => ({
    type: 'rateLimited',
    detail,
    status: 429,
    headers: { 'Retry-After': String(seconds) },
  })

  test('on a name pauses the name alone, until the time of Retry-After', async () => {
    world.want('other.shop.example')
    world.ca.inject('newOrder', limited(`too many failed authorizations (5) for "${name}" in the last 1h0m0s`))
    await world.order()
    const names = [name, 'other.shop.example']
    const paused = names.filter((one) => status(one).status === 'failed')
    expect(paused).toHaveLength(1)
    const [first = ''] = paused
    expect(status(first).rateLimitedUntil).toBeGreaterThanOrEqual(testStart + 2 * hour)
    expect(status(names.find((one) => one !== first)).status).toBe('active')
    expect(codes(first)).toEqual(['acme_rate_limited'])
    world.clock.skip(hour)
    await world.certificates.retry(first)
    await world.order()
    expect(world.ca.count('newOrder')).toBe(2)
    world.clock.skip(hour + minute)
    await world.order()
    expect(status(first).status).toBe('active')
  })

  test('on a registered domain pauses every name of that domain', async () => {
    world.ca.inject(
      'newOrder',
      limited('too many certificates (50) already issued for "shop.example" in the last 168h'),
    )
    await world.order()
    world.want('blog.shop.example')
    world.want('www.elsewhere.example')
    await world.order()
    expect(world.ca.count('newOrder')).toBe(2)
    expect(status('www.elsewhere.example').status).toBe('active')
    expect(status('blog.shop.example').rateLimitedUntil).toBe(status().rateLimitedUntil as number)
    expect(status('blog.shop.example').error).toContain('already issued for "shop.example"')
    expect(codes('blog.shop.example')).toEqual(['acme_rate_limited'])
  })

  test('on the account pauses every order', async () => {
    world.ca.inject('newOrder', limited('too many new orders (300) from this account in the last 3h0m0s'))
    await world.order()
    world.want('www.elsewhere.example')
    await world.order()
    expect(world.ca.count('newOrder')).toBe(1)
    await world.restart()
    await world.order()
    expect(world.ca.count('newOrder')).toBe(1)
    world.clock.skip(2 * hour)
    await world.order()
    expect([status().status, status('www.elsewhere.example').status]).toEqual(['active', 'active'])
  })

  test('without a Retry-After counts until the time in its words, or for an hour', async () => {
    const words = 'too many new orders (300) from this account, retry after 2026-11-20 14:00:00 UTC: see the limits'
    const untold = { type: 'rateLimited', status: 429 }
    world.ca.inject('newOrder', { ...untold, detail: words }, { ...untold, detail: 'too many requests' })
    await world.order()
    expect(status().rateLimitedUntil).toBe(Date.UTC(2026, 10, 20, 14))
    world.clock.skip(5 * hour)
    await world.order()
    expect(status().rateLimitedUntil).toBeGreaterThan(world.clock.now() + hour - minute)
    expect(status().rateLimitedUntil).toBeLessThanOrEqual(world.clock.now() + hour)
  })

  test('never pauses a renewal for longer than a tenth of the life that is left', async () => {
    await world.order()
    const { expiresAt } = status()
    world.clock.skip(60 * day)
    world.ca.inject('newOrder', limited('too many new orders from this account', 6 * 86_400))
    await world.order()
    const left = (expiresAt ?? 0) - world.clock.now()
    expect((status().rateLimitedUntil ?? 0) - world.clock.now()).toBeLessThanOrEqual(left / 10)
    expect((status().rateLimitedUntil ?? 0) - world.clock.now()).toBeGreaterThan(left / 11)
    expect(codes()).toEqual(['acme_rate_limited'])
    world.clock.skip(left / 10)
    await world.order()
    expect(status().status).toBe('active')
    expect(status().expiresAt).toBeGreaterThan(expiresAt ?? 0)
  })
})

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
    await world.order()
    expect(world.ca.count('newOrder')).toBe(0)
    expect(status()).toMatchObject({
      status: 'failed',
      error: 'The message of caa_forbids. The fix of caa_forbids.',
      nextAttemptAt: testStart + minute,
    })
    check = { verdict: 'allowed', warnings: [] }
    world.clock.skip(minute)
    await world.order()
    expect(status().status).toBe('active')
  })

  test('a failed probe warns, and blocks once the authority has failed for the same reason until the probe passes', async () => {
    check = { verdict: 'allowed', warnings: [finding('wrong_server', 'warning')] }
    world.web.respond = () => undefined
    await world.order()
    expect(world.ca.count('newOrder')).toBe(1)
    world.clock.skip(minute)
    await world.order()
    expect(world.ca.count('newOrder')).toBe(1)
    expect(status().error).toBe('The message of wrong_server. The fix of wrong_server.')
    check = { verdict: 'allowed', warnings: [finding('http_unreachable', 'warning')] }
    world.web.respond = (host, token) => world.certificates.challengeResponse(host, token)
    world.clock.skip(10 * minute)
    await world.order()
    expect(world.ca.count('newOrder')).toBe(2)
    expect(checks).toBe(3)
    expect(status().status).toBe('active')
  })

  test('a name that waits for 30 minutes says why and what to do', async () => {
    expect(status().error).toBeNull()
    world.ca.settings.processingLooks = 1_000
    await world.order()
    world.clock.skip(31 * minute)
    expect(status().error).toContain('has not finished the order within 5 minutes')
  })
})

describe('an authority that cannot be reached', () => {
  beforeEach(async () => {
    // Nothing listens there.
    await world.restart({ acmeDirectory: 'http://127.0.0.1:9/directory' })
    await world.order()
  })

  test('is an error of the certificate at once, and a finding after 30 minutes without one, with what to do', async () => {
    const words = "127.0.0.1:9 can't be reached: nothing listens there."
    expect(status()).toMatchObject({ status: 'failed', error: expect.stringContaining(words) })
    expect(codes()).toEqual([])
    world.clock.skip(30 * minute - 1)
    expect(codes()).toEqual([])
    world.clock.skip(1)
    await world.order()
    const [found] = world.certificates.findingsOf(name)
    expect(found).toMatchObject({ code: 'ca_refused', severity: 'error', name })
    expect(found?.message).toStartWith(`There is no certificate for ${name} after 30 minutes, because`)
    expect(found?.message).toEndWith(words)
    expect(found?.fix).toStartWith('You do not have to change anything. The service tries again by itself.')
    expect(found?.fix).toContain('The next attempt is at 2026-11-20 ')
    world.clock.skip(3 * day)
    expect(world.certificates.findingsOf(name)[0]?.message).toContain('after 3 days')
  })

  test('is no finding any more once there is a certificate', async () => {
    world.clock.skip(hour)
    await world.order()
    expect(codes()).toEqual(['ca_refused'])
    await world.restart()
    world.clock.skip(day)
    await world.order()
    expect([status().status, codes()]).toEqual(['active', []])
    // A renewal has time.
    await world.restart({ acmeDirectory: 'http://127.0.0.1:9/directory' })
    world.clock.skip(61 * day)
    await world.order()
    expect([status().error === null, codes()]).toEqual([false, []])
  })
})

describe('an expiring certificate', () => {
  test('is a finding when a quarter of its life is left, and an error in the last tenth', async () => {
    await world.order()
    world.ca.inject('newOrder', ...Array<Problem>(20).fill(rejected))
    const severities: (string | undefined)[] = []
    for (const days of [61, 7, 14, 9]) {
      world.clock.skip(days * day)
      await world.order()
      severities.push(world.certificates.findingsOf(name).find(({ code }) => code === 'certificate_expiring')?.severity)
    }
    expect(severities).toEqual([undefined, 'warning', 'error', 'error'])
    expect(status().status).toBe('expired')
    const [first] = world.certificates.findingsOf(name).filter(({ code }) => code === 'certificate_expiring')
    expect(first?.message).toContain('expired at 2027-02-18')
    expect(first?.message).toContain('the authority forbids this name')
  })
})

describe('a wrong clock', () => {
  test('of more than an hour is a finding, orders no second certificate, and ends when it is corrected', async () => {
    await world.close()
    let offset = 0
    world = await openWorld({}, () => offset)
    world.want(name)
    offset = -365 * day
    await world.order()
    expect(codes()).toContain('clock_wrong')
    const [found] = world.certificates.findingsOf(name).filter(({ code }) => code === 'clock_wrong')
    expect(found?.message).toContain('8760 hours ahead of')
    expect(found?.fix).toContain('timedatectl')
    for (let count = 0; count < 5; count++) {
      world.clock.skip(hour)
      await world.order()
    }
    expect(world.ca.count('newOrder')).toBe(1)
    await world.queryRenewals()
    expect(world.logged.join('')).toContain('clock_wrong')
    world.clock.setWall(world.clock.now() - 365 * day)
    expect(codes()).not.toContain('clock_wrong')
  })
})

test('the first check before an order knows the CAA identities of the authority', async () => {
  await world.close()
  const identities: (readonly string[])[] = []
  world = await openWorld({
    checkBeforeOrder: async () => {
      identities.push(world.certificates.authority().caaIdentities)
      return { verdict: 'allowed', warnings: [] }
    },
  })
  world.want(name)
  await world.order()
  expect(identities).toEqual([['ca.example']])
})

test('results are recorded for the owner of the name: a repeated failure once, then the certificate and its renewal', async () => {
  const recorded: string[] = []
  await world.restart({ record: (hostname, message) => recorded.push(`${hostname}: ${message}`) })
  world.ca.inject('newOrder', rejected, rejected)
  await world.order()
  world.clock.skip(minute)
  await world.order()
  world.clock.skip(10 * minute)
  await world.order()
  world.clock.skip(61 * day)
  await world.order()
  expect(recorded).toEqual([
    expect.stringMatching(/^www\.shop\.example: No certificate was issued\. .* forbids this name/),
    `${name}: A certificate was issued. It is valid until 2027-02-18.`,
    `${name}: A certificate was renewed. It is valid until 2027-04-20.`,
  ])
})
