import { expect, test } from 'bun:test'
import { createManualClock } from '../lib/clock.ts'
import { createUploadTurns } from './upload-turns.ts'

const clock = createManualClock(0)

test('an account has at most 4 uploads at once and all accounts 16, and a place is free when one is done', () => {
  const turns = createUploadTurns('deploys', 2, clock)
  const leave = [1, 2, 3, 4].flatMap((account) => [1, 2, 3, 4].map(() => turns.enter(account, null)))
  for (const account of [1, 5]) {
    expect(() => turns.enter(account, null)).toThrow(
      expect.objectContaining({ code: 'too_busy', retryAfterSeconds: 10 }),
    )
  }
  leave[0]?.()
  // Leaving twice frees one place.
  leave[0]?.()
  turns.enter(5, null)
  expect(() => turns.enter(6, null)).toThrow()
})

test('deploys of an account run one after the other in their order, and two accounts at once', async () => {
  const turns = createUploadTurns('deploys', 2, clock)
  const running = new Set<string>()
  const seen: string[] = []
  const run = (account: number, name: string) =>
    turns.run(account, async () => {
      running.add(name)
      seen.push([...running].sort().join('+'))
      await Bun.sleep(1)
      running.delete(name)
      if (name === 'a2') throw new Error('it failed')
      return name
    })
  const results = await Promise.allSettled([run(1, 'a1'), run(1, 'a2'), run(1, 'a3'), run(2, 'b1'), run(3, 'c1')])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
  expect(seen.filter((names) => (names.match(/a/g) ?? []).length > 1)).toEqual([])
  expect(Math.max(...seen.map((names) => names.split('+').length))).toBe(2)
  const order = seen.flatMap((names) => /a\d/.exec(names)?.[0] ?? [])
  expect([...new Set(order)]).toEqual(['a1', 'a2', 'a3'])
})

test('stopping ends what runs and what waits, and waits no longer than five seconds', async () => {
  const turns = createUploadTurns('deploys', 2, clock)
  const running = turns.run(1, (signal) => {
    const { promise, reject } = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => reject(signal.reason))
    return promise
  })
  const waiting = turns.run(1, async () => 'never')
  await Bun.sleep(0)
  const stopping = turns.stop()
  for (const one of [running, waiting]) await expect(one).rejects.toMatchObject({ code: 'storage_unavailable' })
  await stopping
  const deaf = createUploadTurns('deploys', 2, clock)
  void deaf.run(1, () => new Promise(() => {}))
  const waited = deaf.stop()
  await Bun.sleep(0)
  clock.advance(5_000)
  await waited
})
