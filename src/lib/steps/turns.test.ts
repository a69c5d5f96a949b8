import { expect, test } from 'bun:test'
import { createTurns } from './turns.ts'

test('of all steps one runs in each turn of the event loop, in the order in which they were requested', async () => {
  const turns = createTurns()
  const done: string[] = []
  const step = (name: string) => turns(() => done.push(name))
  const steps = [step('a'), step('b'), step('c')]
  const perTurn: number[] = []
  for (let i = 0; i < 4; i++) {
    const before = done.length
    await new Promise((resolve) => setImmediate(resolve))
    perTurn.push(done.length - before)
  }
  await Promise.all(steps)
  expect(done).toEqual(['a', 'b', 'c'])
  expect(Math.max(...perTurn)).toBe(1)
})

test('a step resolves to its result, and one that throws does not affect the next', async () => {
  const turns = createTurns()
  const failing = turns(() => {
    throw new Error('out of order')
  }).catch((error: Error) => error.message)
  expect(await turns(() => 7)).toBe(7)
  expect(await failing).toBe('out of order')
  const nested = turns(() => turns(() => 'inner'))
  expect(await nested).toBe('inner')
})
