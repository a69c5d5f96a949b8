/**
 * The times of the daily backup, in the zone of the machine. On a day whose clock skips the time it is as much later as
 * the clock was put forward; of a time that a day has twice it is the first.
 */

/** The last time at or before `nowMs`; `at` is `HH:MM`. */
export function lastDueAt(at: string, nowMs: number): number {
  return Math.max(...around(at, nowMs).filter((time) => time <= nowMs))
}

/** The first time after `nowMs`. */
export function nextDueAt(at: string, nowMs: number): number {
  return Math.min(...around(at, nowMs).filter((time) => time > nowMs))
}

/** The times of the days around `nowMs`. Two days before, because a zone can skip a whole one. */
function around(at: string, nowMs: number): number[] {
  const [hour = 0, minute = 0] = at.split(':').map(Number)
  const now = new Date(nowMs)
  return [-2, -1, 0, 1, 2].map((days) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour, minute).getTime(),
  )
}
