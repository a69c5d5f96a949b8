/**
 * Pauses after wrong passwords. Ten in ten minutes from one address cause a pause, and each further one a longer pause.
 * Wrong passwords of strangers from all addresses together cause a pause for all strangers. A browser in which the
 * owner has signed in before is counted separately, so that nobody else can keep the owner out. Counted in memory, by
 * the monotonic clock.
 */

import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../lib/clock.ts'

export const guessesBeforePause = 10
/** The number for all addresses together. */
export const strangersBeforePause = 50
export const guessSpanMs = 600_000
export const firstPauseMs = 30_000
export const longestPauseMs = 900_000
/** Without a wrong password for this long after a pause, the next one is counted as the first. */
export const forgottenAfterMs = 3_600_000

const trackedSources = 10_000

/** Where a password comes from. */
export type Source =
  | { readonly kind: 'stranger'; readonly network: string }
  /** A browser in which the owner has signed in, or a session whose owner confirms a change. */
  | { readonly kind: 'known'; readonly name: string }

/** A password that is being checked. Exactly one of its functions is to be called. */
export interface Guess {
  right(): void
  wrong(): void
  /** The password was not checked. */
  cancel(): void
}

interface Count {
  /** Times of the last wrong passwords. */
  wrongMs: number[]
  /** Passwords that are being checked: they are counted as wrong until it is known. */
  pending: number
  pauses: number
  pausedUntilMs: number
}

export function createGuesses(clock: Pick<Clock, 'monotonic'>) {
  /** Created by the first guess: allocating the table would delay every start. */
  let sources: LRUCache<string, Count> | undefined
  const strangers = newCount()

  function countOf(name: string): Count {
    sources ??= new LRUCache<string, Count>({ max: trackedSources })
    let count = sources.get(name)
    if (!count) {
      count = newCount()
      sources.set(name, count)
    }
    return count
  }

  /** The milliseconds until `count` accepts another password; 0 for at once. */
  function pauseMs(count: Count, limit: number, nowMs: number): number {
    if (nowMs < count.pausedUntilMs) return count.pausedUntilMs - nowMs
    const lastMs = Math.max(count.pausedUntilMs, count.wrongMs.at(-1) ?? Number.NEGATIVE_INFINITY)
    if (count.pauses > 0 && nowMs - lastMs > forgottenAfterMs) count.pauses = 0
    count.wrongMs = count.wrongMs.filter((ms) => nowMs - ms < guessSpanMs)
    const accepted = count.pauses > 0 ? 1 : limit - count.wrongMs.length
    return count.pending >= Math.max(1, accepted) ? 1_000 : 0
  }

  function wrong(count: Count, limit: number): void {
    const nowMs = clock.monotonic()
    count.wrongMs = [...count.wrongMs.filter((ms) => nowMs - ms < guessSpanMs), nowMs].slice(-limit)
    if (count.wrongMs.length < limit && count.pauses === 0) return
    count.pausedUntilMs = nowMs + Math.min(firstPauseMs * 2 ** count.pauses, longestPauseMs)
    count.pauses++
  }

  return {
    /** Begins to check a password, or returns the whole seconds after which the next may be tried. */
    begin(source: Source): Guess | number {
      const nowMs = clock.monotonic()
      const own = countOf(source.kind === 'known' ? source.name : source.network)
      const counts: [Count, number][] = [[own, guessesBeforePause]]
      if (source.kind === 'stranger') counts.push([strangers, strangersBeforePause])
      const longestMs = Math.max(...counts.map(([count, limit]) => pauseMs(count, limit, nowMs)))
      if (longestMs > 0) return Math.ceil(longestMs / 1_000)
      for (const [count] of counts) count.pending++
      const end = () => {
        for (const [count] of counts) count.pending--
      }
      return {
        right() {
          end()
          own.wrongMs = []
          own.pauses = 0
          own.pausedUntilMs = Number.NEGATIVE_INFINITY
        },
        wrong() {
          end()
          for (const [count, limit] of counts) wrong(count, limit)
        },
        cancel: end,
      }
    },
  }
}
export type Guesses = ReturnType<typeof createGuesses>

function newCount(): Count {
  return { wrongMs: [], pending: 0, pauses: 0, pausedUntilMs: Number.NEGATIVE_INFINITY }
}
