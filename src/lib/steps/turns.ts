/**
 * Divides long work into steps. All users of the same turns together run one step in each turn of the event loop, so
 * requests are served between two steps, however many of them cause such work.
 */

/**
 * Runs a step, which should take a few milliseconds, in its own turn. Resolves to its result or rejects with its error.
 */
export type Turns = <T>(step: () => T) => Promise<Awaited<T>>

export function createTurns(): Turns {
  const waiting: (() => void)[] = []
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    setImmediate(next)
  }

  function next(): void {
    isScheduled = false
    waiting.shift()?.()
    schedule()
  }

  return <T>(step: () => T) =>
    new Promise<Awaited<T>>((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(step() as Awaited<T>)
        } catch (error) {
          reject(error)
        }
      })
      schedule()
    })
}
