/**
 * Starts a temporary pet store for the test suites of other projects. It has the code and the limits of the executable,
 * runs in this process and in memory, and has a clock that the test moves. `scripts/pack.ts` bundles this file and its
 * imports into a package. The exported types use no type of another file, because the package contains only their
 * declarations.
 */

// TestPetstore has Symbol.asyncDispose, which is not in the standard libraries of every project.
/// <reference lib="esnext.disposable" preserve="true" />

import { beginningOf, invalid, membersOf, shown } from '../app/ephemeral/options.ts'
import { plainBeginning, startEphemeralStore } from '../app/ephemeral/start.ts'
import { AppError } from '../lib/error.ts'
import { silentLog } from '../lib/log.ts'

/**
 * The plan of an account, which decides its limits: `free` 60 requests in any minute and 1,000 a day, `pro` 300 and
 * 10,000, `business` 1,000 and 100,000, `enterprise` the numbers that you give as `perMinute` and `perDay`.
 */
export type Plan = 'free' | 'pro' | 'business' | 'enterprise'

/** What a key may do; `admin` includes all others. */
export type Scope =
  | 'pets:read'
  | 'pets:write'
  | 'orders:read'
  | 'orders:write'
  | 'orders:manage'
  | 'projects:read'
  | 'projects:write'
  | 'webhooks:read'
  | 'webhooks:write'
  | 'admin'

/** The plan of a new account. */
export interface AccountOptions {
  /**
   * `'business'` by default. `'unlimited'` for one store that a whole file of tests shares: with a clock that stands
   * still, the minute of a limit never ends.
   */
  readonly plan?: Plan | 'unlimited' | undefined
  /** The requests in any 60 seconds; with the plan `enterprise` only. */
  readonly perMinute?: number | undefined
  /** The requests in a UTC day; with the plan `enterprise` only. */
  readonly perDay?: number | undefined
}

export interface PetstoreOptions extends AccountOptions {
  /** The store's time when it starts, as a Date or in Unix milliseconds; the machine's time by default. */
  readonly now?: Date | number | undefined
  /** `'manual'` by default: time stands still until `clock.advance`. A `'running'` clock can be moved too. */
  readonly clock?: 'manual' | 'running' | undefined
  /** `'production'` by default. Keys of `'staging'` begin with `pet_test_`. */
  readonly environment?: 'production' | 'staging' | undefined
  /** What the store has from the start, and again after each `reset`. */
  readonly seed?: Seed | undefined
}

export interface Seed {
  /** The currency of prices (ISO 4217), such as `'EUR'`. */
  readonly currency?: string | undefined
  /**
   * Further categories, or other names for the six of a new store: 1 Dog, 2 Cat, 3 Bird, 4 Fish, 5 Reptile, 6 Small
   * animal.
   */
  readonly categories?: readonly { readonly id?: number; readonly name: string }[] | undefined
  /** Animals, as `POST /v1/pets` takes them. Their ids are 1, 2, 3 and so on. */
  readonly pets?:
    | readonly {
        readonly name: string
        readonly categoryId: number
        readonly status?: 'available' | 'pending' | 'sold'
        /** As `PATCH /v1/pets/{petId}/profile` takes it. A price needs `currency`. */
        readonly profile?: Readonly<Record<string, unknown>>
      }[]
    | undefined
}

export interface TestClock {
  /** The store's time in Unix milliseconds. */
  now(): number
  /**
   * Moves the store's time forward by a whole number of milliseconds. Throws a TypeError for anything else.
   *
   * @example
   * store.clock.advance(61_000) // a minute's limit is free again
   */
  advance(ms: number): void
}

export interface KeyOptions extends AccountOptions {
  /** All but `admin`, `orders:manage` and those of webhooks by default, as for every new key. */
  readonly scopes?: readonly Scope[] | undefined
  /** An account that exists, such as that of another key; by default the key gets a new account of the given plan. */
  readonly accountId?: number | undefined
  /** When the key expires by the store's clock; never by default. */
  readonly expiresAt?: Date | number | undefined
}

export interface TestKey {
  readonly id: number
  readonly accountId: number
  /** The key itself, for `Authorization: Bearer …`. */
  readonly key: string
}

/** The requests that a fault is for; without any member, all requests for the API. */
export interface FaultMatch {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | undefined
  /** The path without a query, such as `/v1/pets`. A `*` stands for any characters: `/v1/store/orders/*`. */
  readonly path?: string | undefined
}

/** What happens to a request instead of its response. */
export type Fault =
  /**
   * 500 and 503 have the error body and the headers of the store, 502 and 504 are those of a gateway before it. Nothing
   * is changed.
   */
  | { readonly status: 500 | 502 | 503 | 504; readonly retryAfterSeconds?: number | undefined }
  /** The request has its effect at once, and its response comes so many milliseconds of real time later. */
  | { readonly delayMs: number }
  /** The connection ends without a response: before the request has any effect, or after it. */
  | { readonly lost: 'request' | 'response' }

export interface FaultOptions {
  /** How many requests get the fault; all by default. */
  readonly times?: number | undefined
}

/** A request that the store has received. */
export interface ReceivedRequest {
  readonly method: string
  /** Without the query: `/v1/pets`. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The value of JSON, any other text as it was sent, at most 64 KiB of it; undefined if there was none. */
  readonly body: unknown
  /** The store's time. */
  readonly receivedAt: Date
  /** The status of the response; undefined while there is none, and for a request that was lost. */
  readonly status: number | undefined
  /** The `X-Request-Id` of the response. */
  readonly requestId: string | undefined
}

/** A change of a record, as `GET /v1/events` returns it. */
export interface StoreEvent {
  readonly id: number
  /** Such as `pet.created` and `order.placed`. */
  readonly type: string
  /** The store's time, in RFC 3339. */
  readonly createdAt: string
  /** The account of the record; null if it belongs to the store, as animals do. */
  readonly accountId: number | null
  /** The `X-Request-Id` of the request that made the change. */
  readonly requestId: string | null
  /** The record after the change or, if it was removed, before. */
  readonly data: Readonly<Record<string, unknown>>
  /** In an event whose type ends in `updated`: the changed members with their previous values. */
  readonly previous?: Readonly<Record<string, unknown>>
}

export interface TestPetstore {
  /** The address of the store, such as `http://127.0.0.1:41234`, without `/v1`. */
  readonly url: string
  /** An API key with every scope. */
  readonly key: string
  /** The store's time, which limits, bans, expiries and every time of a response follow. */
  readonly clock: TestClock
  /**
   * Issues another key, by default for a new account on Business. It is valid at once, until the next `reset`.
   *
   * @example
   * const { key } = await store.createKey({ plan: 'free', scopes: ['pets:read'] })
   */
  createKey(options?: KeyOptions): Promise<TestKey>
  /**
   * Lets requests fail from now on. Returns a function that ends the fault. If several faults match a request, the
   * last one applies.
   *
   * @example store.fail({ method: 'POST', path: '/v1/store/orders' }, { lost: 'response' }, { times: 1 })
   */
  fail(match: FaultMatch, fault: Fault, options?: FaultOptions): () => void
  /**
   * The requests that the store has received since its start or the last `reset`, the last 10,000 of them, in order.
   */
  readonly requests: readonly ReceivedRequest[]
  /**
   * The changes since the start or the last `reset`, in order, without the seed.
   *
   * @example
   * expect(store.events.map(({ type }) => type)).toEqual(['order.placed', 'pet.updated'])
   */
  readonly events: readonly StoreEvent[]
  /**
   * Begins again under the same address and key: seed, clock, limits and ids are as at the start, faults and requests
   * are forgotten.
   */
  reset(): Promise<void>
  /** Closes every connection, stops the server and frees its memory, within a second. Calling it again does nothing. */
  stop(): Promise<void>
  /** The same as `stop`, for `await using store = await startPetstore()`. */
  [Symbol.asyncDispose](): Promise<void>
}

const optionNames = ['plan', 'perMinute', 'perDay', 'now', 'clock', 'environment', 'seed'] as const

/**
 * Starts a new store on a free port of 127.0.0.1, in about 10 ms. Rejects with a TypeError that names an invalid
 * option.
 *
 * @example await using store = await startPetstore({ plan: 'free', seed: { pets: [{ name: 'Ada', categoryId: 2 }] } })
 * const response = await fetch(`${store.url}/v1/pets`, { headers: { Authorization: `Bearer ${store.key}` } })
 */
export function startPetstore(options: PetstoreOptions = {}): Promise<TestPetstore> {
  return explained(async () => {
    const { environment = 'production', ...given } = membersOf('startPetstore', options, optionNames)
    if (environment !== 'production' && environment !== 'staging') {
      throw invalid(`environment must be 'production' or 'staging', not ${shown(environment)}.`)
    }
    const store = await startEphemeralStore({
      config: { environment, corsOrigins: [], trustedProxies: [] },
      server: { hostname: '127.0.0.1', port: 0, servers: {}, pages: () => undefined },
      log: silentLog,
      beginning: beginningOf(given, { ...plainBeginning, clock: 'manual' }, 'startPetstore'),
    })
    // A suite that forgets to stop its store ends nevertheless.
    store.server.unref()
    const { key, stop } = store
    return {
      url: store.server.url,
      key,
      clock: { now: store.now, advance: (ms) => typed(() => store.advance(ms)) },
      createKey: (keyOptions = {}) => explained(() => store.createKey(keyOptions)),
      fail(match, fault, faultOptions = {}) {
        const id = typed(() => store.fail(match, fault, faultOptions))
        return () => void store.removeFault(id)
      },
      get requests() {
        return store.requests().map((request) => ({ ...request, receivedAt: new Date(request.receivedAt) }))
      },
      get events() {
        return store.events()
      },
      reset: () => explained(() => store.reset()),
      stop,
      [Symbol.asyncDispose]: stop,
    }
  })
}

/** Converts an error about the arguments of the test to a TypeError. */
function typed<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw asTypeError(error)
  }
}

async function explained<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw asTypeError(error)
  }
}

function asTypeError(error: unknown): unknown {
  return error instanceof AppError && error.code === 'invalid_body' ? new TypeError(error.message) : error
}
