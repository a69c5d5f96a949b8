/**
 * Limits the memory of all bodies that are being received. If a sender stops in the middle of a body, the received part
 * stays in memory until the connection times out, so a limit for each body is not enough.
 */

import { AppError } from '../../lib/error.ts'

/** Bodies up to this size are not counted, so that ordinary requests succeed even when the budget is used up. */
export const uncountedBytes = 65_536

/** The most bytes of larger bodies in memory at once. */
export const budgetBytes = 32 * 1024 * 1024

/** The most bytes of them that one sender may use. */
export const senderBytes = 8 * 1024 * 1024

/** The part of the budget that one body uses. */
export interface BodyReservation {
  /** Reserves `bytes` for the body in total; throws `too_busy` if the budget or the sender's part of it is used up. */
  grow(bytes: number): void
  /** To be called when the body has been read or abandoned. */
  release(): void
}

export interface BodyBudget {
  /** `sender` names whoever sends the body: a key, or all requests that have none. */
  open(sender: string): BodyReservation
}

export function createBodyBudget(): BodyBudget {
  let total = 0
  const totals = new Map<string, number>()
  return {
    open(sender) {
      let own = 0

      function reserve(bytes: number): void {
        const ofSender = (totals.get(sender) ?? 0) + bytes - own
        total += bytes - own
        own = bytes
        if (ofSender === 0) totals.delete(sender)
        else totals.set(sender, ofSender)
      }

      return {
        grow(bytes) {
          const wanted = bytes <= uncountedBytes ? 0 : bytes
          if ((totals.get(sender) ?? 0) - own + wanted > senderBytes) throw tooBusy('large bodies of this key')
          if (total - own + wanted > budgetBytes) throw tooBusy('large bodies')
          reserve(wanted)
        },
        release: () => reserve(0),
      }
    },
  }
}

function tooBusy(bodies: string): AppError {
  const message = `Too many ${bodies} are arriving at the same time. Nothing was changed; try again.`
  return new AppError('too_busy', message, { retryAfterSeconds: 1 })
}
