import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createStores } from '../../app/stores.ts'
import { openDatabase } from '../../database/open.ts'
import { petStatuses } from './rules.ts'

const status = fc.constantFrom(...petStatuses)
const categoryId = fc.integer({ min: 1, max: 3 })

test('a page has the first animals of its range that match the filter, in its order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ status, categoryId }), { maxLength: 40 }),
      fc.record({ status, categoryId }, { requiredKeys: [] }),
      fc.record({ order: fc.constantFrom('asc', 'desc'), above: fc.nat(10), below: fc.integer({ min: 10, max: 50 }) }),
      fc.integer({ min: 1, max: 10 }),
      (added, filter, range, limit) => {
        const database = openDatabase(':memory:', 0)
        const { pets } = createStores(database)
        const all = added.map((pet) => pets.add({ name: 'Ada', ...pet }))
        const matches = all.filter(
          (pet) =>
            pet.id > range.above &&
            pet.id < range.below &&
            (filter.status === undefined || pet.status === filter.status) &&
            (filter.categoryId === undefined || pet.categoryId === filter.categoryId),
        )
        const inOrder = range.order === 'asc' ? matches : matches.reverse()
        expect(pets.page(filter, range, limit).records).toEqual(inOrder.slice(0, limit))
        database.close()
      },
    ),
    { numRuns: 30 },
  )
})
