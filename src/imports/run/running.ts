/** The imports that are running in this server: their number is limited, and they end when the service stops. */

import { AppError } from '../../lib/error.ts'

/** The most imports that are received or added at a time. */
export const maximumImports = 4

const stopping = {
  import: 'The service is stopping. Nothing remains of this import after the next start; send the file again.',
  undo: 'The service is stopping, and the import may be undone in part: undo it again after the next start.',
} as const
type Kind = keyof typeof stopping

export function createRunningImports() {
  const running = new Set<Promise<unknown>>()
  /** The ids of the imports that are being undone. */
  const undone = new Set<number>()
  /** The number of turns that are taken or waited for. */
  let turns = 0
  /** Resolves at the end of the last one. */
  let lastTurn: Promise<unknown> = Promise.resolve()
  let isStopping = false

  /** Throws `storage_unavailable` if the service is stopping. */
  function assertRunning(kind: Kind = 'import'): void {
    if (isStopping) throw new AppError('storage_unavailable', stopping[kind], { retryAfterSeconds: 10 })
  }

  return {
    isStopping: (): boolean => isStopping,
    /** Whether work would have its turn at once. */
    isFree: (): boolean => !isStopping && turns === 0,
    assertRunning,
    /** Runs `work`, an import or an undo. Throws `conflict` if too many are running. */
    async run<T>(work: () => Promise<T>, kind: Kind = 'import'): Promise<T> {
      assertRunning(kind)
      if (running.size >= maximumImports) {
        throw new AppError('conflict', `${maximumImports} imports are running: wait until one of them has finished.`)
      }
      const result = work()
      running.add(result)
      try {
        return await result
      } finally {
        running.delete(result)
      }
    },
    /**
     * Runs `work`, which adds or removes the animals of imports, when nothing else does: only the animals of one import have
     * reserved ids, and the categories of one that is being added have no animals yet.
     */
    async inTurn<T>(work: () => Promise<T>): Promise<T> {
      turns++
      const result = lastTurn.then(work)
      const leave = () => void turns--
      lastTurn = result.then(leave, leave)
      return result
    },
    /** Runs `work`, which undoes the import `id`. Throws `conflict` if other work is doing that. */
    async undo<T>(id: number, work: () => Promise<T>): Promise<T> {
      if (undone.has(id)) throw new AppError('conflict', `Import ${id} is being undone: try again later.`)
      undone.add(id)
      try {
        return await work()
      } finally {
        undone.delete(id)
      }
    },
    /** Ends all imports; resolves when they have ended. */
    async stop(): Promise<void> {
      isStopping = true
      await Promise.allSettled(running)
    },
  }
}
export type RunningImports = ReturnType<typeof createRunningImports>
