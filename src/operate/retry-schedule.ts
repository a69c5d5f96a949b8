/** The waits between attempts to deliver something, whatever it is. */

import { togetherMs } from '../lib/scheduler.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** The waits after the first failures. The last one repeats. */
export const retryWaitsMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const

const jitter = 0.1

/** The longest wait, in milliseconds. */
export const longestRetryMs = 24 * hourMs * (1 + jitter)

/** Milliseconds until the next attempt after `failures` (1 or more) in a row. `random` is from 0 to 1. */
export function retryWaitMs(failures: number, random = Math.random()): number {
  const wait = retryWaitsMs[Math.min(failures, retryWaitsMs.length) - 1] ?? retryWaitsMs[0]
  return Math.round(wait * (1 + jitter * random))
}

/**
 * Attempts up to this time are due at `nowMs`, because a job can run early by as much. An attempt later than `nowMs`
 * and the longest wait is due, too: it was stored while the clock was wrong.
 */
export const dueUntilMs = (nowMs: number): number => nowMs + togetherMs - 1

/** Milliseconds until an attempt at `nextAt` is due; 0 if it is. */
export function dueInMs(nextAt: number | null, nowMs: number): number {
  if (nextAt === null) return Number.POSITIVE_INFINITY
  return nextAt <= dueUntilMs(nowMs) || nextAt > nowMs + longestRetryMs ? 0 : nextAt - nowMs
}
