import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isSlug, reservedSlugs, slugsFor } from './slug.ts'

const noSuffix = () => 'x'
const firstSlugOf = (name: string) => slugsFor(name, noSuffix).next().value

test.each([
  ['Paws & Co.', 'paws-co'],
  ['  Chuy’s   Hundesalon  ', 'chuys-hundesalon'],
  ['Größe Ærø Łódź İstanbul', 'grosse-aero-lodz-istanbul'],
  ['Зоомагазин Ёжик', 'zoomagazin-ezhik'],
  ['Ψάρια', 'psaria'],
  ['ＦＩＳＨ ℌ½', 'fish-h1-2'],
  ['猫', 'project'],
  ['---', 'project'],
  ['42', '42'],
  ['xn--80ak6aa92e', 'xn-80ak6aa92e'],
  ['ab--cd', 'ab-cd'],
  ['api', 'api-2'],
  ['WWW', 'www-2'],
  ['MTA-STS', 'mta-sts-2'],
  ['a'.repeat(100), 'a'.repeat(40)],
  [`${'cat '.repeat(25)}`, 'cat-cat-cat-cat-cat-cat-cat-cat-cat-cat'],
])('the slug of %p is %p', (name, slug) => {
  expect(firstSlugOf(name)).toBe(slug)
})

test('a slug that is taken gets a number, then a random suffix', () => {
  const suffixes = ['3f', '9c'].values()
  const slugs = slugsFor('Paws', () => suffixes.next().value ?? '')
  const found = Array.from({ length: 11 }, () => slugs.next().value)
  expect(found).toEqual(['paws', ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `paws-${n}`), 'paws-3f', 'paws-9c'])
})

test('every slug of 10,000 names is a DNS label in lower case, neither reserved nor an encoded label', () => {
  const hostile = fc.constantFrom(
    'xn--',
    '--',
    '-',
    '.',
    ' ',
    'ß',
    'ﬃ',
    '\u0301',
    '😀',
    'İ',
    '٣',
    'api',
    '\u0000',
    '㎏',
  )
  const names = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 120 }),
    fc.string({ unit: 'grapheme', maxLength: 120 }),
    fc.string({ maxLength: 10 }),
    fc.constantFrom(...reservedSlugs),
    fc.array(fc.oneof(hostile, fc.string({ maxLength: 4 })), { maxLength: 20 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(names, (name) => {
      const slugs = slugsFor(name, () => 'z'.repeat(20))
      for (let i = 0; i < 11; i++) {
        const slug = slugs.next().value
        expect(slug).toMatch(/^(?!..--)(?!-)[a-z0-9-]{1,63}(?<!-)$/)
        expect([isSlug(slug), reservedSlugs.has(slug)]).toEqual([true, false])
      }
    }),
    { numRuns: 1_000 },
  )
})

test('a text that is no DNS label, is reserved, or has hyphens in the third and fourth place is no slug', () => {
  const wrong = ['', '-a', 'a-', 'a.b', 'A', 'ä', 'a_b', 'a'.repeat(64), 'xn--a', 'ab--c', 'a\n', ...reservedSlugs]
  expect(wrong.filter(isSlug)).toEqual([])
  expect(['a', '1', 'a-b', 'a--b', 'a'.repeat(63)].filter((text) => !isSlug(text))).toEqual([])
})

test('each reserved label would be a slug otherwise, and those that the reference names are among them', () => {
  expect([...reservedSlugs].filter((label) => !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label))).toEqual([])
  const named = 'api edge www admin mail wpad autodiscover autoconfig mta-sts localhost'.split(' ')
  expect(named.filter((label) => !reservedSlugs.has(label))).toEqual([])
})
