/**
 * How many attempts run at once: in all, and of one account to one host, so that no account waits for the slow receiver
 * of another. Those to failing webhooks wait behind the others.
 */

import type { WebhookRow } from './store.ts'

export const attemptsAtOnce = 100
export const attemptsOfPair = 2

/** The account and host of a webhook, as one text. */
export const pairOf = ({ accountId, url }: Pick<WebhookRow, 'accountId' | 'url'>): string =>
  `${accountId} ${new URL(url).hostname}`

interface Waiting {
  readonly pair: string
  readonly isFailing: boolean
  readonly start: () => void
}

export interface Slots {
  /** Takes a slot unless the pair has used up its own, however many run in all. The result gives it back. */
  take(pair: string): (() => void) | undefined
  /** Resolves to the function that gives the slot back, once there is one. Rejects with the reason of `signal`. */
  wait(pair: string, isFailing: boolean, signal: AbortSignal): Promise<() => void>
}

export function createSlots(atOnce = attemptsAtOnce, ofPair = attemptsOfPair): Slots {
  const taken = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let all = 0

  const hasOwn = (pair: string) => (taken.get(pair) ?? 0) < ofPair
  const isFree = (pair: string) => all < atOnce && hasOwn(pair)

  function take(pair: string): () => void {
    all++
    taken.set(pair, (taken.get(pair) ?? 0) + 1)
    return () => {
      all--
      const left = (taken.get(pair) ?? 0) - 1
      if (left > 0) taken.set(pair, left)
      else taken.delete(pair)
      startNext()
    }
  }

  function startNext(): void {
    const free = [...waiting].filter(({ pair }) => isFree(pair))
    const next = free.find(({ isFailing }) => !isFailing) ?? free[0]
    if (next === undefined) return
    waiting.delete(next)
    next.start()
  }

  return {
    take: (pair) => (hasOwn(pair) ? take(pair) : undefined),
    wait(pair, isFailing, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const abort = () => {
        waiting.delete(entry)
        reject(signal.reason)
      }
      const entry: Waiting = {
        pair,
        isFailing,
        start() {
          signal.removeEventListener('abort', abort)
          resolve(take(pair))
        },
      }
      if (signal.aborted) abort()
      else if (isFree(pair)) entry.start()
      else {
        waiting.add(entry)
        signal.addEventListener('abort', abort, { once: true })
      }
      return promise
    },
  }
}
