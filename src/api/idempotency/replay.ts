/**
 * Safe retries: a POST whose `Idempotency-Key` was used within the last day receives the first response again. The
 * response is stored in the transaction of the change that it reports, so a crash loses both or neither.
 */

import { StorageUnavailable } from '../../database/faults/fault.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { type IdempotencyStore, keptMs, type StoredResponse } from './store.ts'

/** A successful response to a POST. */
export interface PostResult {
  readonly status: 200 | 201 | 202
  readonly body: string
  /** The body of a replayed response, if the first one contains a secret. */
  readonly replay?: string
  readonly etag: string
  readonly location?: string | undefined
}

/** The result of a request with an `Idempotency-Key`. */
export interface KeyedResult {
  readonly result: PostResult
  /** Whether it is the stored result of an earlier request. */
  readonly isReplay: boolean
}

export interface KeyedRequest {
  readonly accountId: number
  /** The `Idempotency-Key` header. */
  readonly key: string
  /** Returns the hash of method, path and body: a key belongs to one request. */
  readonly identity: () => Buffer
  /** Runs the change in a transaction: a function of the writer. */
  readonly write: Writer['write']
}

interface IdempotencyParts {
  readonly storedResponses: IdempotencyStore
  readonly clock: Pick<Clock, 'now'>
  /** `createCutoff`. */
  readonly cutoff: (keptMs: number) => number
}

const validKey = /^[ -~\u0080-\u00ff]{1,255}$/

/** A keyed request whose response is not stored yet. */
interface Running {
  readonly identity: Buffer
  /** The response that repeated requests receive while it is being stored. */
  response?: KeyedResult
}

/** The last step of a request, which produces its result. */
export interface LastStep {
  /** Makes `change` in a transaction, possibly again, and resolves once that is on disk. */
  commit(change: () => PostResult): Promise<KeyedResult>
  /** Returns the result of a request that changes nothing, without waiting for a transaction. */
  respond(result: PostResult): Promise<KeyedResult>
}

export function createIdempotency({ storedResponses, clock, cutoff }: IdempotencyParts) {
  const running = new Map<string, Running>()
  /**
   * Whether every stored response is on disk, except those that running requests are storing. After a crash, reads may
   * see responses that are not on disk.
   */
  let isOnDisk = false

  function findStored(accountId: number, key: string, identity: Buffer): KeyedResult | undefined {
    const stored = storedResponses.find(accountId, key, cutoff(keptMs))
    if (stored && !stored.request.equals(identity)) throw reused()
    return stored && { result: resultOf(stored), isReplay: true }
  }

  /** Runs `work` in a transaction, after which everything before it is on disk, too. */
  async function writeWith(write: Writer['write'], work: () => KeyedResult): Promise<KeyedResult> {
    try {
      const result = await write(work)
      isOnDisk = true
      return result
    } catch (error) {
      if (error instanceof StorageUnavailable && error.fault !== 'busy') isOnDisk = false
      throw error
    }
  }

  return {
    /**
     * Runs `work`, which ends with one of the two last steps; or returns the stored result of the first request. Throws
     * `invalid_parameter` for a malformed key, `idempotency_in_progress` and `idempotency_key_reused`.
     */
    async run(
      { accountId, key, identity: identityOf, write }: KeyedRequest,
      work: (lastStep: LastStep) => Promise<KeyedResult>,
    ): Promise<KeyedResult> {
      if (!validKey.test(key)) {
        throw new AppError('invalid_parameter', 'Idempotency-Key must have 1 to 255 characters, no control characters.')
      }
      const identity = identityOf()
      const name = nameOf(accountId, key)
      const other = running.get(name)
      if (other && !other.identity.equals(identity)) throw reused()
      if (other?.response) return other.response
      if (other) throw inProgress()
      const stored = findStored(accountId, key, identity)
      // It is sent again without a transaction, which would wait for the lock of another process.
      if (stored) return isOnDisk ? stored : await writeWith(write, () => stored)

      const own: Running = { identity }
      const end = () => void running.delete(name)
      function commit(change: () => PostResult): Promise<KeyedResult> {
        return writeWith(write, () => {
          const already = findStored(accountId, key, identity)
          if (already) return already
          const createdAt = clock.now()
          const result = change()
          const { status, body, replay = body, etag, location = null } = result
          storedResponses.add({ accountId, key, request: identity, status, body: replay, etag, location, createdAt })
          return { result, isReplay: false }
        })
      }
      async function respond(result: PostResult): Promise<KeyedResult> {
        own.response = { result, isReplay: true }
        // If that fails, a repeated request does the work again.
        void commit(() => result).then(end, end)
        return { result, isReplay: false }
      }

      running.set(name, own)
      try {
        return await work({ commit, respond })
      } finally {
        if (!own.response) end()
      }
    },
    /** Whether a request with the key runs or has a stored response: another one gets that or an error. */
    isUsed: (accountId: number, key: string): boolean =>
      running.has(nameOf(accountId, key)) || storedResponses.find(accountId, key, cutoff(keptMs)) !== undefined,
  }
}
export type Idempotency = ReturnType<typeof createIdempotency>

function nameOf(accountId: number, key: string): string {
  return `${accountId} ${key}`
}

function resultOf({ status, body, etag, location }: StoredResponse): PostResult {
  return { status: status === 201 ? 201 : 200, body, etag: etag ?? '', location: location ?? undefined }
}

/** The error of a request whose key belongs to a request that has no response yet. */
export function inProgress(): AppError {
  const message = 'A request with this Idempotency-Key is still running: try again when it has finished.'
  return new AppError('idempotency_in_progress', message)
}

function reused(): AppError {
  const message = 'This Idempotency-Key was used for another request: choose a new one for each request.'
  return new AppError('idempotency_key_reused', message)
}
