import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { testStart } from '../../testing/harness.ts'
import { hasCome, nextRenewalCheck, renewalIn } from './rules.ts'
import { createCertificateStore } from './store.ts'
import { openWorld, type World } from './testing/world.ts'

const name = 'www.shop.example'
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

let world: World
beforeEach(async () => {
  world = await openWorld()
  world.want(name)
})
afterEach(() => world.close())

const row = () => createCertificateStore(world.database.tables).find(name)
const orders = () => [...world.ca.orders.values()]

describe('without advice of the authority', () => {
  for (const lifetime of [90 * day, 45 * day, 6 * day, 4 * hour]) {
    test(`a certificate of ${lifetime / hour} hours is renewed when a third of its life is left, and replaced in use`, async () => {
      world.ca.settings.hasRenewalInfo = false
      world.ca.settings.lifetimeMs = lifetime
      await world.order()
      const [first] = [...world.certificates.usable()]
      await world.queryRenewals()
      const renewAt = testStart + (lifetime * 2) / 3
      world.clock.skip(renewAt - world.clock.now() - minute)
      await world.order()
      expect(orders()).toHaveLength(1)
      world.clock.skip(2 * minute)
      await world.order()
      expect(orders()).toHaveLength(2)
      const [second] = [...world.certificates.usable()]
      expect(second?.cert).not.toBe(first?.cert ?? '')
      expect(second?.key).not.toBe(first?.key ?? '')
      expect(orders()[1]?.replaces).toBeUndefined()
    })
  }
})

describe('renewal information (ARI)', () => {
  test('chooses a moment of the window, keeps it while the window stays, and names the certificate it replaces', async () => {
    let random = 0.5
    await world.restart({ random: () => random })
    await world.order()
    await world.queryRenewals()
    const expected = Math.round(testStart + 90 * day * 0.65)
    random = 0.9
    expect(row()?.renewAt).toBe(expected)
    world.clock.skip(7 * hour)
    await world.queryRenewals()
    expect(world.ca.count('renewalInfo')).toBe(2)
    expect(row()?.renewAt).toBe(expected)
    world.clock.skip(expected - world.clock.now())
    const renewalId = row()?.renewalId
    await world.order()
    expect(orders()[1]?.replaces).toBe(renewalId as string)
  })

  test('renews at once when the window moves into the past, long before a third is left', async () => {
    await world.order()
    await world.queryRenewals()
    const at = (ms: number) => new Date(ms).toISOString()
    world.ca.settings.window = { start: at(testStart - 2 * day), end: at(testStart - day) }
    world.clock.skip(7 * hour)
    await world.queryRenewals()
    world.ca.settings.window = undefined
    await world.order()
    expect(orders()).toHaveLength(2)
    await world.order()
    expect(orders()).toHaveLength(2)
  })

  test('is queried again when its Retry-After says, between a minute and a day', async () => {
    await world.order()
    const checks: number[] = []
    for (const header of [
      '1',
      '7200',
      '99999999',
      'nonsense',
      new Date(testStart + 3 * day + 3 * hour).toUTCString(),
    ]) {
      world.ca.settings.renewalRetryAfter = header
      await world.queryRenewals()
      checks.push((row()?.renewalCheckAt ?? 0) - world.clock.now())
      world.clock.skip(checks.at(-1) ?? 0)
    }
    expect(checks.slice(0, 4)).toEqual([minute, 2 * hour, day, 6 * hour])
    expect(checks[4]).toBeGreaterThan(minute)
    const count = world.ca.count('renewalInfo')
    world.clock.skip(-minute)
    await world.queryRenewals()
    expect(world.ca.count('renewalInfo')).toBe(count)
  })

  test('of `alreadyReplaced` is ordered again without `replaces`', async () => {
    await world.order()
    world.clock.skip(61 * day)
    world.ca.inject('newOrder', {
      type: 'alreadyReplaced',
      detail: 'The certificate has been replaced already.',
      status: 409,
    })
    await world.order()
    expect(orders().map(({ replaces }) => replaces)).toEqual([undefined, undefined])
    expect(world.ca.count('newOrder')).toBe(3)
    expect(world.certificates.certificateOf(name).status).toBe('active')
  })

  test('that is wrong or missing leaves the renewal at a third of the lifetime', async () => {
    await world.order()
    const third = row()?.renewAt
    world.ca.inject('renewalInfo', new Response('{"suggestedWindow": {"start": "soon", "end": "later"}}'))
    await world.queryRenewals()
    expect(row()?.renewAt).toBe(third as number)
    world.clock.skip(day)
    world.ca.inject('renewalInfo', new Response('<html>', { status: 502 }))
    await world.queryRenewals()
    expect(row()?.renewAt).toBe(third as number)
    world.clock.skip(day)
    await world.queryRenewals()
    expect(row()?.renewAt).not.toBe(third as number)
    world.ca.inject('renewalInfo', { type: 'malformed', detail: 'Certificate not found', status: 404 })
    world.clock.skip(day)
    await world.queryRenewals()
    expect(row()?.renewAt).toBe(third as number)
  })

  test('never delays a renewal into the last tenth of the lifetime', () => {
    const window = { startMs: 1_000, endMs: 2_000 }
    expect(renewalIn(window, 0.5, 0, 500)).toBe(450)
    expect(renewalIn(window, 0, 0, 10_000)).toBe(1_000)
    expect(renewalIn(window, 0.999, 0, 10_000)).toBe(1_999)
    expect(nextRenewalCheck(undefined, 0)).toBe(6 * hour)
    expect(nextRenewalCheck(-5, 0)).toBe(minute)
  })
})

describe('a clock that moves', () => {
  test('back by a year does not delay attempts: a stored time that is too far ahead counts as come', async () => {
    world.ca.inject('newOrder', { type: 'serverInternal', detail: 'down', status: 500 })
    await world.order()
    expect(world.certificates.certificateOf(name).status).toBe('failed')
    world.clock.setWall(testStart - 365 * day)
    await world.order()
    expect(world.certificates.certificateOf(name).status).toBe('active')
    expect(hasCome(testStart, testStart - 365 * day)).toBe(true)
    expect(hasCome(testStart + hour, testStart)).toBe(false)
  })

  test('forward by a year renews once', async () => {
    await world.order()
    world.clock.skip(365 * day)
    expect(world.certificates.certificateOf(name).status).toBe('expired')
    expect([...world.certificates.usable()]).toHaveLength(1)
    await world.order()
    await world.order()
    expect(orders()).toHaveLength(2)
    expect(world.certificates.certificateOf(name).status).toBe('active')
  })
})
