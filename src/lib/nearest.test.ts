import { expect, test } from 'bun:test'
import { nearest } from './nearest.ts'

const names = ['port', 'host', 'data', 'base-url', 'cors-origin', 'keys list', 'keys create', 'backup create']

test('a mistyped name is found by one or two changed, missing, doubled or swapped characters', () => {
  expect(
    ['prot', 'pot', 'portt', 'post', 'bas-url', 'cors-orgin', 'keys lst'].map((one) => nearest(one, names)),
  ).toEqual(['port', 'port', 'port', 'port', 'base-url', 'cors-origin', 'keys list'])
})

test('a name is found by its beginning if no other name begins so', () => {
  expect(nearest('cors', names)).toBe('cors-origin')
  expect(nearest('keys', names)).toBeUndefined()
})

test('for a text that resembles no name, nothing is suggested', () => {
  expect(['', 'x', 'zebra', 'completely-different', 'p'.repeat(100_000)].map((one) => nearest(one, names))).toEqual(
    Array(5).fill(undefined),
  )
  expect([nearest('x', ['q']), nearest('Q', ['q', 'ids'])]).toEqual([undefined, undefined])
})
