import { expect, test } from 'bun:test'
import { createSlots, type Slots } from './slots.ts'

const { signal } = new AbortController()

/** The names of those that have a slot, in the order in which they got it. */
function observe(slots: Slots<string>) {
  const started: string[] = []
  const give = new Map<string, () => void>()
  return {
    started,
    async ask(name: string, group: string, isDeferred = false, by = signal): Promise<void> {
      void slots.wait(group, by, isDeferred).then(
        (giveBack) => {
          started.push(name)
          give.set(name, giveBack)
        },
        () => started.push(`${name} gave up`),
      )
      await Promise.resolve()
    },
    async end(name: string): Promise<void> {
      give.get(name)?.()
      await Promise.resolve()
    },
  }
}

test('only a number of a group run at once, and the others wait until one ends', async () => {
  const { started, ask, end } = observe(createSlots<string>(100, 2))
  for (const name of ['a1', 'a2', 'a3']) await ask(name, 'a.example')
  await ask('b1', 'b.example')
  expect(started).toEqual(['a1', 'a2', 'b1'])
  await end('b1')
  expect(started).toEqual(['a1', 'a2', 'b1'])
  await end('a2')
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('only a number run in all, and deferred work waits behind the others', async () => {
  const { started, ask, end } = observe(createSlots<string>(1, 2))
  await ask('one', 'a.example')
  await ask('deferred', 'b.example', true)
  await ask('two', 'c.example')
  expect(started).toEqual(['one'])
  await end('one')
  expect(started).toEqual(['one', 'two'])
  await end('two')
  expect(started).toEqual(['one', 'two', 'deferred'])
})

test('a slot that is needed at once is not refused because of other groups', () => {
  const slots = createSlots<string>(1, 1)
  expect(slots.take('a.example')).toBeDefined()
  expect(slots.take('b.example')).toBeDefined()
  expect(slots.take('b.example')).toBeUndefined()
})

test('work whose wait was aborted takes no slot', async () => {
  const slots = createSlots<string>(1, 1)
  const { started, ask, end } = observe(slots)
  const stop = new AbortController()
  await ask('one', 'a.example')
  await ask('two', 'a.example', false, stop.signal)
  await ask('three', 'b.example')
  stop.abort()
  await end('one')
  expect(started).toEqual(['one', 'two gave up', 'three'])
})

test('work that fails gives its slot back', async () => {
  const slots = createSlots<string>(1, 1)
  const failing = slots.run('a.example', () => Promise.reject(new Error('it failed')))
  const next = slots.run('b.example', async () => [slots.isFull(), slots.isFree('c.example')])
  await expect(failing).rejects.toThrow('it failed')
  expect(await next).toEqual([true, false])
  expect(slots.isFree('a.example')).toBe(true)
})
