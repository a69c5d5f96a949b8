/**
 * A throwaway pet store for other people's `bun test` suites: the same code and the same limits as the
 * executable, in this process and in memory, with a clock that the test moves.
 *
 *     import { startPetstore } from 'petstore-appliance/testing'
 *     const store = await startPetstore({ plan: 'free' })
 *     const response = await fetch(`${store.url}/v1/pets`, { headers: { Authorization: `Bearer ${store.key}` } })
 *     store.clock.advance(60_000)
 *     await store.stop()
 */

import { createApp } from '../app.ts'
import { issueFirstKey } from '../keys/issue.ts'
import { createManualClock, type ManualClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import type { Plan } from '../plans/rules.ts'
import { listen } from '../server.ts'

export interface PetstoreOptions {
  /** What time it is at first; the real time unless told otherwise. */
  readonly now?: Date | number | undefined
  /** The plan of the key's account; Business unless told otherwise. */
  readonly plan?: Exclude<Plan, 'enterprise'> | undefined
}

export interface TestPetstore {
  /** Where it listens, without `/v1`. */
  readonly url: string
  /** An API key with every scope. */
  readonly key: string
  /** Time as the store sees it; it stands still until it is moved. */
  readonly clock: Pick<ManualClock, 'advance' | 'now' | 'setWall'>
  stop(): Promise<void>
}

/** Starts a store on a free port of this machine's loopback. */
export async function startPetstore({ now = Date.now(), plan }: PetstoreOptions = {}): Promise<TestPetstore> {
  const clock = createManualClock(Number(now))
  const config = { environment: 'production', databasePath: ':memory:', corsOrigins: [], trustedProxies: [] } as const
  const app = createApp(config, clock, silentLog)
  const listener = listen(app, { hostname: '127.0.0.1', port: 0, servers: {}, pages: () => undefined })
  const key = (await issueFirstKey(app, plan)) ?? ''
  return {
    url: listener.url,
    key,
    clock,
    async stop() {
      await listener.stop()
      await app.close()
    },
  }
}
