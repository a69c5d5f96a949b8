import { expect, test } from 'bun:test'
import { createSlots, pairOf } from './slots.ts'

const { signal } = new AbortController()

/** The names of those that have a slot, in the order in which they got it. */
function observe(slots: ReturnType<typeof createSlots>) {
  const started: string[] = []
  const give = new Map<string, () => void>()
  return {
    started,
    async ask(name: string, pair: string, isFailing = false, by = signal): Promise<void> {
      void slots.wait(pair, isFailing, by).then(
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

test('two attempts of an account to a host run at once, and others of it wait for their end', async () => {
  const { started, ask, end } = observe(createSlots(100, 2))
  for (const name of ['a1', 'a2', 'a3']) await ask(name, 'a.example')
  await ask('b1', 'b.example')
  expect(started).toEqual(['a1', 'a2', 'b1'])
  await end('b1')
  expect(started).toEqual(['a1', 'a2', 'b1'])
  await end('a2')
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('no more than a number run in all, and those to failing webhooks wait behind the others', async () => {
  const { started, ask, end } = observe(createSlots(1, 2))
  await ask('one', 'a.example')
  await ask('failing', 'b.example', true)
  await ask('two', 'c.example')
  expect(started).toEqual(['one'])
  await end('one')
  expect(started).toEqual(['one', 'two'])
  await end('two')
  expect(started).toEqual(['one', 'two', 'failing'])
})

test('those of other accounts, and to other hosts, are counted on their own; the port does not count', () => {
  const pairs = [
    [1, 'https://a.example/hook'],
    [1, 'https://a.example:8443/other'],
    [1, 'https://b.example/hook'],
    [2, 'https://a.example/hook'],
  ] as const
  expect(pairs.map(([accountId, url]) => pairOf({ accountId, url }))).toEqual([
    '1 a.example',
    '1 a.example',
    '1 b.example',
    '2 a.example',
  ])
})

test('a slot that is needed at once is not refused because of other pairs', () => {
  const slots = createSlots(1, 1)
  expect(slots.take('a.example')).toBeDefined()
  expect(slots.take('b.example')).toBeDefined()
  expect(slots.take('b.example')).toBeUndefined()
})

test('one that does not want to wait any more takes no slot', async () => {
  const slots = createSlots(1, 1)
  const { started, ask, end } = observe(slots)
  const stop = new AbortController()
  await ask('one', 'a.example')
  await ask('two', 'a.example', false, stop.signal)
  await ask('three', 'b.example')
  stop.abort()
  await end('one')
  expect(started).toEqual(['one', 'two gave up', 'three'])
})
