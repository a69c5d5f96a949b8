import { expect, test } from 'bun:test'
import { codingOf } from './content-coding.ts'

const choose = (header: string | undefined, available = {}) =>
  codingOf(
    new Request('http://a.example/', { headers: header === undefined ? {} : { 'accept-encoding': header } }),
    available,
  )

test('the coding with the highest weight is chosen, and the smallest one of equal weights', () => {
  const both = { br: 1, gzip: 1 }
  for (const [header, coding] of [
    ['gzip, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0.1,gzip;q=0.9', 'gzip'],
    ['BR ; Q=0.5, gzip;q=0.5', 'br'],
    ['gzip;q=0.5, identity;q=1', 'identity'],
    ['gzip;q=0.5, identity;q=0.4', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0.5, gzip;q=0.6', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['*;q=0', 'identity'],
    ['identity;q=0', 'identity'],
    ['br;q=high, deflate', 'identity'],
    ['', 'identity'],
    [undefined, 'identity'],
  ] as const) {
    expect([header, choose(header, both)]).toEqual([header, coding])
  }
  expect(choose('br, gzip;q=0.1', { gzip: 1 })).toBe('gzip')
  expect(choose('gzip;q=0.5, *', { gzip: 1 })).toBe('identity')
  expect(choose('br, gzip')).toBe('identity')
})
