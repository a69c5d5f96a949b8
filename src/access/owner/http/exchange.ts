/** A request to one of the dashboard's own routes, after the checks that all routes share. */

import type { Browser } from '../sessions.ts'
import type { SessionRow } from '../store.ts'
import type { Connection } from './connection.ts'

export interface Exchange<B = unknown> {
  readonly request: Request
  readonly connection: Connection
  readonly browser: Browser
  readonly body: B
  /** The part of the path that stands for `{id}` or `{name}`. */
  readonly parameter: string
}

/** An exchange whose browser has a session. */
export interface SignedExchange<B = unknown> extends Exchange<B> {
  readonly session: SessionRow
}
