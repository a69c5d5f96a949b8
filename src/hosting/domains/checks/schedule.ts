/**
 * When the service checks a domain again without a request. All times are Unix milliseconds, all durations
 * milliseconds.
 */

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** How long the service checks an unproven claim without a request. */
export const waitingMs = 48 * hourMs
/** The least time between two failed checks that make a verified domain degraded. */
export const driftMs = hourMs
/** No check is planned further ahead: such a time was stored before the clock was set back. */
export const farthestMs = dayMs + hourMs

const shortestPauseMs = minuteMs
const longestWaitingPauseMs = hourMs

/**
 * The time for which a claim has been checked, after a check at `nowMs`. A gap counts as two hours at most: while the
 * service did not run nothing was checked, and a clock that was set forward or back must not end or prolong the checks.
 */
export function waitedAfter(waitedMs: number, lastMs: number, nowMs: number): number {
  return waitedMs + Math.min(Math.max(0, nowMs - lastMs), 2 * longestWaitingPauseMs)
}

/**
 * The next check of a claim that is not proven and has been checked for `waitedMs`: a minute after the first check,
 * then after pauses that grow up to an hour. Null once the 48 hours are over.
 */
export function nextWhileWaiting(waitedMs: number, nowMs: number): number | null {
  if (waitedMs >= waitingMs) return null
  return nowMs + Math.round(Math.min(Math.max(waitedMs / 5, shortestPauseMs), longestWaitingPauseMs))
}

/** The next check of a domain whose records are right. */
export function nextWhileVerified(nowMs: number): number {
  return nowMs + dayMs
}

/** The next check of a verified domain whose servers have not responded. */
export function nextWhileUnknown(nowMs: number): number {
  return nowMs + hourMs
}

/** The next check of a verified domain whose records are wrong: hourly for two days, then daily. */
export function nextWhileDrifted(driftedAt: number, nowMs: number): number {
  return nowMs + (nowMs - driftedAt < waitingMs ? hourMs : dayMs)
}
