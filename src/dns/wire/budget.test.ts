import { expect, test } from 'bun:test'
import { createPacer } from './budget.ts'

/** Counts turns of the event loop until `stop`. */
function countTurns() {
  let turns = 0
  let isStopped = false
  const count = () => {
    turns += 1
    if (!isStopped) setImmediate(count)
  }
  setImmediate(count)
  return { turns: () => turns, stop: () => (isStopped = true) }
}

test('the pacer lets one caller pass in each turn of the event loop, in the order of the calls', async () => {
  const pacer = createPacer()
  const counter = countTurns()
  const seen: { caller: number; turn: number }[] = []
  const callers = Array.from({ length: 50 }, async (_, caller) => {
    await pacer.turn()
    seen.push({ caller, turn: counter.turns() })
  })
  await Promise.all(callers)
  counter.stop()
  expect(seen.map(({ caller }) => caller)).toEqual(Array.from({ length: 50 }, (_, i) => i))
  expect(new Set(seen.map(({ turn }) => turn)).size).toBe(50)
})

test('an idle pacer does not delay a caller, and starts again', async () => {
  const pacer = createPacer()
  for (let i = 0; i < 3; i++) {
    await pacer.turn()
    await Promise.all([pacer.turn(), pacer.turn()])
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(await Promise.race([pacer.turn().then(() => 'went'), Bun.sleep(1_000).then(() => 'waited')])).toBe('went')
})
