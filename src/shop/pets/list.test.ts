import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createStores } from '../../app/stores.ts'
import { openDatabase } from '../../database/open.ts'
import { emptyProfile } from '../profiles/store.ts'
import { petStatuses } from './rules.ts'

const status = fc.constantFrom(...petStatuses)
const categoryId = fc.integer({ min: 1, max: 3 })
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 45 }), { minLength: 1, maxLength: 20 }).map((list) => list.join())

test('a page of animals, and one with their profiles, has the first of its range that match the filter, in its order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ status, categoryId }), { maxLength: 40 }),
      fc.record({ status, categoryId, ids }, { requiredKeys: [] }),
      fc.record({ order: fc.constantFrom('asc', 'desc'), above: fc.nat(10), below: fc.integer({ min: 10, max: 50 }) }),
      fc.integer({ min: 1, max: 10 }),
      (added, filter, range, limit) => {
        const database = openDatabase(':memory:', 0)
        const { pets, profiles } = createStores(database)
        const all = added.map((pet) => pets.add({ name: 'Ada', ...pet }))
        for (const { id } of all.filter(({ id }) => id % 2 === 0)) profiles.add(emptyProfile(id))
        const ids = filter.ids?.split(',').map(Number)
        const matches = all.filter(
          (pet) =>
            pet.id > range.above &&
            pet.id < range.below &&
            (ids === undefined || ids.includes(pet.id)) &&
            (filter.status === undefined || pet.status === filter.status) &&
            (filter.categoryId === undefined || pet.categoryId === filter.categoryId),
        )
        const inOrder = range.order === 'asc' ? matches : matches.reverse()
        expect(pets.page(filter, range, limit).records).toEqual(inOrder.slice(0, limit))
        expect(profiles.page(filter, range, limit).records.map(({ pet }) => pet)).toEqual(inOrder.slice(0, limit))
        database.close()
      },
    ),
    { numRuns: 60 },
  )
})
