/**
 * Bounds the memory of bodies that are being received. A sender that stops in the middle of a body keeps what has arrived
 * in memory until its connection times out, so the sum over all senders needs a limit, not only each body.
 */

import { AppError } from '../../lib/error.ts'

/** Bodies up to this size are not counted: thousands of them fit into what one large body takes. */
export const uncountedBytes = 65_536

/** The most bytes of larger bodies that may be in flight at once. */
export const budgetBytes = 32 * 1024 * 1024

/** The room that one body takes. */
export interface BodyRoom {
  /** Makes room for a body that has grown to `bytes`; throws `storage_unavailable` if there is none. */
  grow(bytes: number): void
  /** To be called when the body was read or given up. */
  release(): void
}

export interface BodyBudget {
  open(): BodyRoom
}

export function createBodyBudget(): BodyBudget {
  let total = 0
  return {
    open() {
      let own = 0
      return {
        grow(bytes) {
          const wanted = bytes <= uncountedBytes ? 0 : bytes
          if (total - own + wanted > budgetBytes) {
            const message = 'Too many large bodies are arriving at the same time. Nothing was changed; try again.'
            throw new AppError('storage_unavailable', message, { retryAfterSeconds: 1 })
          }
          total += wanted - own
          own = wanted
        },
        release() {
          total -= own
          own = 0
        },
      }
    },
  }
}
