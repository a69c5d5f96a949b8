/** A simple model of limits and bans, which keeps every admission and counts in real time. */

import { expect } from 'bun:test'
import type { LimitErrorCode } from '../limiter.ts'

const hour = 3_600_000

/** Keys by id; the first two share an account. */
export const accountOf: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2 }

/** An admission. In real time, it stops counting between `earliestEndMs` and `latestEndMs`. */
interface Admission {
  readonly accountId: number
  readonly earliestEndMs: number
  readonly latestEndMs: number
}

/** A ban. In real time, it ends between `earliestEndMs` and `latestEndMs`. */
export interface ModelBan {
  readonly durationMs: number
  readonly earliestEndMs: number
  readonly latestEndMs: number
  /**
   * The latest time that a run may take for the end, also after it, when it determines the duration of the next ban.
   */
  readonly latestKnownEndMs: number
}

/** The state that a run stores for the next one. */
interface StoredState {
  readonly days: ReadonlyMap<string, number>
  readonly admissions: readonly Admission[]
  readonly bans: Map<number, ModelBan>
}

/** The number of requests with each result. */
export const seen = new Map<LimitErrorCode | undefined, number>()

/** A simple implementation of the documented limits and bans: lists of events, counted in real time. */
export class Model {
  days = new Map<string, number>()
  admissions: Admission[] = []
  bans = new Map<number, ModelBan>()
  streaks = new Map<number, { firstMs: number | undefined; countedMs: number[] }>()

  /**
   * Fails unless `code` is a possible result of a request, and `banMs` the duration of the ban that it begins, if any;
   * updates the model.
   */
  check(
    code: LimitErrorCode | undefined,
    banMs: number | undefined,
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
    this.#checkBan(code, banMs, keyId, nowMs)
  }

  #checkBan(code: LimitErrorCode | undefined, durationMs: number | undefined, keyId: number, nowMs: number): void {
    let isBan = false
    if (code !== undefined && code !== 'key_banned') {
      const streak = this.streaks.get(keyId) ?? { firstMs: undefined, countedMs: [] }
      this.streaks.set(keyId, streak)
      streak.firstMs ??= nowMs
      if (nowMs - streak.firstMs > 2_000) streak.countedMs.push(nowMs)
      isBan = streak.countedMs.filter((ms) => nowMs - ms <= 600_000).length >= 20
    }
    expect(durationMs !== undefined).toBe(isBan)
    if (durationMs === undefined) return
    const last = this.bans.get(keyId)
    const doubled = last && Math.min(last.durationMs * 2, 24 * hour)
    const durations: number[] = []
    if (doubled && nowMs - last.latestKnownEndMs <= 24 * hour) durations.push(doubled)
    if (!doubled || nowMs - last.earliestEndMs > 24 * hour) durations.push(600_000)
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
