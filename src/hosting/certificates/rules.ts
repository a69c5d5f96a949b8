/** When to order and when to renew. Pure functions; all times are Unix milliseconds. */

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** At most this many orders for one name fail within an hour. */
export const ordersPerHour = 4
export const orderWindowMs = hourMs

/** After this time without a certificate a name says why, and needs attention. */
export const explainedAfterMs = 30 * minuteMs

/** The longest pause between two attempts, and the longest that an authority's own limit is kept. */
const longestScheduleMs = dayMs
export const longestLimitMs = 8 * dayMs

/** The columns of a name whose last attempt has succeeded, or that has had none. */
export const noFailure = {
  failures: 0,
  problem: null,
  failedAt: null,
  nextAttemptAt: null,
  rateLimitedUntil: null,
  blockedBy: null,
} as const

/** A certificate that has expired, or will within seconds, is ordered no more often than this. */
const shortestPauseMs = minuteMs / 4

/**
 * The longest pause after a failure for this reason, and the longest for an urgent name. What costs the authority
 * nothing is tried more often; an order that it rejects, at most as often as `ordersPerHour` allows.
 */
const longestPausesMs = {
  unavailable: { usual: 10 * minuteMs, urgent: shortestPauseMs },
  held: { usual: hourMs, urgent: 5 * minuteMs },
  account: { usual: longestScheduleMs, urgent: orderWindowMs / ordersPerHour },
  ca: { usual: longestScheduleMs, urgent: orderWindowMs / ordersPerHour },
}

/**
 * The pause after the nth failure in a row: 1, 10, 100 minutes, then the longest; at most a tenth of the life that the
 * present certificate has left. A name is urgent when its certificate has expired, and that of the API while a check
 * holds the order: the API of a new service can't be used before it has a certificate.
 */
export function pauseAfter(
  failures: number,
  source: keyof typeof longestPausesMs,
  { kind, notAfter }: { readonly kind: string; readonly notAfter: number | null },
  nowMs: number,
): number {
  const leftMs = notAfter === null ? Number.POSITIVE_INFINITY : notAfter - nowMs
  const isUrgent = leftMs <= 0 || (source === 'held' && kind === 'api')
  return Math.min(
    [minuteMs, 10 * minuteMs, 100 * minuteMs][failures - 1] ?? longestScheduleMs,
    longestPausesMs[source][isUrgent ? 'urgent' : 'usual'],
    leftMs <= 0 ? Number.POSITIVE_INFINITY : Math.max(Math.floor(leftMs / 10), shortestPauseMs),
  )
}

/**
 * Whether a time that was stored has come. A time that lies further ahead than any that is stored means that the clock
 * was set back: it counts as come.
 */
export function hasCome(atMs: number | null, nowMs: number, farthestMs = longestScheduleMs): boolean {
  return atMs === null || atMs <= nowMs || atMs - nowMs > farthestMs + hourMs
}

/** Renewal without the authority's advice: when a third of the lifetime is left. */
export function defaultRenewal(notBefore: number, notAfter: number): number {
  return Math.round(notAfter - (notAfter - notBefore) / 3)
}

export interface RenewalWindow {
  readonly startMs: number
  readonly endMs: number
}

/**
 * A random moment of the authority's window (RFC 9773, section 4.2); `random` is from 0 to 1. It is never later than a
 * tenth of the lifetime before the end, whatever the authority says.
 */
export function renewalIn(
  { startMs, endMs }: RenewalWindow,
  random: number,
  notBefore: number,
  notAfter: number,
): number {
  const chosen = startMs + (endMs - startMs) * random
  return Math.round(Math.min(chosen, notAfter - (notAfter - notBefore) / 10))
}

/** Renewal information is queried again after the authority's `Retry-After`, which counts from a minute to a day. */
export function nextRenewalCheck(retryAtMs: number | undefined, nowMs: number): number {
  const pauseMs = (retryAtMs ?? nowMs + 6 * hourMs) - nowMs
  return nowMs + Math.min(Math.max(pauseMs, minuteMs), dayMs)
}

/** Which orders a limit covers: those of the account, those of a domain and the names below it, or one name. */
export type LimitScope = { readonly domain: string } | 'account' | 'name'

/**
 * The scope of a `rateLimited` problem. Problem documents have no member for it, so it is read from the words of the
 * authority, which are those of Boulder: https://letsencrypt.org/docs/rate-limits/. Other words cover the account.
 */
export function limitScope(words: string, hostname: string): LimitScope {
  if (/exact set of (domains|identifiers)|failed authorizations|duplicate certificate/i.test(words)) return 'name'
  const named = [...words.matchAll(/"([a-z0-9.-]{1,253})"/gi)].map(([, name = '']) => name.toLowerCase())
  const domain = named.find((name) => hostname === name || hostname.endsWith(`.${name}`))
  if (domain === undefined) return 'account'
  return domain === hostname && !/registered domain|already issued/i.test(words) ? 'name' : { domain }
}

/** The time in the words of Boulder, as in `retry after 2026-11-21 17:30:00 UTC`. */
export function retryTimeIn(words: string): number | undefined {
  const [, day, time] = /retry after (\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?: UTC|Z)/i.exec(words) ?? []
  if (day === undefined || time === undefined) return undefined
  const atMs = Date.parse(`${day}T${time}Z`)
  return Number.isFinite(atMs) ? atMs : undefined
}

/** The finding of the HTTP probe that has the same reason as a problem of the authority. */
export function probeReason(problemType: string): 'http_unreachable' | 'wrong_server' | null {
  if (problemType === 'connection' || problemType === 'tls') return 'http_unreachable'
  return problemType === 'unauthorized' || problemType === 'incorrectResponse' ? 'wrong_server' : null
}

/** The limit that covers a name; of several the one that ends last. */
export function limitFor<Limit extends { readonly domain: string; readonly until: number }>(
  limits: readonly Limit[],
  hostname: string,
): Limit | undefined {
  const covers = ({ domain }: Limit) => domain === '' || domain === hostname || hostname.endsWith(`.${domain}`)
  return limits.filter(covers).sort((a, b) => b.until - a.until)[0]
}

/** Until when the authority wants no order for the name; null if there is no limit. */
export function rateLimitedUntil({
  row,
  limit,
  nowMs,
}: {
  readonly limit: { readonly until: number } | undefined
  readonly nowMs: number
  readonly row: { readonly rateLimitedUntil: number | null } | undefined
}): number | null {
  const times = [row?.rateLimitedUntil ?? null, limit?.until ?? null]
  const ahead = times.filter((time): time is number => time !== null && !hasCome(time, nowMs, longestLimitMs))
  return ahead.length === 0 ? null : Math.max(...ahead)
}
