import { afterEach, beforeEach, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { togetherMs } from '../../lib/scheduler.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { openTestStore } from '../../testing/harness.ts'
import { lockForServing } from '../lock.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

test.each([
  ['production.db', 'file_gone'],
  ['production.db-wal', 'log_gone'],
  ['production.db-shm', 'log_gone'],
  ['production.db-serving', 'lock_gone'],
] as const)('without a request, %s is missed within a second, until it is put back', async (name, fault) => {
  const databasePath = join(folder.path, 'production.db')
  const unlock = lockForServing(databasePath)
  const { app, clock, close } = await openTestStore({ databasePath })
  expect(togetherMs).toBeLessThan(1_000)
  const [here, elsewhere] = [join(folder.path, name), join(folder.path, 'elsewhere')]
  renameSync(here, elsewhere)
  clock.advance(togetherMs)
  expect(app.faults.current()).toBe(fault)
  renameSync(elsewhere, here)
  clock.advance(togetherMs)
  expect(app.faults.current()).toBeUndefined()
  await close()
  unlock()
})
