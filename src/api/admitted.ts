/** What admission gives to a request before Elysia routes it: its principal, and the headers of every response to it. */

import { nobody, type Principal } from './principal.ts'

export class Admitted {
  /** Who sends the request; `nobody` until it is authenticated. */
  principal: Principal = nobody
  /** The request id and, as soon as they are known, the CORS and limit headers. A response adds its own and is made of all. */
  readonly headers: Record<string, string> = {}
}

/**
 * Admits a request: completes `admitted`, or returns the response to a request that is rejected. `authorization` is the
 * `Authorization` header, or a substitute for it.
 */
export type Admit = (request: Request, admitted: Admitted, authorization?: string | null) => Response | undefined
