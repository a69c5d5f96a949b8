/**
 * Periodic work on deploys: compressing the files of live ones, deleting old ones with their files, and contents that
 * no deploy has.
 */

import type { Announcements } from '../../database/announcements.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ContentStore } from '../../lib/contents/store.ts'
import type { Job } from '../../lib/scheduler.ts'
import type { PhotoStore } from '../../shop/photos/store.ts'
import { compressLive } from './compress.ts'
import type { FileRows } from './file-rows.ts'
import { deleteDeploy, type Write } from './publish.ts'
import type { DeployStore } from './store.ts'

/** A deploy that is being prepared for so long was begun by a process that is gone, or could not be discarded. */
const preparedMs = 3_600_000
/** The pause after a failure, such as a full disk: compressing is too much work just to find out that it continues. */
const failurePauseMs = 60_000
/**
 * While no deploy was removed, those that were begun by a process that is gone are looked for this often, in
 * milliseconds.
 */
const idleMs = 10_000
/** Rows that are looked at in one transaction. */
const rowsPerStep = 200

export function deployJobs({
  deploys,
  deployFiles,
  files,
  photos,
  writer,
  clock,
  cutoff,
  announcements,
}: {
  readonly deploys: DeployStore
  readonly deployFiles: FileRows
  readonly files: ContentStore
  readonly photos: Pick<PhotoStore, 'findFile'>
  readonly writer: Writer
  readonly announcements: Pick<Announcements, 'subscribe'>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** `createCutoff`. */
  readonly cutoff: (keptMs: number) => number
}): readonly Job[] {
  const write: Write = (work) => writer.write(work)
  let compressAgainMs = 0
  /** Finding a deploy to compress looks at every project. */
  let mayHaveNew = true
  let mayHaveRemoved = true
  const wakes: (() => void)[] = []
  announcements.subscribe(['deploys'], () => {
    mayHaveNew = true
    mayHaveRemoved = true
    for (const wake of wakes) wake()
  })

  async function removeUnusedEncodings(signal: AbortSignal): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined && !signal.aborted; ) {
      const from: string = after
      after = await write(() => deployFiles.removeUnusedEncodings(from, rowsPerStep))
    }
  }

  return [
    {
      name: 'compress the files of live deploys',
      everyMs: 1_000,
      idleMs: () => (mayHaveNew ? undefined : Number.POSITIVE_INFINITY),
      wokenBy: (wake) => void wakes.push(wake),
      async run(signal) {
        if (!mayHaveNew || clock.monotonic() < compressAgainMs) return
        mayHaveNew = false
        try {
          await compressLive({ deploys, deployFiles, files, write, clock }, signal)
        } catch (error) {
          mayHaveNew = true
          compressAgainMs = clock.monotonic() + failurePauseMs
          throw error
        }
      },
    },
    {
      name: 'delete removed deploys',
      everyMs: 1_000,
      idleMs: () => (mayHaveRemoved ? undefined : idleMs),
      wokenBy: (wake) => void wakes.push(wake),
      async run(signal) {
        for (;;) {
          const [deploy] = deploys.unshown(cutoff(preparedMs), 1)
          mayHaveRemoved = deploy !== undefined
          if (!deploy || signal.aborted) return
          if (deploy.state === 'preparing') await write(() => deploys.abandon(deploy.id))
          await deleteDeploy({ deploys, deployFiles }, deploy, write, signal)
        }
      },
    },
    {
      name: 'delete files that no deploy has',
      everyMs: 3_600_000,
      async run(signal) {
        await files.removeAbandoned()
        await removeUnusedEncodings(signal)
        const isNeeded = (hash: string) => deployFiles.isReferenced(hash) || photos.findFile(hash) !== undefined
        await files.sweep(isNeeded, signal)
      },
    },
  ]
}
