/**
 * How many uploads of one kind there are at once. They arrive at the same time, each in its own file. They are
 * processed one at a time for each account, in the order in which they have arrived, and a few at once in all.
 */

import type { Clock } from '../lib/clock.ts'
import { stopping } from '../lib/contents/disk.ts'
import { AppError } from '../lib/error.ts'
import { createSlots } from '../lib/slots.ts'
import { inProgress as keyInProgress } from './idempotency/replay.ts'

/** The most uploads of an account at once, processing included. */
export const uploadsOfAccount = 4
/** The most uploads of all accounts at once: each may need 100 MiB of disk while it arrives. */
export const uploadsInAll = 16

/** When a client should try again, if there are too many uploads: most take a few seconds. */
const retryAfterSeconds = 10

/** How long stopping waits for uploads that are being recorded, in milliseconds. */
const stopTimeoutMs = 5_000

/** `name` is what they are; `atOnce` is how many are processed at the same time. */
export function createUploadTurns(name: 'deploys' | 'imports' | 'photos', atOnce: number, clock: Pick<Clock, 'after'>) {
  const controller = new AbortController()
  /** The keys of each account's uploads. */
  const uploads = new Map<number, (string | null)[]>()
  let all = 0
  /** By account: in the order of the uploads. */
  const slots = createSlots<number>(atOnce, 1)
  const inProgress = new Set<Promise<unknown>>()

  return {
    /**
     * Admits an upload; returns a function to call when it is done. Throws `too_busy` if this account or all accounts
     * together have too many, or `idempotency_in_progress` if one of this account's has the same key.
     */
    enter(accountId: number, idempotencyKey: string | null): () => void {
      const own = uploads.get(accountId) ?? []
      if (own.length >= uploadsOfAccount) {
        if (idempotencyKey !== null && own.includes(idempotencyKey)) throw keyInProgress()
        throw tooBusy(`${own.length} ${name} of account ${accountId} are being uploaded, which is the maximum.`)
      }
      if (all >= uploadsInAll) {
        throw tooBusy(`Too many ${name} are being uploaded at the same time.`)
      }
      all++
      uploads.set(accountId, [...own, idempotencyKey])
      let isDone = false
      return () => {
        if (isDone) return
        isDone = true
        all--
        const left = uploads.get(accountId) ?? []
        left.splice(left.indexOf(idempotencyKey), 1)
        if (left.length === 0) uploads.delete(accountId)
      }
    },
    /**
     * Runs `work` when the earlier uploads of the account are done and there is a free slot. It should end when
     * `signal` is aborted. Throws `storage_unavailable` when the service stops.
     */
    run<T>(accountId: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const { signal } = controller
      const result = slots.run(accountId, async () => {
        signal.throwIfAborted()
        return await work(signal)
      })
      inProgress.add(result)
      void Promise.allSettled([result]).then(() => inProgress.delete(result))
      return result
    },
    /** Ends the uploads in progress, and waits for them for a while. To be called before the database is closed. */
    async stop(): Promise<void> {
      controller.abort(stopping())
      const timeout = Promise.withResolvers<void>()
      const cancel = clock.after(stopTimeoutMs, timeout.resolve)
      await Promise.race([Promise.allSettled(inProgress), timeout.promise])
      cancel()
    },
  }
}

function tooBusy(reason: string): AppError {
  const message = `${reason} Nothing was changed; try again when one is done.`
  return new AppError('too_busy', message, { retryAfterSeconds })
}

export type UploadTurns = ReturnType<typeof createUploadTurns>
