import { expect, test } from 'bun:test'
import { isEmptyCell, knownStatus, parseCategories, parseStatuses, statusOf } from './words.ts'

test('words for a status are known in seven languages, with any case, accents and separators', () => {
  const meanings = {
    available:
      'Available|In Stock|for sale|verfügbar|zu vermitteln|disponible|à adopter|en venta|disponibile|dostępny|te koop',
    pending: 'PENDING|On hold|Adoption Pending|reserviert|réservée|reservado|prenotato|zarezerwowana|gereserveerd',
    sold: 'Sold out|Return_to_owner|Adopted Offsite(Altered)|Transfer Out|verkauft|vendue|vendido|venduta|sprzedany|verkocht',
    dead: 'Euthanasia|DOA|Died in care|eingeschläfert|décédé|fallecido|deceduto|uśpiony|overleden',
  }
  for (const [meaning, words] of Object.entries(meanings)) {
    for (const word of words.split('|')) expect(`${word}: ${knownStatus(word)}`).toBe(`${word}: ${meaning}`)
  }
  for (const word of ['OR', 'Ohio', 'Stray', 'Unresolved File', 'unavailable', '']) {
    expect(knownStatus(word)).toBeUndefined()
  }
})

test('a word stands for what the owner says, else for a known status; of animals that died the owner has to say it', () => {
  const given = parseStatuses(['Adopt\u00e9=available, On hold, or away = pending', 'Died='])
  expect(statusOf(' ADOPTE\u0301 ', 'Status', given)).toBe('available')
  expect(statusOf('on hold, or away', 'Status', given)).toBe('pending')
  expect(statusOf('sold', 'Status', given)).toBe('sold')
  expect(statusOf('died', 'Status', given)).toBeNull()
  expect(statusOf('DOA', 'Status', given)).toBeUndefined()
  expect(statusOf('gone', 'Status', parseStatuses(['*=sold']))).toBe('sold')
  expect(statusOf('available', 'Status', parseStatuses(['*=sold']))).toBe('available')
})

test('an answer is a status in a column that asks for one', () => {
  const none = parseStatuses([])
  expect([statusOf('yes', 'Adopted', none), statusOf('Nein', 'Vermittelt?', none)]).toEqual(['sold', 'available'])
  expect([statusOf('1', 'In stock?', none), statusOf('0', 'In stock?', none)]).toEqual(['available', 'sold'])
  expect(statusOf('Y', 'Reserved', none)).toBe('pending')
  expect(statusOf('yes', 'Status', none)).toBeUndefined()
})

test('an invalid mapping of a word is an error that shows it', () => {
  for (const [mapping, message] of [
    ['gone', '"gone" must be a word of the file with one of =available, =pending, =sold.'],
    ['a=sold,gone=away', '"gone=away" must be'],
    ['a=sold,gone', '"gone" must be'],
    ['=sold', '"=sold" must be'],
    ['Gone=sold,gone=pending', '"gone" is mapped twice.'],
  ] as const) {
    expect(() => parseStatuses([mapping])).toThrow(`statuses: ${message}`)
  }
  expect(parseStatuses(['a=b=sold,,']).get('a=b')).toBe('sold')
  expect(() => parseCategories(['Kitten'])).toThrow('categories: "Kitten" must be a word of the file with')
  expect([...parseCategories(['Kitten= Cat ,Unknown='])]).toEqual([
    ['kitten', 'Cat'],
    ['unknown', null],
  ])
})

test('cells in which programs write that there is no value are empty, and a name such as Na is not', () => {
  for (const cell of ['', ' NA ', 'NA', 'N/A', 'n/a', 'NULL', '-']) expect(isEmptyCell(cell)).toBe(true)
  for (const cell of ['Na', 'Nana', '--rex', '0']) expect(isEmptyCell(cell)).toBe(false)
})
