import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import Ajv2020 from 'ajv/dist/2020'
import fc from 'fast-check'
import { nameFault, storedName } from './rules.ts'
import { NewPet, Pet } from './schemas.ts'

const ajv = new Ajv2020({ strict: false })
ajv.addFormat('int64', true)
const newPetSchema = ajv.compile(JSON.parse(JSON.stringify(NewPet)))
const petSchema = ajv.compile(JSON.parse(JSON.stringify(Pet)))

/** Text with control characters, lone surrogates, white space and astral characters. */
const awkward = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: fc.constantFrom(' ', '\u00a0', '\ufeff', '\u2028', 'a', '\u{1F436}', '\u0301'), maxLength: 110 }),
  fc.string({ unit: fc.constantFrom('\ud800', '\udc00', 'a', '\u0000', '\u007f', '\u0085'), maxLength: 5 }),
  fc.integer({ min: 95, max: 105 }).map((length) => '\u{1F436}'.repeat(length)),
)

const candidates = fc.record(
  {
    name: fc.oneof(awkward, fc.jsonValue()),
    categoryId: fc.oneof(
      fc.integer(),
      fc.maxSafeInteger(),
      fc.double(),
      fc.constantFrom(2 ** 53, '1', null, true, 1e300),
    ),
    status: fc.oneof(fc.constantFrom('available', 'pending', 'sold', 'Sold', ''), fc.jsonValue()),
    extra: fc.jsonValue(),
  },
  { requiredKeys: [] },
)

test('a new animal is rejected exactly if its JSON Schema rejects it or its name has a lone surrogate', () => {
  fc.assert(
    fc.property(
      fc.oneof({ arbitrary: candidates, weight: 9 }, { arbitrary: fc.jsonValue(), weight: 1 }),
      (candidate) => {
        const { name } = (candidate ?? {}) as { name?: unknown }
        // JSON Schema has no words for the length in NFC.
        fc.pre(typeof name !== 'string' || [...storedName(name)].length <= 100)
        const isText = typeof name !== 'string' || name.isWellFormed()
        expect(Value.Check(NewPet, candidate)).toBe(newPetSchema(candidate) && isText)
      },
    ),
    { numRuns: 3_000 },
  )
})

test('a name that is too long in NFC is rejected', () => {
  // Each is stored as two characters.
  expect(nameFault('\u0958'.repeat(50))).toBeUndefined()
  expect(nameFault(storedName('\u0958'.repeat(50)))).toBeUndefined()
  expect(nameFault('\u0958'.repeat(51))).toBe(
    "must have at most 100 characters in Unicode's canonical composition (NFC)",
  )
})

test('the stored form of any accepted name matches the schema of the response', () => {
  fc.assert(
    fc.property(awkward, (name) => {
      fc.pre(nameFault(name) === undefined)
      const stored = storedName(name)
      expect(nameFault(stored)).toBeUndefined()
      expect(petSchema({ id: 1, name: stored, categoryId: 1, status: 'sold' })).toBe(true)
      expect(storedName(stored)).toBe(stored)
    }),
    { numRuns: 1_000 },
  )
})
