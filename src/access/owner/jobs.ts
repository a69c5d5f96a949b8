/** Periodic work of the dashboard's owner. */

import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Job } from '../../lib/scheduler.ts'
import { isLive, isUsable } from './rules.ts'
import type { OwnerStore } from './store.ts'

interface Parts {
  readonly owner: OwnerStore
  readonly writer: Writer
  readonly clock: Pick<Clock, 'now'>
}

/** Deletes sessions and set-up links that have ended. They are rejected before that by their times. */
export function ownerJobs({ owner, writer, clock }: Parts): readonly Job[] {
  return [
    {
      name: 'delete ended sessions of the dashboard',
      everyMs: 3_600_000,
      async run() {
        const nowMs = clock.now()
        const hasEnded =
          owner.sessions().some((session) => !isLive(session, nowMs)) ||
          owner.links().some(({ createdAt }) => !isUsable(createdAt, nowMs))
        if (hasEnded) await writer.write(() => owner.deleteEnded(clock.now()))
      },
    },
  ]
}
