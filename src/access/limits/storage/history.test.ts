/**
 * Random sequences of requests, sweeps, restarts, crashes, clock steps and failed saves. Each result is compared with a
 * simple model that keeps every admission and counts in real time.
 */

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { createStores } from '../../../app/stores.ts'
import { openDatabase } from '../../../database/open.ts'
import type { Writer } from '../../../database/writer.ts'
import { createManualClock } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/error.ts'
import { silentLog } from '../../../lib/log.ts'
import { emptyFolder } from '../../../testing/executable.ts'
import { issueKey } from '../../keys/issue.ts'
import type { NewBan } from '../bans.ts'
import { dayMs, dayOf } from '../days.ts'
import { Limiter } from '../limiter.ts'
import { keepUnsaved } from './keep.ts'
import { loadBans, loadLimits } from './load-limits.ts'
import { type LimitParts, StoredLimits } from './parts.ts'
import { Reserve } from './reserve.ts'
import { saveBans } from './save-bans.ts'
import { saveCounts } from './save-counts.ts'
import { allowances, type Event, event, type Fault } from './testing/history.ts'
import { accountOf, Model, type ModelBan, seen } from './testing/model.ts'

const start = Date.UTC(2026, 10, 20, 23, 50)

/** A crash while the database has not stored the counts of three days. */
const daysInReserve: Event[] = [
  { kind: 'requests', keyId: 3, times: 1 },
  { kind: 'wait', ms: dayMs },
  { kind: 'requests', keyId: 3, times: 1 },
  { kind: 'wait', ms: dayMs },
  { kind: 'requests', keyId: 3, times: 1 },
  { kind: 'keep' },
  { kind: 'restart', isCrash: true, downMs: 0, setByMs: 0 },
  { kind: 'requests', keyId: 3, times: 20 },
]

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
    { numRuns: 150, examples: [[daysInReserve, { perMinute: 10, perDay: 10 }]] },
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
      issueKey(stores, { name: 'Key', account, scopes: [], expiresAt: undefined }, { actor: 'system', nowMs: start })
    }
  })

  const writer: Writer = { write, writeRepeatable: write, writeDerived: write, limitWaits: () => {} }
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
