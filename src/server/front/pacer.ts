/**
 * Lets a few handshakes proceed in each turn of the event loop. Bun handles at most five readable sockets in a handshake
 * in one turn and puts the others in a queue, from which some never come back: their connections hang until they time out.
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
