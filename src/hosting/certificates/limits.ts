/** The limits of the authority: which names they cover, and until when. Pure functions. */

import { hasCome, longestLimitMs } from './rules.ts'
import type { CertificateRow, LimitRow } from './store.ts'

/** The limit that covers a name; of several the one that ends last. */
export function limitFor(limits: readonly LimitRow[], hostname: string): LimitRow | undefined {
  return limits.filter((limit) => covers(limit, hostname)).sort((a, b) => b.until - a.until)[0]
}

function covers({ domain }: LimitRow, hostname: string): boolean {
  return domain === '' || domain === hostname || hostname.endsWith(`.${domain}`)
}

interface LimitFacts {
  readonly limit: LimitRow | undefined
  readonly nowMs: number
  readonly row: Pick<CertificateRow, 'rateLimitedUntil'> | undefined
}

/** Until when the authority wants no order for the name; null if there is no limit. */
export function rateLimitedUntil({ row, limit, nowMs }: LimitFacts): number | null {
  const times = [row?.rateLimitedUntil ?? null, limit?.until ?? null]
  const ahead = times.filter((time): time is number => time !== null && !hasCome(time, nowMs, longestLimitMs))
  return ahead.length === 0 ? null : Math.max(...ahead)
}
