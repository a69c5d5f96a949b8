/**
 * Safe retries: a POST whose `Idempotency-Key` was used within the last day receives the first response again. The
 * response is stored in the transaction of the change that it reports, so a crash loses both or neither.
 */

import type { Writer } from '../database/writer.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { type IdempotencyStore, keptMs, type StoredResponse } from './store.ts'

/** A successful response to a POST. */
export interface PostResult {
  readonly status: 200 | 201
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
}

export interface IdempotencyParts {
  readonly storedResponses: IdempotencyStore
  readonly writer: Writer
  readonly clock: Pick<Clock, 'now'>
  /** `createCutoff`. */
  readonly cutoff: (keptMs: number) => number
}

const validKey = /^[ -~\u0080-\u00ff]{1,255}$/

export function createIdempotency({ storedResponses, writer, clock, cutoff }: IdempotencyParts) {
  /** The identity of each keyed request that has no response yet. */
  const running = new Map<string, Buffer>()

  function findStored(accountId: number, key: string, identity: Buffer): KeyedResult | undefined {
    const stored = storedResponses.find(accountId, key, cutoff(keptMs))
    if (stored && !stored.request.equals(identity)) throw reused()
    return stored && { result: resultOf(stored), isReplay: true }
  }

  /** Runs `work` unless its response is stored; to be called in a transaction. */
  function once(accountId: number, key: string, identity: Buffer, work: () => PostResult): KeyedResult {
    const stored = findStored(accountId, key, identity)
    if (stored) return stored
    const nowMs = clock.now()
    const result = work()
    const { status, body, replay = body, etag, location = null } = result
    storedResponses.add({ accountId, key, request: identity, status, body: replay, etag, location, createdAt: nowMs })
    return { result, isReplay: false }
  }

  /** Runs `work` while no other request with the key runs. */
  async function exclusively(
    { accountId, key, identity }: KeyedRequest,
    work: (own: Buffer) => Promise<KeyedResult>,
  ): Promise<KeyedResult> {
    if (!validKey.test(key)) {
      throw new AppError('invalid_parameter', 'Idempotency-Key must have 1 to 255 characters, no control characters.')
    }
    const own = identity()
    const name = `${accountId} ${key}`
    const other = running.get(name)
    if (other) throw other.equals(own) ? inProgress() : reused()
    running.set(name, own)
    try {
      return await work(own)
    } finally {
      running.delete(name)
    }
  }

  return {
    /**
     * Runs `work` in a transaction, possibly again, or returns the stored result of the first time. Throws
     * `invalid_parameter` for a malformed key, `idempotency_in_progress` and `idempotency_key_reused`.
     */
    run: (request: KeyedRequest, work: () => PostResult): Promise<KeyedResult> =>
      exclusively(request, (own) => writer.writeRepeatable(() => once(request.accountId, request.key, own, work))),
    /**
     * Like `run` for work of several steps, the last of which is the change that `commit` runs in a transaction, possibly again.
     * None of the steps is taken if the result is stored.
     */
    runSteps: (
      request: KeyedRequest,
      work: (commit: (change: () => PostResult) => Promise<KeyedResult>) => Promise<KeyedResult>,
    ): Promise<KeyedResult> =>
      exclusively(request, async (own) => {
        const { accountId, key } = request
        const stored = findStored(accountId, key, own)
        // The writer resolves when everything before is on disk: a stored response can be visible before that.
        if (stored) return await writer.write(() => stored)
        return await work((change) => writer.writeRepeatable(() => once(accountId, key, own, change)))
      }),
  }
}
export type Idempotency = ReturnType<typeof createIdempotency>

function resultOf({ status, body, etag, location }: StoredResponse): PostResult {
  return { status: status === 201 ? 201 : 200, body, etag: etag ?? '', location: location ?? undefined }
}

/** The error of a request whose key belongs to a request that has no response yet. */
export function inProgress(): AppError {
  const message = 'A request with this Idempotency-Key is still running: try again when it has its response.'
  return new AppError('idempotency_in_progress', message)
}

function reused(): AppError {
  const message = 'This Idempotency-Key was used for another request: choose a new one for each.'
  return new AppError('idempotency_key_reused', message)
}
