/** Runs of the application on one database file, one after the other, for tests of limits over a restart. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach } from 'bun:test'
import { join } from 'node:path'
import { createApp } from '../../app/app.ts'
import { createManualClock } from '../../lib/clock.ts'
import { silentLog } from '../../lib/log.ts'
import { emptyFolder } from '../executable.ts'

export const start = Date.UTC(2026, 10, 20, 12)

/** To be called once in a test file: each test has its own directory. */
export function runsPerTest() {
  let folder: ReturnType<typeof emptyFolder>
  beforeEach(() => {
    folder = emptyFolder()
  })
  afterEach(() => folder.remove())

  /** Opens the application with the same database file and a clock that the test moves. */
  function open(nowMs = start) {
    const clock = createManualClock(nowMs)
    const databasePath = join(folder.path, 'production.db')
    const config = { environment: 'production', databasePath, corsOrigins: [], trustedProxies: [] } as const
    const app = createApp(config, clock, silentLog)
    const client = { keyId: 1, accountId: 1, allowance: { perMinute: 60, perDay: 1_000 } }
    const admit = (times = 1) => Array.from({ length: times }, () => app.limiter.admit(client)).at(-1)
    /** Takes the write lock on a second connection, as another process would. Returns the function that releases it. */
    function lock() {
      const other = new Database(databasePath)
      other.run('BEGIN IMMEDIATE')
      return () => other.close()
    }
    /** Lets ten seconds pass, longer than writes wait for a lock, and returns the outcome of `saving`. */
    async function outcomeOf(saving: Promise<unknown>) {
      const result = saving.then(
        () => 'stored',
        () => 'failed',
      )
      for (let i = 0; i < 20; i++) {
        await new Promise((resolve) => setImmediate(resolve))
        clock.advance(500)
      }
      return result
    }
    return { app, clock, client, admit, lock, outcomeOf, used: () => app.limiter.used(client.accountId) }
  }

  /** Begins anew with an empty directory. */
  function renew(): void {
    folder.remove()
    folder = emptyFolder()
  }

  return { open, renew }
}
