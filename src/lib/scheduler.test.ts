import { beforeEach, expect, test } from 'bun:test'
import { createManualClock, type ManualClock } from './clock.ts'
import { createLog, type Log } from './log.ts'
import { type Job, schedule, stopTimeoutMs, togetherMs } from './scheduler.ts'

let clock: ManualClock
let log: Log
let logged: string[]
beforeEach(() => {
  clock = createManualClock(0)
  logged = []
  log = createLog({ level: 'info', json: true, now: () => 0, write: (line) => logged.push(line) })
})

/** Lets pending promise callbacks run. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  await settle()
  const pending = Symbol()
  return (await Promise.race([promise, pending])) !== pending
}

/** A job that has work while the test says so; `ranAtMs` has the times of its runs. */
function idleJob(idleMs: number) {
  const ranAtMs: number[] = []
  const state = { hasWork: false, wake: () => {} }
  const job: Job = {
    name: 'idle',
    everyMs: 10,
    idleMs: () => (state.hasWork ? undefined : idleMs),
    wokenBy(wake) {
      state.wake = wake
    },
    run() {
      ranAtMs.push(clock.monotonic())
    },
  }
  return { job, state, ranAtMs }
}

/** A job whose runs the test ends. */
function slowJob(name = 'slow') {
  const runs: { readonly signal: AbortSignal; readonly end: () => void; readonly fail: (error: unknown) => void }[] = []
  const job: Job = {
    name,
    everyMs: 100,
    run(signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      runs.push({ signal, end: resolve, fail: reject })
      return promise
    },
  }
  return { job, runs }
}

test('a job runs again its interval after the last run has ended, and never twice at once', async () => {
  const { job, runs } = slowJob()
  schedule([job], clock, log)
  clock.advance(1_000)
  expect(runs).toHaveLength(1)
  runs[0]?.end()
  await settle()
  clock.advance(99)
  expect(runs).toHaveLength(1)
  clock.advance(1)
  expect(runs).toHaveLength(2)
})

test('a job that keeps failing is logged once, and once when it works again', async () => {
  let isBroken = true
  const run = () => {
    if (isBroken) throw new Error('the disk is full')
  }
  schedule([{ name: 'sync', everyMs: 100, run }], clock, log)
  schedule([{ name: 'async', everyMs: 100, run: async () => run() }], clock, log)
  for (let i = 0; i < 5; i++) {
    clock.advance(100)
    await settle()
  }
  isBroken = false
  clock.advance(100)
  await settle()
  const lines = logged.map((line) => JSON.parse(line)).map(({ level, job }) => `${level} ${job}`)
  expect(lines.sort()).toEqual(['error async', 'error sync', 'info async', 'info sync'])
})

test('stopping aborts the signal of the runs in progress and resolves when they have ended', async () => {
  const [one, two] = [slowJob('one'), slowJob('two')]
  const { stop } = schedule([one.job, two.job], clock, log)
  clock.advance(100)
  expect(one.runs[0]?.signal.aborted).toBe(false)
  const stopped = stop()
  expect([one, two].map(({ runs }) => runs[0]?.signal.aborted)).toEqual([true, true])
  one.runs[0]?.end()
  expect(await isSettled(stopped)).toBe(false)
  two.runs[0]?.end()
  expect(await isSettled(stopped)).toBe(true)
  expect(await isSettled(stop())).toBe(true)
  clock.advance(10_000)
  expect([one.runs.length, two.runs.length, logged]).toEqual([1, 1, []])
})

test('stopping with no run in progress resolves at once, and nothing runs afterwards', async () => {
  const { job, runs } = slowJob()
  const { stop } = schedule([job], clock, log)
  expect(await isSettled(stop())).toBe(true)
  clock.advance(10_000)
  expect(runs).toEqual([])
})

test('when stopping, a run that throws the reason of the abort is not logged, and any other error is', async () => {
  const [aborted, broken] = [slowJob('aborted'), slowJob('broken')]
  const { stop } = schedule([aborted.job, broken.job], clock, log)
  clock.advance(100)
  const stopped = stop()
  aborted.runs[0]?.fail(aborted.runs[0]?.signal.reason)
  broken.runs[0]?.fail(new Error('the disk is full'))
  expect(await isSettled(stopped)).toBe(true)
  expect(logged.map((line) => JSON.parse(line).job)).toEqual(['broken'])
})

test('stopping waits only a limited time for a run that does not end, and logs its name', async () => {
  const [endless, good] = [slowJob('endless'), slowJob('good')]
  const { stop } = schedule([endless.job, good.job], clock, log)
  clock.advance(100)
  const stopped = stop()
  good.runs[0]?.end()
  clock.advance(stopTimeoutMs - 1)
  expect(await isSettled(stopped)).toBe(false)
  clock.advance(1)
  expect(await isSettled(stopped)).toBe(true)
  expect(logged.map((line) => JSON.parse(line)).map(({ level, job }) => [level, job])).toEqual([['warn', 'endless']])
})

test('a job that has nothing to do runs again after its idle time, and at its interval while it has work', () => {
  const { job, state, ranAtMs } = idleJob(500)
  schedule([job], clock, log)
  clock.advance(520)
  expect(ranAtMs).toEqual([10, 510])
  state.hasWork = true
  clock.advance(490)
  expect(ranAtMs).toEqual([10, 510, 1_010])
  clock.advance(25)
  state.hasWork = false
  clock.advance(100)
  expect(ranAtMs).toEqual([10, 510, 1_010, 1_020, 1_030, 1_040])
})

test('a job that waits until it is woken runs its interval after that, once, however often it is woken', () => {
  const { job, state, ranAtMs } = idleJob(Number.POSITIVE_INFINITY)
  schedule([job], clock, log)
  clock.advance(3_600_000)
  expect(ranAtMs).toEqual([10])
  for (let i = 0; i < 5; i++) {
    state.wake()
    clock.advance(1)
  }
  clock.advance(3_600_000)
  expect(ranAtMs).toEqual([10, 3_600_010])
})

test('a job that is woken before the end of its idle time does not run at that end too', () => {
  const { job, state, ranAtMs } = idleJob(500)
  schedule([job], clock, log)
  clock.advance(100)
  state.wake()
  clock.advance(420)
  expect(ranAtMs).toEqual([10, 110])
})

test('a change during a run of a job leads to another run', async () => {
  const { job, runs } = slowJob()
  let hasWork = false
  schedule([{ ...job, idleMs: () => (hasWork ? undefined : Number.POSITIVE_INFINITY) }], clock, log)
  clock.advance(100)
  hasWork = true
  runs[0]?.end()
  await settle()
  clock.advance(100)
  expect(runs).toHaveLength(2)
})

test('nothing wakes a job after stopping', async () => {
  const { job, state, ranAtMs } = idleJob(Number.POSITIVE_INFINITY)
  const { stop } = schedule([job], clock, log)
  clock.advance(100)
  await stop()
  state.wake()
  clock.advance(10_000)
  expect(ranAtMs).toEqual([10])
})

test('jobs of a second or more run at the same times, whenever they were started, and never later than at their interval', () => {
  const ranAtMs: Record<string, number[]> = { one: [], two: [], three: [] }
  const job = (name: string, everyMs: number): Job => ({
    name,
    everyMs,
    run: () => void ranAtMs[name]?.push(clock.monotonic() / togetherMs),
  })
  clock.advance(700)
  schedule([job('one', togetherMs)], clock, log)
  clock.advance(150)
  schedule([job('two', 1_000), job('three', 2_000)], clock, log)
  clock.advance(5 * togetherMs)
  expect(ranAtMs).toEqual({ one: [1, 2, 3, 4, 5], two: [2, 3, 4, 5], three: [3, 5] })
})
