/**
 * Hashing and checking of passwords with argon2id (RFC 9106), outside of the event loop. A hash needs 64 MiB and a
 * processor for a tenth of a second, so at most two are computed at once and few may wait.
 */

import { AppError } from '../../../lib/error.ts'
import { hashedPassword } from '../rules.ts'

const atOnce = 2
/** The most computations that wait, of browsers that are known and of those that are not. */
const waitingAtMost = 16

/** A computation for a browser in which the owner has signed in precedes those for strangers. */
export type Priority = 'known' | 'stranger'

export interface Passwords {
  /** The hash of a password in the PHC format. Throws `TooBusy` if too many computations wait. */
  hash(password: string, priority: Priority): Promise<string>
  /** Whether the password has the hash. Throws `TooBusy` if too many computations wait. */
  verify(password: string, hash: string, priority: Priority): Promise<boolean>
  /** The number of computations that have begun. */
  readonly counts: { begun: number }
}

/** Too many computations wait. */
export class TooBusy extends AppError {
  constructor() {
    super('storage_unavailable', 'Too many people are signing in at the same time. Try again in a few seconds.', {
      retryAfterSeconds: 2,
    })
  }
}

/** `memoryKib` is what one computation needs, in KiB. */
export function createPasswords(memoryKib = 65_536): Passwords {
  const cost = { algorithm: 'argon2id', memoryCost: memoryKib, timeCost: 2 } as const
  const waiting: Record<Priority, (() => void)[]> = { known: [], stranger: [] }
  const counts = { begun: 0 }
  let running = 0

  async function inTurn<T>(priority: Priority, work: () => Promise<T>): Promise<T> {
    if (running === atOnce) {
      const queue = waiting[priority]
      if (queue.length === waitingAtMost) throw new TooBusy()
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running++
    try {
      counts.begun++
      return await work()
    } finally {
      // The next one takes over this place, so that no other can take it.
      const next = waiting.known.shift() ?? waiting.stranger.shift()
      if (next) next()
      else running--
    }
  }

  return {
    hash: (password, priority) => inTurn(priority, () => Bun.password.hash(hashedPassword(password), cost)),
    verify: (password, hash, priority) => inTurn(priority, () => verify(hashedPassword(password), hash)),
    counts,
  }
}

async function verify(password: string, hash: string): Promise<boolean> {
  // Bun rejects an empty password with an error. A blank is as wrong, and takes the same time.
  return await Bun.password.verify(password === '' ? ' ' : password, hash)
}
