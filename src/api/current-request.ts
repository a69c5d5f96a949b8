/**
 * The request that is making a change. A change is synchronous, so there is one at a time, even if the changes of
 * several requests share a transaction.
 */

export interface CurrentRequest {
  /** The id of the request; null outside of `run`. */
  id(): string | null
  /** Runs `work`, which is synchronous, as a part of the request `id`. */
  run<T>(id: string | null, work: () => T): T
}

export function createCurrentRequest(): CurrentRequest {
  let current: string | null = null
  return {
    id: () => current,
    run(id, work) {
      const outer = current
      current = id
      try {
        return work()
      } finally {
        current = outer
      }
    },
  }
}
