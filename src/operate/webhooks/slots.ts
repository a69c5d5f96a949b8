/** How many attempts run at once: in all, and to one host. Those to failing webhooks wait behind the others. */

export const attemptsAtOnce = 100
export const attemptsOfHost = 2

interface Waiting {
  readonly host: string
  readonly isFailing: boolean
  readonly start: () => void
}

export interface Slots {
  /** Takes a slot if one is free; the function that is returned gives it back. */
  take(host: string): (() => void) | undefined
  /** Resolves to the function that gives the slot back, once there is one. Rejects with the reason of `signal`. */
  wait(host: string, isFailing: boolean, signal: AbortSignal): Promise<() => void>
}

export function createSlots(atOnce = attemptsAtOnce, ofHost = attemptsOfHost): Slots {
  const taken = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let all = 0

  const isFree = (host: string) => all < atOnce && (taken.get(host) ?? 0) < ofHost

  function take(host: string): () => void {
    all++
    taken.set(host, (taken.get(host) ?? 0) + 1)
    return () => {
      all--
      const left = (taken.get(host) ?? 0) - 1
      if (left > 0) taken.set(host, left)
      else taken.delete(host)
      startNext()
    }
  }

  function startNext(): void {
    const free = [...waiting].filter(({ host }) => isFree(host))
    const next = free.find(({ isFailing }) => !isFailing) ?? free[0]
    if (next === undefined) return
    waiting.delete(next)
    next.start()
  }

  return {
    take: (host) => (isFree(host) ? take(host) : undefined),
    wait(host, isFailing, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const abort = () => {
        waiting.delete(entry)
        reject(signal.reason)
      }
      const entry: Waiting = {
        host,
        isFailing,
        start() {
          signal.removeEventListener('abort', abort)
          resolve(take(host))
        },
      }
      if (signal.aborted) abort()
      else if (isFree(host)) entry.start()
      else {
        waiting.add(entry)
        signal.addEventListener('abort', abort, { once: true })
      }
      return promise
    },
  }
}
