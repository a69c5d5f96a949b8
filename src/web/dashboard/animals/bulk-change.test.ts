import { expect, test } from 'bun:test'
import { isAlready, undoSteps } from './bulk-change.ts'
import type { Animal } from './filters.ts'

const profile = { number: null, breed: null, price: null, currency: null, published: true, photo: undefined }

const pet = (id: number, status: Animal['status'], categoryId = 1): Animal => {
  return { id, name: `Pet ${id}`, status, categoryId, ...profile }
}

test('an animal is left out of a change only if it is already as the change makes it', () => {
  expect(isAlready(pet(1, 'sold'), { status: 'sold' })).toBe(true)
  expect(isAlready(pet(1, 'pending'), { status: 'sold' })).toBe(false)
  expect(isAlready(pet(1, 'sold', 2), { categoryId: 2 })).toBe(true)
  expect(isAlready(pet(1, 'sold', 2), { categoryId: 3 })).toBe(false)
  expect(isAlready(pet(1, 'sold'), { published: true })).toBe(true)
})

test('undoing gives each animal the status that it had, and sold ones become available before they become pending', () => {
  const before = [pet(1, 'available'), pet(2, 'pending'), pet(3, 'available')]
  expect(undoSteps(before, { status: 'sold' })).toEqual([
    { ids: [1, 3], change: { status: 'available' } },
    { ids: [2], change: { status: 'available' } },
    { ids: [2], change: { status: 'pending' } },
  ])
})

test('undoing gives each animal the category that it had, and whether it was published', () => {
  expect(undoSteps([pet(1, 'sold', 4), pet(2, 'sold', 5), pet(3, 'sold', 4)], { categoryId: 9 })).toEqual([
    { ids: [1, 3], change: { categoryId: 4 } },
    { ids: [2], change: { categoryId: 5 } },
  ])
  expect(undoSteps([{ ...pet(1, 'sold'), published: false }], { published: true })).toEqual([
    { ids: [1], change: { published: false } },
  ])
})
