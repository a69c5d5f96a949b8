/**
 * Slots limit the work that runs at the same time, in all and for each group, such as an account. Other work waits in
 * the order in which it was added, except that a group without a free slot does not delay the others.
 */

export interface Slots<Group> {
  /** Whether the limit of all groups together is reached. */
  isFull(): boolean
  /** Whether work of the group could begin now. */
  isFree(group: Group): boolean
  /** Takes a slot if the group has a free one, whatever the limit in all. The result gives it back. */
  take(group: Group): (() => void) | undefined
  /**
   * Resolves to the function that gives the slot back, once there is one. Rejects with the reason of `signal`. Deferred
   * work waits behind all other work.
   */
  wait(group: Group, signal?: AbortSignal, isDeferred?: boolean): Promise<() => void>
  /** Runs `work` in a slot, once there is one. */
  run<T>(group: Group, work: () => Promise<T>): Promise<T>
}

export function createSlots<Group>(inAll: number, ofGroup: number): Slots<Group> {
  interface Waiting {
    readonly group: Group
    readonly isDeferred: boolean
    readonly start: () => void
  }
  const taken = new Map<Group, number>()
  const waiting = new Set<Waiting>()
  let count = 0

  const isFull = () => count >= inAll
  const hasOwn = (group: Group) => (taken.get(group) ?? 0) < ofGroup
  const isFree = (group: Group) => !isFull() && hasOwn(group)

  function take(group: Group): () => void {
    count++
    taken.set(group, (taken.get(group) ?? 0) + 1)
    return () => {
      count--
      const left = (taken.get(group) ?? 0) - 1
      if (left > 0) taken.set(group, left)
      else taken.delete(group)
      startNext()
    }
  }

  function startNext(): void {
    const free = [...waiting].filter(({ group }) => isFree(group))
    const next = free.find(({ isDeferred }) => !isDeferred) ?? free[0]
    if (next === undefined) return
    waiting.delete(next)
    next.start()
  }

  function wait(group: Group, signal?: AbortSignal, isDeferred = false): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const abort = () => {
      waiting.delete(entry)
      reject(signal?.reason)
    }
    const entry: Waiting = {
      group,
      isDeferred,
      start() {
        signal?.removeEventListener('abort', abort)
        resolve(take(group))
      },
    }
    if (signal?.aborted) abort()
    else if (isFree(group)) entry.start()
    else {
      waiting.add(entry)
      signal?.addEventListener('abort', abort, { once: true })
    }
    return promise
  }

  return {
    isFull,
    isFree,
    take: (group) => (hasOwn(group) ? take(group) : undefined),
    wait,
    async run(group, work) {
      const giveBack = await wait(group)
      try {
        return await work()
      } finally {
        giveBack()
      }
    },
  }
}
