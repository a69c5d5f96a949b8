import { beforeEach, expect, test } from 'bun:test'
import { createManualClock } from '../../../lib/clock.ts'
import { createSpacedTurns, lateMs, pauseMs } from './check-turns.ts'

let clock: ReturnType<typeof createManualClock>
let turns: ReturnType<typeof createSpacedTurns>
let begun: string[]
beforeEach(() => {
  clock = createManualClock(0)
  turns = createSpacedTurns(clock)
  begun = []
})

function add(name: string, isAwaited: () => boolean = () => true, signal = new AbortController().signal): void {
  void turns.next(isAwaited, signal).then(() => begun.push(name))
}

/** The turns that have begun after so many milliseconds. */
async function after(ms: number): Promise<string[]> {
  clock.advance(ms)
  await Bun.sleep(0)
  return begun
}

test('one check has its turn at once, and the next ones one after each pause', async () => {
  for (const name of ['a', 'b', 'c']) add(name)
  expect(await after(0)).toEqual(['a'])
  expect(await after(pauseMs - 1)).toEqual(['a'])
  expect(await after(1)).toEqual(['a', 'b'])
  expect(await after(pauseMs)).toEqual(['a', 'b', 'c'])
  add('d')
  expect(await after(pauseMs - 1)).toHaveLength(3)
  expect(await after(1)).toHaveLength(4)
  await after(pauseMs)
  add('e')
  expect(await after(0)).toHaveLength(5)
})

test('checks that somebody waits for come first, also if that begins later', async () => {
  let isAwaited = false
  add('a')
  for (const name of ['b', 'c']) add(name, () => false)
  add('d', () => isAwaited)
  add('e')
  expect(await after(pauseMs)).toEqual(['a', 'e'])
  isAwaited = true
  expect(await after(pauseMs)).toEqual(['a', 'e', 'd'])
  expect(await after(2 * pauseMs)).toEqual(['a', 'e', 'd', 'b', 'c'])
})

test('a check that nobody waits for has its turn after ten seconds, however many come that somebody waits for', async () => {
  add('a')
  add('late', () => false)
  for (let ms = 0; ms < lateMs; ms += pauseMs) {
    expect(begun).not.toContain('late')
    add('b')
    await after(pauseMs)
  }
  expect(begun.at(-1)).toBe('late')
  expect(await after(pauseMs)).toHaveLength(lateMs / pauseMs + 2)
})

test('an aborted check does not wait, and takes no turn of another', async () => {
  const controller = new AbortController()
  add('a')
  add('b', undefined, controller.signal)
  add('c')
  controller.abort()
  add('d', undefined, controller.signal)
  expect(await after(0)).toEqual(['a', 'b', 'd'])
  expect(await after(pauseMs)).toEqual(['a', 'b', 'd', 'c'])
})

test('aborting all checks leaves the pause for the next one as it is', async () => {
  const controller = new AbortController()
  add('a')
  add('b', undefined, controller.signal)
  await after(100)
  controller.abort()
  add('c')
  add('d')
  expect(await after(pauseMs - 101)).toEqual(['a', 'b'])
  expect(await after(1)).toEqual(['a', 'b', 'c'])
  expect(await after(pauseMs - 1)).toHaveLength(3)
  expect(await after(1)).toEqual(['a', 'b', 'c', 'd'])
})

test('aborting all checks leaves no timer, which would keep a process that ends', async () => {
  let timers = 0
  const after = (ms: number, task: () => void) => {
    timers++
    const end = () => timers--
    const cancel = clock.after(ms, () => {
      end()
      task()
    })
    return () => {
      end()
      cancel()
    }
  }
  turns = createSpacedTurns({ ...clock, after })
  const controller = new AbortController()
  for (const name of ['a', 'b', 'c']) add(name, undefined, controller.signal)
  expect(timers).toBe(1)
  controller.abort()
  expect(timers).toBe(0)
})
