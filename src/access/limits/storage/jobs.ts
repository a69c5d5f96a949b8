/** The periodic jobs of limits: they store counts and bans, and free the memory of old ones. */

import type { Job } from '../../../lib/scheduler.ts'
import { windowSeconds } from '../windows.ts'
import { reserveJobs } from './keep.ts'
import type { LimitParts } from './parts.ts'
import { saveBans } from './save-bans.ts'
import { saveCounts } from './save-counts.ts'

export function limitJobs(parts: LimitParts): readonly Job[] {
  const { limiter, limits, writer } = parts
  return [
    { name: 'store request counts', everyMs: 1_000, run: () => saveCounts(parts) },
    { name: 'store bans', everyMs: 1_000, run: () => saveBans(parts) },
    ...reserveJobs(parts),
    {
      name: 'free idle windows',
      everyMs: 60_000,
      async run() {
        limiter.sweep()
        const second = limiter.time.second - windowSeconds
        if (limits.hasSecondsBefore(second)) await writer.write(() => limits.deleteSecondsBefore(second))
      },
    },
  ]
}
