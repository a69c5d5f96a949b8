import { expect, test } from 'bun:test'
import { ClientNetworks } from '../../api/client-networks.ts'
import { createManualClock } from '../../lib/clock.ts'
import { parseNetwork } from '../../lib/network.ts'
import { openTestStore } from '../../testing/harness.ts'
import { AddressLimiter, addressLimit } from './addresses.ts'

const request = (forwardedFor?: string) =>
  new Request('http://localhost/v1/pets', { headers: forwardedFor ? { 'X-Forwarded-For': forwardedFor } : {} })

function networksBehind(peer: string, ...trusted: string[]) {
  const networks = new ClientNetworks(trusted.map((text) => parseNetwork(text) ?? expect.unreachable(text)))
  const source = { requestIP: () => ({ address: peer }) }
  return (forwardedFor?: string) => networks.of(request(forwardedFor), source)
}

test('an address gets 600 requests without a valid key in 60 seconds, and sleeping until Reset admits it', () => {
  const clock = createManualClock(Date.UTC(2026, 10, 20))
  const limiter = new AddressLimiter(clock)
  for (let left = addressLimit - 1; left >= 0; left--) {
    expect(limiter.admit('192.0.2.1')).toBe(true)
    expect(limiter.status.remaining).toBe(left)
  }
  expect(limiter.admit('192.0.2.1')).toBe(false)
  expect(limiter.admit('192.0.2.2')).toBe(true)
  expect(limiter.admit('192.0.2.1')).toBe(false)
  const { reset, retryAfterSeconds } = limiter.status
  expect(retryAfterSeconds).toBe(61)
  clock.advance(reset * 1000 - clock.now())
  expect(limiter.admit('192.0.2.1')).toBe(true)
})

test('a hundred thousand addresses use no more memory than a full table does', () => {
  const limiter = new AddressLimiter(createManualClock(0))
  const flood = (from: number) => {
    for (let i = 0; i < 100_000; i++) limiter.admit(`2001:db8:${from}:${i.toString(16)}`)
    Bun.gc(true)
    return process.memoryUsage.rss()
  }
  flood(0)
  const before = flood(1)
  for (let round = 2; round < 6; round++) flood(round)
  // Without a maximum they use 176 MiB. On a busy machine the allocator alone has differed by 10.
  expect(flood(6) - before).toBeLessThan(64 * 1024 * 1024)
})

test('IPv6 addresses are counted by /64, and IPv4-mapped ones as IPv4 addresses', () => {
  expect(networksBehind('2001:db8:1:2:3:4:5:6')()).toBe(networksBehind('2001:db8:1:2::1')())
  expect(networksBehind('2001:db8:1:2::1')()).not.toBe(networksBehind('2001:db8:1:3::1')())
  expect(networksBehind('::ffff:192.0.2.7')()).toBe('192.0.2.7')
})

test('X-Forwarded-For is read only from trusted proxies, and only as far as they have written it', () => {
  expect(networksBehind('192.0.2.1')('198.51.100.7')).toBe('192.0.2.1')
  const behindProxy = networksBehind('10.0.0.1', '10.0.0.0/8', 'fd00::/8')
  expect(behindProxy()).toBe('10.0.0.1')
  expect(behindProxy('198.51.100.7')).toBe('198.51.100.7')
  expect(behindProxy('203.0.113.9, 198.51.100.7, 10.2.3.4')).toBe('198.51.100.7')
  expect(behindProxy('198.51.100.7, nonsense')).toBe('10.0.0.1')
  expect(behindProxy('198.51.100.7, fd00::5')).toBe('198.51.100.7')
})

test('an address in X-Forwarded-For may carry a port and brackets', () => {
  const behindProxy = networksBehind('10.0.0.1', '10.0.0.0/8', 'fd00::/8')
  expect(behindProxy('198.51.100.7:5678')).toBe('198.51.100.7')
  expect(behindProxy('203.0.113.9, 198.51.100.7:5678, 10.2.3.4:80')).toBe('198.51.100.7')
  const client = networksBehind('2001:db8::1')()
  for (const spelling of ['2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:443', '[2001:DB8::1]:443, [fd00::5]:80']) {
    expect(behindProxy(spelling)).toBe(client)
  }
  expect(behindProxy('[::ffff:198.51.100.7]:443')).toBe('198.51.100.7')
})

test('spaces and empty elements in X-Forwarded-For are ignored', () => {
  const behindProxy = networksBehind('10.0.0.1', '10.0.0.0/8')
  for (const list of [' 198.51.100.7 ', '198.51.100.7,', '198.51.100.7 , ,\t,10.2.3.4,', ',,198.51.100.7']) {
    expect(behindProxy(list)).toBe('198.51.100.7')
  }
  expect(behindProxy(' , ,')).toBe('10.0.0.1')
})

test('an element of X-Forwarded-For that is not an address ends the list', () => {
  const behindProxy = networksBehind('10.0.0.1', '10.0.0.0/8')
  const odd = ['unknown', '_hidden', '7', '0x7f000001', '010.0.0.1', '1.2.3', '198.51.100.7:', '198.51.100.7:x']
  odd.push('198.51.100.7:123456', '[198.51.100.7]', '[2001:db8::1', '2001:db8::1]', '[2001:db8::1]443', '::g')
  odd.push('198.51.100.7 5678', 'undefined', 'null', '"198.51.100.7"', '1'.repeat(10_000))
  for (const element of odd) expect([element, behindProxy(`203.0.113.9, ${element}`)]).toEqual([element, '10.0.0.1'])
})

test('a network of trusted proxies must be a full address or a CIDR block', () => {
  expect(parseNetwork('10.0.0.0/8')?.[1]).toBe(8)
  expect(parseNetwork('fd00::/8')?.[1]).toBe(8)
  expect(parseNetwork('192.0.2.1')?.[1]).toBe(32)
  for (const text of ['10/8', '10', '10.0.0.0/33', '10.0.0.0/', '/8', '192.0.2.1:80']) {
    expect(parseNetwork(text)).toBeUndefined()
  }
})

test('without a valid key the headers describe the address, and the 601st request is rejected', async () => {
  const store = await openTestStore()
  const first = await store.call('GET', '/v1/pets', { key: null })
  expect(first.headers.get('x-ratelimit-limit')).toBe('600')
  expect(first.headers.get('x-ratelimit-remaining')).toBe('599')
  expect(first.headers.get('ratelimit')).toBe('"address";r=599;t=61')
  for (let i = 0; i < 599; i++) await store.call('GET', '/v1/pets', { key: 'pet_live_wrong' })
  const rejected = await store.call('GET', '/v1/pets', { key: null })
  expect(rejected.json).toMatchObject({ code: 'rate_limit_exceeded', status: 429 })
  expect(rejected.headers.get('retry-after')).toBe('61')
  expect((await store.call('GET', '/v1/pets')).status).toBe(200)
  await store.close()
})
