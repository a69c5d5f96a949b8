/**
 * How many deploys are at work at once. Uploads arrive beside each other, each in a file of its own. They are unpacked one
 * at a time for each account, in the order in which they have arrived, and two at once in all.
 */

import { inProgress } from '../../../api/idempotency/replay.ts'
import type { Clock } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/error.ts'
import { stopping } from '../storage/system.ts'

/** The most uploads of an account at once, unpacking included. */
export const uploadsOfAccount = 4
/** The most uploads of all accounts at once: each may need 100 MiB of disk while it arrives. */
export const uploadsInAll = 16
const unpackedAtOnce = 2

/** When a client should try again, if there are too many uploads: most deploys take a few seconds. */
const retryAfterSeconds = 10

/** How long stopping waits for deploys that are being recorded, in milliseconds. */
const stopTimeoutMs = 5_000

export function createDeployTurns(clock: Pick<Clock, 'after'>) {
  const controller = new AbortController()
  /** The keys of each account's uploads. */
  const uploads = new Map<number, (string | null)[]>()
  let all = 0
  /** The last deploy of each account that has one; never rejects. */
  const lanes = new Map<number, Promise<unknown>>()
  let free = unpackedAtOnce
  const waiting: (() => void)[] = []

  async function withSlot<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }

  return {
    /**
     * Admits an upload; returns a function to call when it is done. Throws `too_busy` if this account or all accounts together
     * have too many, or `idempotency_in_progress` if one of this account's has the same key.
     */
    enter(accountId: number, idempotencyKey: string | null): () => void {
      const own = uploads.get(accountId) ?? []
      if (own.length >= uploadsOfAccount) {
        if (idempotencyKey !== null && own.includes(idempotencyKey)) throw inProgress()
        throw tooBusy(`${own.length} deploys of account ${accountId} are at work, which is the most at once.`)
      }
      if (all >= uploadsInAll) {
        throw tooBusy('Too many deploys are at work at the same time.')
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
     * Runs `work` when the earlier deploys of the account are done and there is a free slot. It should end when `signal` is
     * aborted. Throws `storage_unavailable` when the service stops.
     */
    run<T>(accountId: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const earlier = lanes.get(accountId) ?? Promise.resolve()
      const { signal } = controller
      const result = earlier.then(() =>
        withSlot(() => {
          signal.throwIfAborted()
          return work(signal)
        }),
      )
      const settled = result.then(
        () => {},
        () => {},
      )
      lanes.set(accountId, settled)
      void settled.then(() => {
        if (lanes.get(accountId) === settled) lanes.delete(accountId)
      })
      return result
    },
    /** Ends the deploys in progress, and waits for them for a while. To be called before the database is closed. */
    async stop(): Promise<void> {
      controller.abort(stopping())
      const timeout = Promise.withResolvers<void>()
      const cancel = clock.after(stopTimeoutMs, timeout.resolve)
      await Promise.race([Promise.all(lanes.values()), timeout.promise])
      cancel()
    },
  }
}

function tooBusy(reason: string): AppError {
  const message = `${reason} Nothing was changed; try again when one is done.`
  return new AppError('too_busy', message, { retryAfterSeconds })
}

export type DeployTurns = ReturnType<typeof createDeployTurns>
