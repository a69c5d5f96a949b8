/**
 * Random sequences of requests, sweeps, restarts, crashes, clock steps and failed saves. Each result is compared with a
 * simple model that keeps every admission and counts in real time.
 */

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { openDatabase } from '../../database/open.ts'
import type { Writer } from '../../database/writer.ts'
import { issueKey } from '../../keys/issue.ts'
import { createManualClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { silentLog } from '../../lib/log.ts'
import { createStores } from '../../stores.ts'
import { emptyFolder } from '../../testing/executable.ts'
import type { NewBan } from '../bans.ts'
import { dayOf } from '../days.ts'
import { type LimitErrorCode, Limiter } from '../limiter.ts'
import { keepUnsaved } from './keep.ts'
import { loadBans, loadLimits } from './load-limits.ts'
import { type LimitParts, StoredLimits } from './parts.ts'
import { Reserve } from './reserve.ts'
import { saveBans } from './save-bans.ts'
import { saveCounts } from './save-counts.ts'

const start = Date.UTC(2026, 10, 20, 23, 50)
const second = 1_000
const hour = 3_600 * second

/** Keys by id; the first two share an account. */
const accountOf: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2 }

type Fault = 'none' | 'before' | 'commit'
type Event =
  | { readonly kind: 'requests'; readonly keyId: number; readonly times: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'set clock'; readonly byMs: number }
  | { readonly kind: 'save'; readonly fault: Fault; readonly requestsMeanwhile: number }
  | { readonly kind: 'keep' }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'reload bans' }
  | { readonly kind: 'lift'; readonly keyId: number }
  | { readonly kind: 'restart'; readonly isCrash: boolean; readonly downMs: number; readonly setByMs: number }

const waits = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 3_000 }), weight: 6 },
  { arbitrary: fc.integer({ min: 3 * second, max: 70 * second }), weight: 6 },
  { arbitrary: fc.integer({ min: 590 * second, max: 1_300 * second }), weight: 2 },
  { arbitrary: fc.integer({ min: hour, max: 30 * hour }), weight: 1 },
)
const clockSteps = fc.oneof(
  fc.integer({ min: -1_500, max: 1_500 }),
  fc.integer({ min: -100 * second, max: 100 * second }),
  fc.integer({ min: -26 * hour, max: 26 * hour }),
)
const requests = fc.record({
  kind: fc.constant('requests' as const),
  keyId: fc.integer({ min: 1, max: 3 }),
  times: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 20, max: 45 })),
})
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 10, arbitrary: requests },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: waits }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('set clock' as const), byMs: clockSteps }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('save' as const),
      fault: fc.constantFrom<Fault>('none', 'none', 'before', 'commit'),
      requestsMeanwhile: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'keep' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'sweep' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reload bans' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lift' as const), keyId: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('restart' as const),
      isCrash: fc.boolean(),
      downMs: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 90 * second })),
      setByMs: fc.oneof(
        { arbitrary: fc.constant(0), weight: 3 },
        { arbitrary: fc.integer({ min: -hour, max: 0 }), weight: 1 },
      ),
    }),
  },
)
const allowances = fc.record({ perMinute: fc.integer({ min: 1, max: 30 }), perDay: fc.integer({ min: 10, max: 300 }) })

/** An admission. In real time, it stops counting between `earliestEndMs` and `latestEndMs`. */
interface Admission {
  readonly accountId: number
  readonly earliestEndMs: number
  readonly latestEndMs: number
}

/** A ban. In real time, it ends between `earliestEndMs` and `latestEndMs`. */
interface ModelBan {
  readonly durationMs: number
  readonly earliestEndMs: number
  readonly latestEndMs: number
  /** The latest time that a run may take for the end, also after it, when it determines the duration of the next ban. */
  readonly latestKnownEndMs: number
}

/** The state that a run stores for the next one. */
interface StoredState {
  readonly days: ReadonlyMap<string, number>
  readonly admissions: readonly Admission[]
  readonly bans: ReadonlyMap<number, ModelBan>
}

/** The number of requests with each result. */
const seen = new Map<LimitErrorCode | undefined, number>()

/** A simple implementation of the documented limits and bans: lists of events, counted in real time. */
class Model {
  days = new Map<string, number>()
  admissions: Admission[] = []
  bans = new Map<number, ModelBan>()
  streaks = new Map<number, { firstMs: number | undefined; countedMs: number[] }>()

  /** Fails unless `code` is a possible result of a request; updates the model. */
  check(
    code: LimitErrorCode | undefined,
    begun: NewBan | undefined,
    keyId: number,
    nowMs: number,
    day: number,
    perMinute: number,
    perDay: number,
  ): void {
    const accountId = accountOf[keyId] as number
    const name = `${accountId} ${day}`
    const used = this.days.get(name) ?? 0
    const ban = this.bans.get(keyId)
    const isSurelyBanned = ban !== undefined && nowMs < ban.earliestEndMs
    const mayBeBanned = ban !== undefined && nowMs < ban.latestEndMs
    const own = this.admissions.filter((admission) => admission.accountId === accountId)
    const surely = own.filter(({ earliestEndMs }) => nowMs < earliestEndMs).length
    const atMost = own.filter(({ latestEndMs }) => nowMs < latestEndMs).length
    const possible: (LimitErrorCode | undefined)[] = []
    if (mayBeBanned) possible.push('key_banned')
    if (!isSurelyBanned) {
      if (used >= perDay) possible.push('daily_quota_exceeded')
      else {
        if (atMost >= perMinute) possible.push('rate_limit_exceeded')
        if (surely < perMinute) possible.push(undefined)
      }
    }
    seen.set(code, (seen.get(code) ?? 0) + 1)
    expect(possible).toContain(code)
    if (code === undefined) {
      this.days.set(name, used + 1)
      this.admissions.push({ accountId, earliestEndMs: nowMs + 60_000, latestEndMs: nowMs + 61_000 })
      for (const [other, streak] of this.streaks) if (accountOf[other] === accountId) streak.firstMs = undefined
    }
    this.#checkBan(code, begun, keyId, nowMs)
  }

  #checkBan(code: LimitErrorCode | undefined, begun: NewBan | undefined, keyId: number, nowMs: number): void {
    let isBan = false
    if (code !== undefined && code !== 'key_banned') {
      const streak = this.streaks.get(keyId) ?? { firstMs: undefined, countedMs: [] }
      this.streaks.set(keyId, streak)
      streak.firstMs ??= nowMs
      if (nowMs - streak.firstMs > 2_000) streak.countedMs.push(nowMs)
      isBan = streak.countedMs.filter((ms) => nowMs - ms <= 600_000).length >= 20
    }
    expect(begun !== undefined).toBe(isBan)
    if (!begun) return
    const last = this.bans.get(keyId)
    const doubled = last && Math.min(last.durationMs * 2, 24 * hour)
    const durations: number[] = []
    if (doubled && nowMs - last.latestKnownEndMs <= 24 * hour) durations.push(doubled)
    if (!doubled || nowMs - last.earliestEndMs > 24 * hour) durations.push(600_000)
    const durationMs = begun.endsMs - begun.startedMs
    expect(durations).toContain(durationMs)
    const endMs = nowMs + durationMs
    this.bans.set(keyId, { durationMs, earliestEndMs: endMs, latestEndMs: endMs, latestKnownEndMs: endMs })
    this.streaks.delete(keyId)
  }

  kept(): StoredState {
    return { days: new Map(this.days), admissions: [...this.admissions], bans: new Map(this.bans) }
  }

  /**
   * Starts a new run with the stored state. The clock has been set by `unknownMs` since the state was stored, and the
   * new run cannot know it. If the clock was set back, too little time seems to have passed; if forward, too much.
   */
  restart({ days, admissions, bans }: StoredState, unknownMs: number, nowMs: number): void {
    const lateMs = Math.max(0, -unknownMs) + 1_000
    const earlyMs = Math.max(0, unknownMs)
    const moved = <T extends { earliestEndMs: number; latestEndMs: number }>(one: T): T => ({
      ...one,
      earliestEndMs: one.earliestEndMs - earlyMs,
      latestEndMs: nowMs < one.latestEndMs + lateMs ? one.latestEndMs + lateMs : one.latestEndMs,
    })
    this.days = new Map(days)
    this.admissions = admissions.map(moved)
    this.bans = new Map(
      [...bans].map(([keyId, ban]) => [keyId, { ...moved(ban), latestKnownEndMs: ban.latestKnownEndMs + lateMs }]),
    )
    this.streaks.clear()
  }
}

test('limits and bans are correct after any sequence of sweeps, restarts, crashes, clock steps and failed saves', async () => {
  const folder = emptyFolder()
  let histories = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 120, size: 'max' }),
      allowances,
      async (history, allowance) => {
        await run(history, allowance, join(folder.path, `reserve-${histories++}`))
      },
    ),
    { numRuns: 150 },
  )
  folder.remove()
  // If the sequences rarely reached a limit, the test would prove little.
  for (const code of [undefined, 'rate_limit_exceeded', 'daily_quota_exceeded', 'key_banned'] as const) {
    expect(seen.get(code)).toBeGreaterThan(500)
  }
}, 60_000)

async function run(history: readonly Event[], allowance: { perMinute: number; perDay: number }, reservePath: string) {
  const database = openDatabase(':memory:', 0)
  const stores = { ...createStores(database), environment: 'production' as const }
  const clock = createManualClock(start)
  const custom = { perMinute: 1_000, perDay: 1_000_000 }
  let fault: Fault = 'none'
  /** Runs `work` immediately and resolves later, so that requests can be counted in the meantime. */
  async function write<T>(work: () => T): Promise<T> {
    const full = new AppError('storage_unavailable', 'The disk is full.')
    if (fault === 'before') throw full
    database.connection.run('BEGIN IMMEDIATE')
    const result = work()
    database.connection.run(fault === 'commit' ? 'ROLLBACK' : 'COMMIT')
    if (fault === 'commit') throw full
    return result
  }
  await write(() => {
    for (const account of [
      { name: 'A', plan: 'enterprise' as const, custom },
      { id: 1 },
      { name: 'B', plan: 'enterprise' as const, custom },
    ]) {
      issueKey(stores, { name: 'Key', account, scopes: [], expiresAt: undefined }, { actor: 'service', nowMs: start })
    }
  })

  const writer: Writer = { write, flush: () => {} }
  const model = new Model()
  let begun: NewBan | undefined
  let parts = nextRun()
  let kept = model.kept()
  /** The sum of the clock steps since the state was last stored. */
  let unsavedStepMs = 0
  let isReserveNewer = false

  function nextRun(): LimitParts {
    const limiter = new Limiter({
      clock,
      days: stores.limits,
      onBan: (ban) => {
        begun = ban
      },
    })
    const reserve = new Reserve(reservePath)
    const run: LimitParts = {
      ...stores,
      limiter,
      writer,
      clock,
      log: silentLog,
      storedLimits: new StoredLimits(),
      reserve,
    }
    loadLimits(run)
    return run
  }

  function send(keyId: number): void {
    begun = undefined
    const client = { keyId, accountId: accountOf[keyId] as number, allowance }
    const code = parts.limiter.admit(client)
    model.check(code, begun, keyId, clock.monotonic(), dayOf(clock.now()), allowance.perMinute, allowance.perDay)
    const { remaining, reset, retryAfterSeconds } = parts.limiter.status
    if (code === undefined) return
    expect(remaining).toBe(0)
    expect(retryAfterSeconds).toBe(Math.max(1, Math.ceil(reset - clock.now() / 1000)))
  }

  async function save(): Promise<boolean> {
    const saves = await Promise.allSettled([saveCounts(parts), saveBans(parts)])
    if (saves.some(({ status }) => status === 'rejected')) return false
    parts.reserve?.clear()
    isReserveNewer = false
    return true
  }

  for (const one of history) {
    switch (one.kind) {
      case 'requests':
        for (let i = 0; i < one.times; i++) send(one.keyId)
        break
      case 'wait':
        clock.advance(one.ms)
        break
      case 'set clock':
        clock.setWall(clock.now() + one.byMs)
        unsavedStepMs += one.byMs
        break
      case 'save': {
        fault = one.fault
        const before = model.kept()
        const saving = save()
        for (let i = 0; i < one.requestsMeanwhile; i++) send(3)
        if (await saving) {
          kept = before
          // Without counts, a save does not fail although it could not store the clock.
          if (one.fault === 'none') unsavedStepMs = 0
        }
        fault = 'none'
        break
      }
      case 'keep':
        keepUnsaved(parts, parts.reserve as Reserve)
        kept = model.kept()
        unsavedStepMs = 0
        isReserveNewer = true
        break
      case 'sweep':
        parts.limiter.sweep()
        await write(() => stores.limits.deleteSecondsBefore(parts.limiter.time.second - 61))
        break
      case 'reload bans':
        loadBans(parts)
        break
      case 'lift':
        if (isReserveNewer) break
        parts.limiter.bans.lift(one.keyId)
        await write(() => stores.keys.liftBan(one.keyId))
        model.bans.delete(one.keyId)
        model.streaks.delete(one.keyId)
        ;(kept.bans as Map<number, ModelBan>).delete(one.keyId)
        break
      case 'restart':
        if (!one.isCrash) {
          expect(await save()).toBe(true)
          kept = model.kept()
          unsavedStepMs = 0
        }
        parts.reserve?.close()
        clock.advance(one.downMs)
        clock.setWall(clock.now() + one.setByMs)
        parts = nextRun()
        model.restart(kept, unsavedStepMs + one.setByMs, clock.monotonic())
        unsavedStepMs += one.setByMs
        break
    }
  }
  parts.reserve?.close()
  database.close()
}
