import { expect, test } from 'bun:test'
import { formatMoment, formatNumber } from '../ui/format.ts'
import { actionWords, detailWords } from './audit-words.ts'
import { unicodeName } from './unicode-name.ts'

test('times, scopes and encoded names are shown as people write them', () => {
  const expiresAt = '2026-12-21T21:03:01.258Z'
  const details = { expiresAt, scopes: ['pets:read', 'orders:write'], hostname: 'www.xn--5o8h.example' }
  expect(detailWords(details)).toBe(
    `expires: ${formatMoment(expiresAt)}, permissions: see animals and categories, place and cancel orders of its account, domain: www.🐱.example (www.xn--5o8h.example)`,
  )
  expect(detailWords({ expiresAt: null, perMinute: 60, changedBy: null })).toBe(
    'expires: never, requests a minute: 60, changed by: none',
  )
  expect(detailWords({ projectId: 12345, fileCount: 12345 })).toBe(`project: 12345, files: ${formatNumber(12345)}`)
  const usual = ['pets:read', 'pets:write', 'orders:read', 'orders:write', 'projects:read', 'projects:write']
  expect(detailWords({ scopes: [...usual, 'admin'] })).toBe('permissions: everything that you can do')
  expect(detailWords({ name: 'Till', scopes: usual })).toBe(
    'name: Till, permissions: change animals, place orders and publish websites',
  )
})

test('changes of animals are shown as what was done, with what was there before', () => {
  const sold = { petId: 1234, name: 'Ada', status: 'sold', previous: { status: 'available' } }
  expect(actionWords('pet.changed', sold)).toBe('Marked as sold')
  expect(detailWords(sold)).toBe('number: 1234, name: Ada, status: sold, status before: available')
  expect(actionWords('pet.changed', { ...sold, previous: { name: 'Bea' } })).toBe('Animal renamed')
  expect(actionWords('pet.changed', { ...sold, previous: { categoryId: 2 } })).toBe('Animal changed')
  const several = { petIds: [1234, 5], status: 'available' }
  expect([actionWords('pet.changed', several), detailWords(several)]).toEqual([
    'Marked as available',
    'numbers: 1234, 5, status: available',
  ])
  expect(actionWords('pet.changed', { petIds: [1], categoryId: 2 })).toBe('Animal changed')
})

test('encoded labels are decoded, and what encodes nothing stays as it is', () => {
  for (const [name, text] of [
    ['xn--mnchen-3ya.example', 'münchen.example'],
    ['shop.xn--fiqs8s', 'shop.中国'],
    ['xn--80ak6aa92e.com', 'аррӏе.com'],
    ['plain.example', 'plain.example'],
    ['xn--.example', 'xn--.example'],
    ['xn--99999999.example', 'xn--99999999.example'],
    ['xn--a_b.example', 'xn--a_b.example'],
  ] as const) {
    expect([name, unicodeName(name)]).toEqual([name, text])
  }
})
