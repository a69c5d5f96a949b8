/** The periodic jobs of limits: storing counts, and freeing what no longer counts. */

import type { Clock } from '../../lib/clock.ts'
import type { Job } from '../../lib/scheduler.ts'
import { windowSeconds } from '../windows.ts'
import { type CountedLimits, saveCounts } from './save-counts.ts'

export function limitJobs(parts: CountedLimits & { readonly clock: Pick<Clock, 'now'> }): readonly Job[] {
  const { limiter, limits, writer, clock } = parts
  return [
    { name: 'store request counts', everyMs: 1_000, run: () => saveCounts(parts) },
    {
      name: 'free idle windows',
      everyMs: 60_000,
      run() {
        limiter.sweep()
        const second = Math.floor(clock.now() / 1000)
        return writer.write(() => limits.deleteSecondsBefore(second - windowSeconds))
      },
    },
  ]
}
