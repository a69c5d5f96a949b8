/**
 * Data about a request, which the listener attaches, handlers complete, and the request log reads; and the request that
 * is making a change.
 */

import type { ErrorCode } from '../lib/error.ts'
import type { PeerSource } from './client-networks.ts'

/** The longest pause between two bytes of a connection, in seconds; uploads may take longer ones. */
export const idleSeconds = 30

/** The connection of a request. The server of `Bun.serve` implements it. */
export interface Connection extends PeerSource {
  /** Sets the longest pause between two bytes of the connection in seconds; 0 for none. */
  timeout?(request: Request, seconds: number): void
}

export interface RequestContext {
  readonly peer: Connection
  /** Milliseconds of the monotonic clock. */
  readonly startedMs: number
  /** Whether the request breaks RFC 9112 section 3.2: no Host, several, or one that is malformed. */
  readonly hasInvalidHost: boolean
  /** Whether the client has sent it over HTTPS, to this process or to a trusted proxy. */
  isSecure: boolean
  /** Whether it came from a command, over the socket of the store or within one process. */
  isCommand?: boolean
  /** Our origin over HTTPS, if the API responds to this request only there. */
  requiredOrigin?: string
  /** The id of the operation that the request was routed to. */
  operation: string | undefined
  requestId: string | undefined
  keyId: number | undefined
  /** Of HEAD: whether the response to GET has no length. */
  isLengthUnknown?: true
  /** The code in the body of the response. */
  errorCode: ErrorCode | undefined
}

const slot = Symbol('context')

interface Carrier extends Request {
  [slot]?: RequestContext
}

/** Attaches the context of a request that a command makes within this process, `startedMs` on the monotonic clock. */
export function attachCommand(request: Request, startedMs: number): void {
  attachContext(request, {
    peer: { requestIP: () => null },
    startedMs,
    hasInvalidHost: false,
    isSecure: true,
    isCommand: true,
    operation: undefined,
    requestId: undefined,
    keyId: undefined,
    errorCode: undefined,
  })
}

export function attachContext(request: Request, context: RequestContext): void {
  const carrier = request as Carrier
  carrier[slot] = context
}

/** Records the error code of a request's response. */
export function setErrorCode(request: Request, code: ErrorCode): void {
  const context = contextOf(request)
  if (context) context.errorCode = code
}

/** The context of a request; undefined if no listener received the request, as in tests. */
export function contextOf(request: Request): RequestContext | undefined {
  return (request as Carrier)[slot]
}

/**
 * The request that is making a change. A change is synchronous, so there is one at a time, even if the changes of
 * several requests share a transaction.
 */
export interface CurrentRequest {
  /** The id of the request; null outside of `run`. */
  id(): string | null
  /** Runs `work`, which is synchronous, as a part of the request `id`. */
  run<T>(id: string | null, work: () => T): T
}

export function createCurrentRequest(): CurrentRequest {
  let current: string | null = null
  return {
    id: () => current,
    run(id, work) {
      const outer = current
      current = id
      try {
        return work()
      } finally {
        current = outer
      }
    },
  }
}
