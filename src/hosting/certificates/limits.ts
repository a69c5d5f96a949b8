/** Which names a limit of the authority covers. Pure functions. */

import type { LimitRow } from './store.ts'

/** The limit that covers a name; of several the one that ends last. */
export function limitFor(limits: readonly LimitRow[], hostname: string): LimitRow | undefined {
  return limits.filter((limit) => covers(limit, hostname)).sort((a, b) => b.until - a.until)[0]
}

function covers({ domain }: LimitRow, hostname: string): boolean {
  return domain === '' || domain === hostname || hostname.endsWith(`.${domain}`)
}
