import { describe, expect, test } from 'bun:test'
import { checkDomain } from './check.ts'
import { both, host, right, shopPerTest } from './testing/check.ts'
import { expected } from './testing/shop.ts'
import { patientLimits, shortLimits, type World } from './testing/world.ts'
import { defaultLimits } from './wire/budget.ts'

const shop = shopPerTest()

const check = ({ options }: World, more: object = {}) =>
  checkDomain({ hostname: host, ...expected }, { ...options, limits: shortLimits, ...more })
/** With the timeouts that honest servers need on a loaded machine. */
const checkPatiently = (given: World) => check(given, { limits: given.options.limits })

describe('the limits', () => {
  test('are 15 seconds, 8 name servers and 100 queries', () => {
    expect(defaultLimits).toMatchObject({ totalMs: 15_000, nameservers: 8, queries: 100 })
  })

  test('of time end a check for any behaviour of the servers', async () => {
    const world = await shop.open(right, { change: both({ handle: () => 'silence' }) })
    const report = await check(world, { limits: { ...patientLimits, totalMs: 200 } })
    expect(report).toMatchObject({ routing: 'unknown', complete: false })
    expect(report.elapsedMs).toBeLessThan(patientLimits.udpTimeoutsMs[0])
  })

  test('of queries end a check with what is known by then', async () => {
    const world = await shop.open(right)
    const report = await check(world, { limits: { queries: 7 } })
    expect(report).toMatchObject({ queries: 7, complete: false, routing: 'unknown' })
  })

  test('of queries leave the verdict unknown if a server was not queried', async () => {
    const world = await shop.open(right)
    const complete = await checkPatiently(world)
    expect(complete.routing).toBe('verified')
    const verdicts = new Set<string>()
    for (let queries = 1; queries < complete.queries; queries++) {
      const report = await check(world, { limits: { ...world.options.limits, queries } })
      const lookups = report.lookups.filter(({ name, source }) => name === host && source === 'authoritative')
      const asked = lookups.filter(({ type }) => type === 'A' || type === 'AAAA')
      const isWhole =
        asked.length === 2 && asked.every(({ observed }) => observed.every(({ rcode }) => rcode === 'NOERROR'))
      expect([queries, report.routing]).toEqual([queries, isWhole ? expect.any(String) : 'unknown'])
      verdicts.add(report.routing)
    }
    expect([...verdicts]).toEqual(['unknown', 'verified'])
  })

  test('of name servers apply to zones with many', async () => {
    const many = Array.from({ length: 40 }, (_, i) => `kiosk 300 NS ns1${i}.kiosk\nns1${i}.kiosk 300 A 45.7.0.${i + 1}`)
    const world = await shop.open(right, { registry: many.join('\n') })
    const report = await checkPatiently(world)
    expect(report.queries).toBeLessThanOrEqual(100)
    expect(report.lookups.find(({ type }) => type === 'A')?.observed.length).toBeLessThanOrEqual(8)
  })

  test('do not delay the end of a cancelled check', async () => {
    const world = await shop.open(right, { change: both({ handle: () => 'silence' }) })
    const controller = new AbortController()
    const checking = check(world, { limits: patientLimits, signal: controller.signal })
    controller.abort()
    const report = await checking
    expect(report).toMatchObject({ routing: 'unknown', complete: false })
    expect(report.elapsedMs).toBeLessThan(patientLimits.udpTimeoutsMs[0])
  })
})
