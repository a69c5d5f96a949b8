import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import { storedName } from '../../pets/rules.ts'
import { NewPet } from '../../pets/schemas.ts'
import { isInvalid, readRow } from './rows.ts'

const faultOf = (fields: object) => {
  const read = readRow(fields)
  return isInvalid(read) ? read.faults.join('; ') : undefined
}

test('a name and an id are accepted exactly if the API accepts them', () => {
  const candidates = fc.record({
    name: fc.oneof(fc.string({ unit: 'binary', maxLength: 110 }), fc.constantFrom(' ', 'a'.repeat(101), 7)),
    categoryId: fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double(), fc.constantFrom(2 ** 53, true, 0)),
  })
  fc.assert(
    fc.property(candidates, (candidate) => {
      const read = readRow(candidate)
      expect(isInvalid(read)).toBe(!Value.Check(NewPet, candidate))
      if (!isInvalid(read)) {
        const { name, categoryId } = candidate
        expect(read).toEqual({
          name: storedName(String(name)),
          category: { name: undefined, id: Number(categoryId) },
          status: undefined,
        })
      }
    }),
    { numRuns: 1_000 },
  )
})

test('a blank status is none, and another word than those of the store is a fault', () => {
  const statusOf = (status: unknown) => readRow({ name: 'Rex', categoryId: 1, status })
  for (const blank of ['', '  ', null, undefined]) expect(statusOf(blank)).toMatchObject({ status: undefined })
  expect(statusOf('sold')).toMatchObject({ status: 'sold' })
  expect(statusOf('gone')).toEqual({ faults: ['status must be one of available, pending, sold, not "gone"'] })
  expect(statusOf(3)).toEqual({ faults: ['status must be one of available, pending, sold, not 3'] })
})

test('an id in text is plain digits up to 2^53-1', () => {
  const categoryOf = (categoryId: string) => readRow({ name: 'Rex', categoryId })
  expect(categoryOf(' 007 ')).toMatchObject({ category: { id: 7 } })
  expect(categoryOf('9007199254740991')).toMatchObject({ category: { id: 9_007_199_254_740_991 } })
  for (const wrong of ['9007199254740992', '0', '-1', '1.0', '1e3', '0x1', '12345678901234567890']) {
    expect(categoryOf(wrong)).toEqual({
      faults: [`categoryId must be an integer from 1 to 9007199254740991, not "${wrong}"`],
    })
  }
})

test('a category has a name, an id or both, and an invalid id beside a name is ignored', () => {
  const categoryOf = (fields: object) => {
    const read = readRow({ name: 'Rex', ...fields })
    return isInvalid(read) ? read.faults : read.category
  }
  expect(categoryOf({ category: ' Dog ', categoryId: 'nonsense' })).toEqual({ name: 'Dog', id: undefined })
  expect(categoryOf({ category: ' Dog ', categoryId: ' 7 ' })).toEqual({ name: 'Dog', id: 7 })
  expect(categoryOf({ category: ' ', categoryId: '4' })).toEqual({ name: undefined, id: 4 })
  expect(categoryOf({ category: null, categoryId: 4 })).toEqual({ name: undefined, id: 4 })
  expect(faultOf({ name: 'Rex', category: '', categoryId: '' })).toBe('category is blank')
})

test('a category has 1 to 64 code points in NFC', () => {
  expect(readRow({ name: 'Rex', category: 'E\u0301cureuil' })).toMatchObject({ category: { name: '\u00c9cureuil' } })
  expect(readRow({ name: 'Rex', category: 'E\u0301'.repeat(64) })).not.toHaveProperty('faults')
  // 64 characters of which NFC makes 128.
  expect(faultOf({ name: 'Rex', category: '\u0958'.repeat(64) })).toBe('category must have at most 64 characters')
  expect(faultOf({ name: 'Rex', category: 'x'.repeat(65) })).toBe('category must have at most 64 characters')
  expect(faultOf({ name: 'Rex', category: 3 })).toBe('category must be a string; an id is called categoryId')
})

test('all faults of a row are reported together', () => {
  expect(faultOf({ name: '', category: 'a\u0000b', status: 'x' })).toBe(
    'name is blank; category must not contain control characters or broken Unicode; status must be one of available, pending, sold, not "x"',
  )
})

test('a value in a fault is cut to fit in a line', () => {
  const fault = faultOf({ name: 'Rex', categoryId: 1, status: '\u{1F436}'.repeat(10_000) }) ?? ''
  expect(fault.length).toBeLessThan(100)
  expect(fault.isWellFormed()).toBe(true)
})

test('a list or an object in a fault is named and not shown, however deep it is', () => {
  const deep = (open: string, close: string) => JSON.parse(`${open.repeat(100_000)}1${close.repeat(100_000)}`)
  expect(faultOf({ name: 'Rex', categoryId: deep('{"a":', '}'), status: deep('[', ']') })).toBe(
    'categoryId must be an integer from 1 to 9007199254740991, not an object; status must be one of available, pending, sold, not a list',
  )
})
