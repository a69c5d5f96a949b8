/** The request as the handler of an upload, or of a change in steps, receives it. */

import type { KeyedResult } from '../idempotency/replay.ts'

/** The response to an upload or to a change in steps. `once` returns it. */
export type StepsResponse = KeyedResult

/** Makes a change: runs `change` in a transaction and resolves to its response once that is on disk. */
export type Commit = (change: () => object) => Promise<StepsResponse>

/** Responds with `result` to a request that changed nothing, without waiting for a transaction. */
export type Respond = (result: object) => Promise<StepsResponse>

/**
 * Calls `work`, which takes as many steps as it needs and then calls `commit` once, with a function that returns what
 * the declared success requires, or `respond` with that; or returns the stored response, if the request has the
 * `Idempotency-Key` of an earlier one. Throws `idempotency_in_progress` while another request with that key is at work.
 */
export type Once = (work: (commit: Commit, respond: Respond) => Promise<StepsResponse>) => Promise<StepsResponse>

/** A file as it arrives. Reading it throws `payload_too_large` beyond the declared limit. */
export interface Upload {
  readonly mediaType: string
  readonly chunks: AsyncIterable<Uint8Array>
  /** The `Idempotency-Key` of a POST. */
  readonly idempotencyKey: string | null
  /** Whether a request with that key runs or has a stored response. */
  readonly isRepeated: boolean
  /** To be called when `chunks` has been read to its end. */
  readonly once: Once
}
