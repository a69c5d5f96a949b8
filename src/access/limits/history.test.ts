/**
 * Random sequences of requests, sweeps, restarts, crashes, clock steps and failed saves. Each result is compared with a
 * simple model that keeps every admission and counts in real time.
 */

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createStores } from '../../app/stores.ts'
import { openDatabase } from '../../database/open.ts'
import { createManualClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { silentLog } from '../../lib/log.ts'
import { issueKey } from '../keys/issue.ts'
import { dayOf } from './days.ts'
import { createSavedLimiter } from './saved-limiter.ts'
import { allowances, type Event, event, type Fault } from './testing/history.ts'
import { accountOf, Model, type ModelBan, seen } from './testing/model.ts'

const start = Date.UTC(2026, 10, 20, 23, 50)

test('limits and bans are correct after any sequence of sweeps, restarts, crashes, clock steps and failed saves', async () => {
  await fc.assert(fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 120, size: 'max' }), allowances, run), {
    numRuns: 30,
  })
  // If no sequence reached a limit, the test would prove little.
  for (const code of [undefined, 'rate_limit_exceeded', 'daily_quota_exceeded', 'key_banned'] as const) {
    expect(seen.get(code)).toBeGreaterThan(0)
  }
}, 60_000)

async function run(history: readonly Event[], allowance: { perMinute: number; perDay: number }) {
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
      issueKey(stores, { name: 'Key', account, scopes: [], expiresAt: undefined }, { actor: 'system', nowMs: start })
    }
  })

  const model = new Model()
  let current = nextRun()
  let kept = model.kept()
  /** The sum of the clock steps since the state was last saved. */
  let unsavedStepMs = 0

  function nextRun() {
    const next = createSavedLimiter({ ...stores, writer: { write }, clock, log: silentLog })
    next.load()
    return next
  }

  function send(keyId: number): void {
    const { limiter } = current
    const bansBefore = limiter.bans.begun
    const accountId = accountOf[keyId] as number
    const code = limiter.admit({ keyId, accountId, allowance })
    const banMs = limiter.bans.begun > bansBefore ? limiter.bans.endOf(keyId) - limiter.time.nowMs : undefined
    model.check(code, banMs, keyId, clock.monotonic(), dayOf(clock.now()), allowance.perMinute, allowance.perDay)
    // A ban is saved at once.
    if (banMs !== undefined && fault === 'none') kept.bans.set(keyId, model.bans.get(keyId) as ModelBan)
    const { remaining, reset, retryAfterSeconds } = limiter.status
    if (code === undefined) return
    expect(remaining).toBe(0)
    expect(retryAfterSeconds).toBe(Math.max(1, Math.ceil(reset - clock.now() / 1000)))
  }

  async function save(): Promise<boolean> {
    const saves = await Promise.allSettled([current.saveCounts(), current.saveBans()])
    return saves.every(({ status }) => status === 'fulfilled')
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
          kept = one.fault === 'none' ? { ...before, bans: new Map(model.bans) } : before
          if (one.fault === 'none') unsavedStepMs = 0
        }
        fault = 'none'
        break
      }
      case 'sweep':
        current.limiter.sweep()
        await write(() => stores.limits.deleteSecondsBefore(current.limiter.time.second - 61))
        break
      case 'reload bans':
        current.loadBans()
        break
      case 'lift':
        // Only a ban that is in the database can be lifted.
        await new Promise((resolve) => setImmediate(resolve))
        if (current.limiter.bans.unsaved().some(({ keyId }) => keyId === one.keyId)) break
        await write(() => stores.keys.liftBan(one.keyId))
        current.loadBans()
        model.bans.delete(one.keyId)
        kept.bans.delete(one.keyId)
        break
      case 'restart':
        if (!one.isCrash) {
          expect(await save()).toBe(true)
          kept = model.kept()
          unsavedStepMs = 0
        }
        clock.advance(one.downMs)
        clock.setWall(clock.now() + one.setByMs)
        current = nextRun()
        model.restart(kept, unsavedStepMs + one.setByMs, clock.monotonic())
        unsavedStepMs += one.setByMs
        break
    }
  }
  database.close()
}
