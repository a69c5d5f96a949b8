import { expect, test } from 'bun:test'
import { createManualClock } from '../../../lib/clock.ts'
import { createCheckSlots } from './queue.ts'

const never = () => new Promise<never>(() => {})

test('checks of one account run one after another, in the order of the requests', async () => {
  const slots = createCheckSlots(createManualClock(0))
  const log: string[] = []
  const first = Promise.withResolvers<void>()
  const runs = [
    slots.manual(1, async () => {
      log.push('first')
      await first.promise
      throw new Error('failed')
    }),
    slots.manual(1, async () => log.push('second')),
    slots.manual(2, async () => log.push('other account')),
  ]
  await runs[2]
  expect(log).toEqual(['first', 'other account'])
  first.resolve()
  expect((await Promise.allSettled(runs)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(log).toEqual(['first', 'other account', 'second'])
})

test('the eleventh request in a minute is rejected with the seconds to wait, counted on a clock that nobody sets', async () => {
  const clock = createManualClock(0)
  const slots = createCheckSlots(clock)
  for (let i = 0; i < 10; i++) {
    await slots.manual(1, async () => {})
    clock.skip(1_000)
  }
  const reject = () => slots.manual(1, async () => {})
  expect(reject).toThrow(expect.objectContaining({ code: 'rate_limit_exceeded', retryAfterSeconds: 50 }))
  clock.setWall(Date.UTC(2030, 0))
  expect(reject).toThrow('Try again in 50 seconds')
  clock.skip(50_000)
  await slots.manual(1, async () => {})
  expect(reject).toThrow('Try again in 1 second.')
})

test('the service starts no check of an account that has one, or ten in the last minute; requests are still accepted', async () => {
  const clock = createManualClock(0)
  const slots = createCheckSlots(clock)
  for (let i = 0; i < 10; i++) {
    expect(slots.mayStart(1)).toBe(true)
    await slots.automatic(1, async () => {})
  }
  expect([slots.mayStart(1), slots.mayStart(2)]).toEqual([false, true])
  await slots.manual(1, async () => {})
  clock.skip(60_000)
  expect(slots.mayStart(1)).toBe(true)
  void slots.automatic(1, never)
  expect(slots.mayStart(1)).toBe(false)
})

test('at most a hundred checks run at the same time, and the others follow in their order', async () => {
  const slots = createCheckSlots(createManualClock(0))
  const ends: (() => void)[] = []
  const started: number[] = []
  const runs = Array.from({ length: 130 }, (_, account) =>
    slots
      .manual(account, async () => {
        started.push(account)
        const { promise, resolve } = Promise.withResolvers<void>()
        ends.push(resolve)
        await promise
        if (account === 3) throw new Error('failed')
      })
      .catch(() => {}),
  )
  await Bun.sleep(0)
  expect(started).toHaveLength(100)
  for (const end of ends.slice(0, 10)) end()
  await Bun.sleep(0)
  expect(started.slice(100)).toEqual([100, 101, 102, 103, 104, 105, 106, 107, 108, 109])
  while (started.length < 130) {
    for (const end of ends) end()
    await Bun.sleep(0)
  }
  for (const end of ends) end()
  await Promise.all(runs)
})
