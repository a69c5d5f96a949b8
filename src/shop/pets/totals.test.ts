import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { openDatabase } from '../../database/open.ts'
import { type PetStatus, petStatuses } from './rules.ts'
import { createPetStore } from './store.ts'
import type { PetRow } from './table.ts'

const status = fc.constantFrom(...petStatuses)
const categoryId = fc.constantFrom(1, 2, 7, 4_711, Number.MAX_SAFE_INTEGER)
const which = fc.nat(30)
const change = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), status, categoryId }),
  fc.record({ kind: fc.constant('change' as const), which, status, categoryId }),
  fc.record({ kind: fc.constant('remove' as const), which }),
  fc.record({ kind: fc.constant('put back' as const), which }),
)

test('all counts are right after any additions, changes, removals and restorations', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60, size: 'max' }), fc.integer({ min: 1, max: 4 }), (changes, limit) => {
      const { connection, tables, close } = openDatabase(':memory:', 0)
      const store = createPetStore(tables, connection)
      const animals = new Map<number, PetRow>()
      const removed: PetRow[] = []
      const nth = (n: number) => [...animals.values()][n % Math.max(1, animals.size)]
      for (const one of changes) {
        if (one.kind === 'add') {
          const pet = store.add({ name: 'Ada', categoryId: one.categoryId, status: one.status })
          animals.set(pet.id, pet)
        } else if (one.kind === 'put back') {
          const [pet] = removed.splice(one.which % Math.max(1, removed.length), 1)
          if (!pet) continue
          store.putBack(pet)
          animals.set(pet.id, pet)
        } else {
          const before = nth(one.which)
          if (!before) continue
          if (one.kind === 'remove') {
            store.remove(before)
            animals.delete(before.id)
            removed.push(before)
          } else {
            const after = { ...before, status: one.status, categoryId: one.categoryId }
            store.update(before, after)
            animals.set(after.id, after)
          }
        }
      }
      const all = [...animals.values()]
      const countOf = (wanted: PetStatus) => all.filter((pet) => pet.status === wanted).length
      expect(store.inventory()).toEqual({
        available: countOf('available'),
        pending: countOf('pending'),
        sold: countOf('sold'),
      })
      const ids = [...new Set(all.map((pet) => pet.categoryId))].sort((a, b) => a - b)
      expect(store.categoriesInUse(0, limit)).toEqual(ids.slice(0, limit))
      expect(store.categoriesInUse(2, limit)).toEqual(ids.filter((id) => id > 2).slice(0, limit))
      expect(store.highestCategoryId(Number.MAX_SAFE_INTEGER)).toBe(ids.at(-1) ?? 0)
      expect(store.highestCategoryId(7)).toBe(ids.findLast((id) => id <= 7) ?? 0)
      for (const categoryId of [undefined, 1, 7]) {
        for (const status of [undefined, ...petStatuses]) {
          const isMatch = (pet: PetRow) =>
            (categoryId === undefined || pet.categoryId === categoryId) &&
            (status === undefined || pet.status === status)
          expect(store.count({ categoryId, status })).toBe(all.filter(isMatch).length)
        }
      }
      for (const id of [1, 2, 3, 7, 4_711]) {
        expect(store.countInCategory(id)).toBe(all.filter((pet) => pet.categoryId === id).length)
      }
      close()
    }),
    { numRuns: 20 },
  )
})
