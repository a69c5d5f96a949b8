/** What a front decides for a client's connection, and learns of it. */

import type { Target } from './inner.ts'
import type { Inspector } from './request-target.ts'
import type { Pacer } from './tls/pacer.ts'
import type { SecureContext } from './tls/secure.ts'

/** Undefined while more bytes are needed. `rejection` is sent before the connection is closed. */
export type Opening =
  | {
      /** Given if the bytes are a ClientHello. */
      readonly context?: SecureContext
      /** Called once the client may send requests; undefined if there is no inner server for them. */
      readonly target: (clientAddress: string) => Target | undefined
    }
  | { readonly rejection: Uint8Array }
  | undefined

export interface ConnectionOptions {
  /** Decides by all bytes that a client has sent so far. */
  readonly open: (bytes: Buffer) => Opening
  readonly inspector: Inspector
  /** Paces the handshakes. */
  readonly pacer: Pacer
  /** The client may send requests, or its connection has ended. */
  readonly onOpened: () => void
  /** The inner server can't be reached, a rejection is sent, or the handshake has failed. */
  readonly onFailure: (kind: 'unreachable' | 'rejected') => void
  /** The client's connection has ended. */
  readonly onClosed: () => void
}
