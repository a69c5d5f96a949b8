/**
 * Starts a temporary pet store for the `bun test` suites of other projects. It has the code and the limits of the executable,
 * runs in this process and in memory, and has a clock that the test moves. `scripts/pack.ts` bundles this file and its imports into a
 * package. The exported types use no type of another file, because the package contains only their declarations.
 */

// TestPetstore has Symbol.asyncDispose, which is not in the standard libraries of every project.
/// <reference lib="esnext.disposable" preserve="true" />

import { issueFirstKey } from '../access/keys/issue.ts'
import type { Plan } from '../access/plans/rules.ts'
import { createApp } from '../app/app.ts'
import { startServer } from '../app/start-server.ts'
import { createManualClock, type ManualClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import type { Listener } from '../server/listener.ts'

export interface PetstoreOptions {
  /** The store's time when it starts, as a Date or in Unix milliseconds; the machine's time by default. */
  readonly now?: Date | number | undefined
  /** The plan of the account that the key belongs to; `business` by default. */
  readonly plan?: 'free' | 'pro' | 'business' | undefined
}

export interface TestClock {
  /** The store's time in Unix milliseconds. It changes only with `advance`. */
  now(): number
  /** Moves the store's time forward by a whole number of milliseconds. Throws a TypeError for anything else. */
  advance(ms: number): void
}

export interface TestPetstore {
  /** The address of the store, such as `http://127.0.0.1:41234`, without `/v1`. */
  readonly url: string
  /** An API key with every scope. */
  readonly key: string
  readonly clock: TestClock
  /** Stops the server and frees its memory. Calling it again does nothing. */
  stop(): Promise<void>
  /** The same as `stop`, for `await using store = await startPetstore()`. */
  [Symbol.asyncDispose](): Promise<void>
}

const testPlans = ['free', 'pro', 'business'] as const satisfies readonly Plan[]

/** The last millisecond of the year 9999: RFC 3339 has no later times. */
const latestMs = Date.UTC(10_000, 0) - 1

const optionNames = ['now', 'plan']

/** Starts a store on a free port of 127.0.0.1. Rejects with a TypeError that names an invalid option. */
export async function startPetstore(options: PetstoreOptions = {}): Promise<TestPetstore> {
  const { startMs, plan } = checkedOptions(options)
  const clock = createManualClock(startMs)
  const config = { environment: 'production', databasePath: ':memory:', corsOrigins: [], trustedProxies: [] } as const
  const app = createApp(config, clock, silentLog)
  const listener = await listenOrClose(app)
  const key = (await issueFirstKey(app, plan)) ?? ''
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= listener.stop().then(() => app.close())
    return stopped
  }
  return { url: listener.url, key, clock: testClock(clock), stop, [Symbol.asyncDispose]: stop }
}

async function listenOrClose(app: ReturnType<typeof createApp>): Promise<Listener> {
  try {
    return startServer(app, { hostname: '127.0.0.1', port: 0, servers: {}, pages: () => undefined })
  } catch (error) {
    await app.close()
    throw error
  }
}

/** The options with their defaults. They are checked at run time, because a test in JavaScript has no types. */
function checkedOptions(options: unknown) {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(`startPetstore takes an object such as { plan: 'free' }, not ${describeValue(options)}.`)
  }
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name))
  if (unknown !== undefined) {
    throw new TypeError(`startPetstore has no option ${describeValue(unknown)}. Its options are now and plan.`)
  }
  const { now = Date.now(), plan = 'business' } = options as Record<string, unknown>
  const known = testPlans.find((one) => one === plan)
  if (!known) throw new TypeError(`plan must be 'free', 'pro' or 'business', not ${describeValue(plan)}.`)
  const startMs = now instanceof Date ? now.getTime() : now
  if (!isTime(startMs)) {
    throw new TypeError(
      `now must be a Date or a whole number of Unix milliseconds, from 1970 to 9999, not ${describeValue(now)}.`,
    )
  }
  return { startMs, plan: known }
}

function testClock(clock: ManualClock): TestClock {
  return {
    now: clock.now,
    advance(ms) {
      if (!Number.isInteger(ms) || ms < 0) {
        throw new TypeError(`advance needs a whole number of milliseconds, 0 or more, not ${describeValue(ms)}.`)
      }
      if (!isTime(clock.now() + ms)) {
        throw new TypeError(
          `advance can't move the clock beyond the year 9999, as ${describeValue(ms)} milliseconds would.`,
        )
      }
      clock.skip(ms)
    },
  }
}

function isTime(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= latestMs
}

/** Describes a value in one short line for an error message. */
function describeValue(value: unknown): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString()
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 50)) : String(value)
}
