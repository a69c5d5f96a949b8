/**
 * Answers POSTs, the same one the same way: a request with an `Idempotency-Key` that was answered within
 * the last day gets that answer again. The answer is stored in the transaction of what it tells of, so
 * that no crash can come between the two.
 */

import type { Writer } from '../database/writer.ts'
import { etagOf, type Settable } from '../http/representation.ts'
import type { Caller } from '../keys/authenticate.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { type IdempotencyStore, keptMs, type StoredAnswer } from './store.ts'

export interface Made {
  /** What the answer shows. */
  readonly body: object
  /** What a GET of it shows, whose ETag the answer carries, if that is not the body. */
  readonly representation?: object
  /** What a repeated answer shows, if the body holds a secret. */
  readonly repeatable?: object
  /** Where it is, if it is new: then the answer is 201. */
  readonly location?: string
}

export interface PostContext {
  readonly request: Request
  readonly set: Settable
  readonly caller: Caller
  /** Hash of the body of a request with an `Idempotency-Key`, empty without one. */
  readonly bodyDigest: string
}

export interface IdempotencyParts {
  readonly answers: IdempotencyStore
  readonly writer: Writer
  readonly clock: Pick<Clock, 'now'>
}

const goodKey = /^[ -~\u0080-\u00ff]{1,255}$/

export function createPosting({ answers, writer, clock }: IdempotencyParts) {
  /** What the keys of requests that aren't answered yet were used for. */
  const running = new Map<string, Buffer>()

  /** Runs `work`, or finds what it gave the first time; to be called in a transaction. */
  function once(caller: Caller, key: string, request: Buffer, work: () => Made): { answer: StoredAnswer; made?: Made } {
    const nowMs = clock.now()
    const stored = answers.find(caller.accountId, key, nowMs - keptMs)
    if (stored && !stored.request.equals(request)) throw reused()
    if (stored) return { answer: stored }
    const made = work()
    const body = JSON.stringify(made.repeatable ?? made.body)
    const answer = {
      accountId: caller.accountId,
      key,
      request,
      status: made.location === undefined ? 200 : 201,
      body,
      etag: etagOf(JSON.stringify(made.representation ?? made.body)),
      location: made.location ?? null,
      createdAt: nowMs,
    }
    answers.add(answer)
    return { answer, made }
  }

  async function answerOnce(context: PostContext, key: string, work: () => Made): Promise<string> {
    const { request, set, caller, bodyDigest } = context
    if (!goodKey.test(key)) {
      throw new AppError('invalid_parameter', 'Idempotency-Key must have 1 to 255 characters, no control characters.')
    }
    const purpose = purposeOf(request, bodyDigest)
    const name = `${caller.accountId} ${key}`
    const other = running.get(name)
    if (other) throw other.equals(purpose) ? inProgress() : reused()
    running.set(name, purpose)
    try {
      const { answer, made } = await writer.write(() => once(caller, key, purpose, work))
      if (!made) set.headers['Idempotent-Replayed'] = 'true'
      describe(set, answer)
      return made ? JSON.stringify(made.body) : answer.body
    } finally {
      running.delete(name)
    }
  }

  return {
    /** Runs `work` in a transaction and gives the body of its answer; `set` gets the rest. */
    async post(context: PostContext, work: () => Made): Promise<string> {
      const key = context.request.headers.get('idempotency-key')
      if (key !== null) return answerOnce(context, key, work)
      const { body, representation, location } = await writer.write(work)
      const text = JSON.stringify(body)
      const etag = etagOf(representation ? JSON.stringify(representation) : text)
      describe(context.set, { status: location === undefined ? 200 : 201, etag, location })
      return text
    },
  }
}
export type Posting = ReturnType<typeof createPosting>

function describe(
  set: Settable,
  answer: { status: number; etag: string | null; location?: string | null | undefined },
) {
  set.status = answer.status
  set.headers['content-type'] = 'application/json'
  set.headers['cache-control'] = 'no-store'
  if (answer.etag) set.headers['etag'] = answer.etag
  if (answer.location) set.headers['location'] = answer.location
}

function purposeOf({ method, url }: Request, bodyDigest: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(`${method} ${new URL(url).pathname}\n${bodyDigest}`).digest()
}

function inProgress(): AppError {
  const message = 'A request with this Idempotency-Key is still running: try again when it is answered.'
  return new AppError('idempotency_in_progress', message)
}

function reused(): AppError {
  const message = 'This Idempotency-Key was used for another request: choose a new one for each.'
  return new AppError('idempotency_key_reused', message)
}
