import { expect, test } from 'bun:test'
import { createShown, pageSize } from './shown.ts'

const animal = (id: number, values: object = {}) => ({
  id,
  name: `Animal ${id}`,
  categoryId: 1,
  sex: null,
  price: null,
  ...values,
})

test('a list is filtered, sorted and divided into pages', () => {
  const shown = createShown([
    animal(9, { price: 500, sex: 'female' }),
    animal(7, { categoryId: 2, sex: 'female' }),
    animal(5, { price: 0, sex: 'male' }),
    animal(3, { sex: 'female' }),
    animal(2, { price: 80, categoryId: 2 }),
  ])
  const page = (query: object) => shown.page({ sort: 'newest', page: 1, ...query })
  expect(page({})).toEqual({ ids: [9, 7, 5, 3, 2], found: 5 })
  expect(page({ sort: 'price' })?.ids).toEqual([5, 2, 9, 7, 3])
  expect(page({ sex: 'female', category: 1 })).toEqual({ ids: [9, 3], found: 2 })
  expect(page({ sex: 'male', category: 2 })).toEqual({ ids: [], found: 0 })
  expect(page({ category: 3 })).toBeUndefined()
  expect([...shown.counts]).toEqual([
    [1, 3],
    [2, 2],
  ])
  expect([shown.has(7), shown.has(8)]).toEqual([true, false])
  const many = createShown(Array.from({ length: 2 * pageSize + 1 }, (_, i) => animal(100 - i)))
  const lengths = [1, 2, 3, 4].map((number) => many.page({ sort: 'newest', page: number })?.ids.length)
  expect(lengths).toEqual([pageSize, pageSize, 1, undefined])
})
