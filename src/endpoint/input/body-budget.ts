/**
 * Limits the memory of all bodies that are being received. If a sender stops in the middle of a body, the received part
 * stays in memory until the connection times out, so a limit for each body is not enough.
 */

import { AppError } from '../../lib/error.ts'

/** Bodies up to this size are not counted, so that ordinary requests succeed even when the budget is used up. */
export const uncountedBytes = 65_536

/** The most bytes of larger bodies that may be held at once. */
export const budgetBytes = 32 * 1024 * 1024

/** The part of the budget that one body uses. */
export interface BodyReservation {
  /** Reserves `bytes` for the body in total; throws `storage_unavailable` if the budget is used up. */
  grow(bytes: number): void
  /** To be called when the body has been read or abandoned. */
  release(): void
}

export interface BodyBudget {
  open(): BodyReservation
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
