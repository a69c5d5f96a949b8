import { expect, test } from 'bun:test'
import { isAlready, undoSteps } from './bulk-change.ts'
import type { Pet } from './filters.ts'

const pet = (id: number, status: Pet['status'], categoryId = 1): Pet => ({ id, name: `Pet ${id}`, status, categoryId })

test('an animal is left out of a change only if it is already as the change makes it', () => {
  expect(isAlready(pet(1, 'sold'), { status: 'sold' })).toBe(true)
  expect(isAlready(pet(1, 'pending'), { status: 'sold' })).toBe(false)
  expect(isAlready(pet(1, 'sold', 2), { categoryId: 2 })).toBe(true)
  expect(isAlready(pet(1, 'sold', 2), { categoryId: 3 })).toBe(false)
})

test('undoing gives each animal the status that it had, and sold ones become available before they become pending', () => {
  const before = [pet(1, 'available'), pet(2, 'pending'), pet(3, 'available')]
  expect(undoSteps(before, { status: 'sold' })).toEqual([
    { ids: [1, 3], change: { status: 'available' } },
    { ids: [2], change: { status: 'available' } },
    { ids: [2], change: { status: 'pending' } },
  ])
})

test('undoing gives each animal the category that it had', () => {
  expect(undoSteps([pet(1, 'sold', 4), pet(2, 'sold', 5), pet(3, 'sold', 4)], { categoryId: 9 })).toEqual([
    { ids: [1, 3], change: { categoryId: 4 } },
    { ids: [2], change: { categoryId: 5 } },
  ])
})
