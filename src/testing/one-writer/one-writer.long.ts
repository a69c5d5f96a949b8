/**
 * Commands in random order beside a loaded server, while clients read and write by HTTP, other programs read and lock
 * the database, and the server is killed once. A ledger records the expected content of the store.
 */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { emptyFolder, isBuilt, makeStore, runPetstore } from '../executable.ts'
import { startClient } from './client.ts'
import { type Command, commands, type Sizes } from './commands.ts'
import { createLedger } from './ledger.ts'
import { createLoad, walk } from './load.ts'
import { assertWhole } from './verdict.ts'

/** The number of simultaneous commands. */
const parallelRuns = 2

async function run(order: readonly Command[], sizes: Sizes): Promise<void> {
  const folder = emptyFolder()
  makeStore(folder.path)
  await runPetstore(['keys', 'create', '--name', 'First'], { cwd: folder.path })
  const client = await startClient(folder.path)
  try {
    const world = { client, ledger: createLedger() }
    // An export of this number of animals does not fit into a pipe.
    await commands['pets import'](world, { ...sizes, rows: 2_000 })
    const load = createLoad(world)
    const waiting = [...order]
    let failure: unknown
    async function runInTurn(): Promise<void> {
      for (;;) {
        const next = load.hasFailed() || failure !== undefined ? undefined : waiting.shift()
        if (next === undefined) return
        try {
          await commands[next](world, sizes)
        } catch (error) {
          failure ??= new Error(`${next}: ${error instanceof Error ? error.message : error}`, { cause: error })
        }
      }
    }
    await Promise.all(Array.from({ length: parallelRuns }, runInTurn))
    await load.end().catch((error: unknown) => {
      failure ??= error
    })
    if (failure !== undefined) throw failure
    expect(client.starts()).toBe(2)
    await walk(world)
    await assertWhole(world)
  } finally {
    await client.kill()
    folder.remove()
  }
}

const all = Object.keys(commands) as Command[]
const runs = fc.record({
  order: fc.shuffledSubarray(all, { minLength: all.length }),
  rows: fc.integer({ min: 10, max: 3_000 }),
  killMs: fc.integer({ min: 1, max: 2_000 }),
  pauseMs: fc.integer({ min: 0, max: 2_000 }),
  // A write waits for five seconds.
  lockMs: fc.integer({ min: 50, max: 3_000 }),
})

describe.skipIf(!isBuilt)('while commands write, export and are killed, and the server is killed', () => {
  test('every acknowledged record is seen at once and exists exactly once, and no other record exists', async () => {
    await fc.assert(
      fc.asyncProperty(runs, ({ order, ...sizes }) => run(order, sizes)),
      { numRuns: 2, endOnFailure: true },
    )
  }, 120_000)
})
