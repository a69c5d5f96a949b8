/**
 * An ephemeral store for the test suites of others: everything is in memory, and its key can be chosen. Tests move its
 * clock, request faults, read the requests that it has received, and reset it. The package and `serve --ephemeral`
 * start it.
 *
 * A reset closes the application and creates another one behind the same listener, so that nothing of the old one
 * remains.
 */

import { maximumAllowance, type Plan, plans } from '../../access/accounts/rules.ts'
import { everyEvent } from '../../access/events/rules.ts'
import { type Event, toEvent } from '../../access/events/schemas.ts'
import { issueFirstKey } from '../../access/keys/issue.ts'
import { generateKey } from '../../access/keys/rules.ts'
import { attachCommand } from '../../api/context.ts'
import type { Site } from '../../api/host.ts'
import { pathOf } from '../../api/target.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import type { Log } from '../../lib/log.ts'
import { createMovableClock, type MovableClock } from '../../lib/movable-clock.ts'
import { loopback } from '../../lib/network.ts'
import { createListener } from '../../server/listener.ts'
import { createApp } from '../app.ts'
import type { App, AppConfig } from '../app-parts.ts'
import { addressOf, createServed, type RunningServer, type ServerOptions } from '../start-server.ts'
import { createFaults, createFaultySite } from './faults.ts'
import { createJournal, type ReceivedRequest } from './journal.ts'
import {
  type Beginning,
  beginningOf,
  invalid,
  isTime,
  type KeyOptions,
  listed,
  membersOf,
  shown,
  timeOf,
} from './options.ts'
import { createTestApi } from './test-api.ts'

export interface EphemeralOptions {
  readonly config: Omit<AppConfig, 'databasePath'>
  readonly server: ServerOptions
  readonly log: Log
  /** A well-formed key of the environment; by default a new one. */
  readonly key?: string | undefined
  readonly beginning: Beginning
}

/** A key that a test has created. */
export interface CreatedKey {
  readonly id: number
  readonly accountId: number
  readonly key: string
}

export interface EphemeralStore {
  readonly server: RunningServer
  /** The key of the store's own account, with every scope. */
  readonly key: string
  /** Replaced by each reset. */
  readonly app: () => ReturnType<typeof createApp>
  now(): number
  /** Throws `invalid_body` for anything but a whole number of milliseconds that ends before the year 10000. */
  advance(ms: unknown, name?: string): void
  createKey(options: unknown): Promise<CreatedKey>
  /** Returns the id of the fault. */
  fail(match: unknown, fault: unknown, options?: unknown): number
  /** Returns whether there was such a fault. */
  removeFault(id: number): boolean
  clearFaults(): void
  requests(): ReceivedRequest[]
  /** The events since the beginning. */
  events(): Event[]
  /** Starts over like the last time, except for the members of `changes`. The address and the key stay. */
  reset(changes?: unknown): Promise<void>
  /** Closes every connection at once. Ends within a second of real time; may be called again. */
  stop(): Promise<void>
}

/**
 * The memory for the hash of a password: little, because hashes in memory cannot be stolen with a file, and test suites
 * should not wait for them.
 */
const passwordMemoryKib = 64

/** The default beginning of a store. */
export const plainBeginning: Beginning = { plan: 'business', nowMs: undefined, clock: 'running', seed: {} }

/** Throws the error of `Bun.serve` if it can't listen, and `invalid_body` for a beginning that the API rejects. */
export async function startEphemeralStore(options: EphemeralOptions): Promise<EphemeralStore> {
  const { config, log } = options
  const { key = generateKey(config.environment) } = options
  const webhookNetworks = [...loopback, ...(config.webhookNetworks ?? [])]
  let { beginning } = options
  const startedMs = Date.now()
  const faults = createFaults()
  const journal = createJournal(() => current.clock.now())
  let stopped: Promise<void> | undefined

  async function open(from: Beginning) {
    // A manual clock starts at the same time after each reset.
    const startMs = from.nowMs ?? (from.clock === 'manual' ? startedMs : Date.now())
    const clock = createMovableClock(from.clock, startMs)
    const own = { webhookNetworks, databasePath: ':memory:', passwordMemoryKib, endsOldStreams: false }
    const app = createApp({ ...config, ...own }, clock, log)
    try {
      await issueFirstKey(app, { ...planOf(from), key })
      await addSeed(app, from)
    } catch (error) {
      await close(app)
      throw error
    }
    const served = createServed(app, options.server, () => server.port)
    return { app, clock, ...served, seededId: app.events.newestOnDisk() }
  }

  let current = await open(beginning)
  const faulty = createFaultySite(
    faults,
    (request) => current.platform(request),
    (request, admitted) => current.app.api.admit(request, admitted),
  )

  const observed: Site = async (request) => {
    const complete = journal.add(request)
    const { response, status } = await faulty.respond(request)
    await complete(status)
    return response
  }

  const handler: RunningServer['handler'] = {
    log,
    clock: {
      now: () => current.clock.now(),
      monotonic: () => current.clock.monotonic(),
      // Connections use real time.
      after: systemClock.after,
    },
    hasOwnTime: true,
    observe: (request, context, status) => current.handler.observe(request, context, status),
  }

  const store: Omit<EphemeralStore, 'server'> = {
    key,
    app: () => current.app,
    now: () => current.clock.now(),
    advance: (ms, name = 'advance') => advance(current.clock, ms, name),
    async createKey(given) {
      assertRunning()
      return await createKey(current.app, given)
    },
    fail: (match, fault, given = {}) => faults.add(match, fault, given),
    removeFault: faults.remove,
    clearFaults: faults.clear,
    requests: journal.list,
    events: () => eventsAfter(current.seededId, current.app),
    async reset(changes = {}) {
      if (config.hosting) throw new AppError('conflict', 'A store with hosting cannot be reset: start another one.')
      assertRunning()
      const next = beginningOf(changes, beginning, 'reset')
      const opened = await open(next)
      const before = current.app
      Object.assign(opened.app.listening, before.listening)
      current = opened
      beginning = next
      faults.clear()
      faulty.endDelays()
      journal.clear()
      await close(before)
    },
    stop() {
      stopped ??= stop()
      return stopped
    },
  }

  function assertRunning(): void {
    if (stopped) throw new AppError('conflict', 'The store is stopped.')
  }

  async function stop(): Promise<void> {
    faulty.endDelays()
    await server.close()
    await close(current.app)
  }

  const testApi = createTestApi(store, () => server.url)
  const server = await listen()

  async function listen(): Promise<RunningServer> {
    const { hostname, port } = options.server
    const respond: Site = (request) => (pathOf(request.url).startsWith('/test/') ? testApi(request) : observed(request))
    try {
      const listener = createListener({ ...handler, hostname, port, respond })
      current.app.listening.address = addressOf(config, options.server, listener.port)
      return { ...listener, platform: observed, handler }
    } catch (error) {
      await close(current.app)
      throw error
    }
  }

  return { ...store, server }
}

/**
 * How long closing an application may take, in milliseconds of real time, because it may wait for a clock that nobody
 * moves.
 */
const closingMs = 500

async function close(app: Pick<ReturnType<typeof createApp>, 'close'>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, closingMs)
  })
  await Promise.race([app.close(), late])
  clearTimeout(timer)
}

function advance(clock: MovableClock, ms: unknown, name: string): void {
  if (typeof ms !== 'number' || !Number.isInteger(ms) || ms < 0) {
    throw invalid(`${name} needs a whole number of milliseconds, 0 or more, not ${shown(ms)}.`)
  }
  if (!isTime(clock.now() + ms)) {
    throw invalid(`${name} can't move the clock beyond the year 9999, as ${shown(ms)} milliseconds would.`)
  }
  clock.skip(ms)
}

/** The plan of the API for one that a test gives. Throws `invalid_body` for an unknown one. */
function planOf({ plan, perMinute, perDay }: Pick<Beginning, 'perMinute' | 'perDay'> & { readonly plan: string }) {
  const numbers = { ...(perMinute === undefined ? {} : { perMinute }), ...(perDay === undefined ? {} : { perDay }) }
  if (plan === 'unlimited') {
    if (perMinute !== undefined || perDay !== undefined) {
      throw invalid("perMinute and perDay need the plan 'enterprise', not 'unlimited'.")
    }
    return { plan: 'enterprise', custom: { perMinute: maximumAllowance, perDay: maximumAllowance } } as const
  }
  const known = plans.find((one) => one === plan)
  if (known === undefined) {
    throw invalid(`plan must be one of ${listed([...plans, 'unlimited'])}, not ${shown(plan)}.`)
  }
  return { plan: known satisfies Plan, custom: numbers }
}

/** Adds the categories and animals through the API, which checks them. */
async function addSeed(app: CallParts, { seed: { currency, categories = [], pets = [] } }: Beginning): Promise<void> {
  const call = createCommandCalls(app)
  if (currency !== undefined) await call('PATCH', '/store/settings', { currency }, 'seed.currency')
  for (const [i, category] of categories.entries()) {
    const { id, ...named } = category ?? {}
    const subject = `seed.categories[${i}]`
    if (id === undefined) await call('POST', '/categories', named, subject)
    else await call('PUT', `/categories/${id}`, named, subject)
  }
  for (const [i, pet] of pets.entries()) {
    const { profile, ...added } = pet ?? {}
    const { id } = await call<{ id: number }>('POST', '/pets', pet && added, `seed.pets[${i}]`)
    if (profile !== undefined) await call('PATCH', `/pets/${id}/profile`, profile, `seed.pets[${i}].profile`)
  }
}

/** The events after an id, of every type and account. */
function eventsAfter(id: number, { events }: Pick<App, 'events'>): Event[] {
  const found: Event[] = []
  for (let after: number | undefined = id; after !== undefined; ) {
    const { records, searchedTo } = events.readAfter(after, everyEvent, eventsAtATime)
    found.push(...records.map(toEvent))
    after = records.length === eventsAtATime ? records.at(-1)?.id : searchedTo
  }
  return found
}

const eventsAtATime = 1_000

const keyOptionNames = ['plan', 'perMinute', 'perDay', 'scopes', 'accountId', 'expiresAt'] as const

async function createKey(app: CallParts & Pick<App, 'environment'>, given: unknown): Promise<CreatedKey> {
  const options = membersOf('createKey', given, keyOptionNames) as KeyOptions
  const { plan, perMinute, perDay, scopes, expiresAt } = options
  const hasPlan = plan !== undefined || perMinute !== undefined || perDay !== undefined
  if (options.accountId !== undefined && hasPlan) {
    throw invalid('plan, perMinute and perDay belong to a new account: omit them, or omit accountId.')
  }
  const call = createCommandCalls(app)
  const name = 'Test'
  let { accountId } = options
  if (accountId === undefined) {
    const { custom, ...account } = planOf({ plan: plan ?? 'business', perMinute, perDay })
    accountId = (await call<{ id: number }>('POST', '/accounts', { name, ...account, ...custom }, 'createKey')).id
  }
  const expiry = expiresAt === undefined ? {} : { expiresAt: new Date(timeOf('expiresAt', expiresAt)).toISOString() }
  const body = { name, accountId, ...(scopes === undefined ? {} : { scopes }), ...expiry }
  const { id, key } = await call<CreatedKey>('POST', '/keys', body, 'createKey')
  return { id, accountId, key }
}

interface CallParts {
  readonly api: { readonly fetch: Site }
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * Calls the API as a command does: without a key and without limits. The function throws `invalid_body` with the
 * message of a rejection, which begins with `subject`.
 */
function createCommandCalls({ api, clock }: CallParts) {
  return async <T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown, subject: string): Promise<T> => {
    const headers = { 'Content-Type': 'application/json' }
    const request = new Request(`http://localhost/v1${path}`, { method, headers, body: JSON.stringify(body) ?? '' })
    attachCommand(request, clock.monotonic())
    const response = await api.fetch(request)
    if (response.ok) return (await response.json()) as T
    const { message } = (await response.json()) as { message: string }
    throw invalid(`${subject}: ${message}`)
  }
}
