/**
 * Lets a few handshakes begin in each turn of the event loop, in the order in which they came. Each takes about 0.2 ms, and
 * connections that are open must not wait for all of them. Bun itself reads at most five sockets in a handshake in a turn
 * and puts the others on a stack, from which it takes the newest first: while more than five arrive in each turn, the oldest
 * are never read (decision 26). As many as begin here stay below that.
 */

export interface Pacer {
  /** Runs `task` in this turn or in a later one, in the order of the calls. */
  run(task: () => void): void
}

export function createPacer(perTurn: number): Pacer {
  const waiting: (() => void)[] = []
  let left = perTurn
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      left = perTurn
      while (left > 0 && waiting.length > 0) {
        left--
        waiting.shift()?.()
      }
      if (left < perTurn) schedule()
    })
  }

  return {
    run(task) {
      schedule()
      if (left > 0 && waiting.length === 0) {
        left--
        task()
      } else {
        waiting.push(task)
      }
    },
  }
}
