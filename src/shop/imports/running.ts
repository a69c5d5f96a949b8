/**
 * The imports and undos that are running in this server. The number of imports is limited, one at a time adds or
 * removes animals, in steps between which other requests are served, and all end when the service stops.
 */

import { inProgress } from '../../api/idempotency/replay.ts'
import type { Principal } from '../../api/principal.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import type { Turns } from '../../lib/steps/turns.ts'

/** The duration of one step, in milliseconds. */
const stepMs = 4

/** The most imports of an account that are received or added at a time. */
const importsOfAccount = 4
/** The most imports of all accounts: each may need some hundred MiB of disk. */
const importsInAll = 16

const stopping = {
  import: 'The service is stopping. Nothing remains of this import after the next start; send the file again.',
  undo: 'The service is stopping. The next start finishes the undo if it has begun; otherwise undo the import again then.',
} as const
type Kind = keyof typeof stopping

type Importer = Pick<Principal, 'actor' | 'accountId'>

export interface RunningParts {
  readonly writer: Writer
  readonly turns: Turns
  readonly clock: Pick<Clock, 'monotonic'>
}

export function createRunningImports({ writer, turns, clock }: RunningParts) {
  /** What `stop` waits for. */
  const running = new Set<Promise<unknown>>()
  /** The account and the `Idempotency-Key` of each import. */
  const imports: { readonly accountId: number; readonly key: string | null }[] = []
  /** The ids of the imports that are being undone. */
  const undone = new Set<number>()
  /** The number of works that have or await their turn. */
  let waiting = 0
  /** Resolves at the end of the last one. */
  let lastTurn: Promise<unknown> = Promise.resolve()
  let isStopping = false

  /** Throws `storage_unavailable` if the service is stopping. */
  function assertRunning(kind: Kind = 'import'): void {
    if (isStopping) throw new AppError('storage_unavailable', stopping[kind], { retryAfterSeconds: 10 })
  }

  function assertFree(accountId: number, key: string | null): void {
    const own = imports.filter((other) => other.accountId === accountId)
    if (own.length >= importsOfAccount) {
      if (key !== null && own.some((other) => other.key === key)) throw inProgress()
      const message = `${importsOfAccount} imports of this account are running, which is the most at once: try again when one has finished.`
      throw new AppError('conflict', message)
    }
    if (imports.length >= importsInAll) {
      const message = 'Too many imports are running at the same time. Nothing was changed; try again later.'
      throw new AppError('storage_unavailable', message, { retryAfterSeconds: 10 })
    }
  }

  async function tracked<T>(work: Promise<T>): Promise<T> {
    running.add(work)
    try {
      return await work
    } finally {
      running.delete(work)
    }
  }

  /**
   * Runs `work`, which adds or removes the animals of imports, when nothing else does: only the animals of one import
   * have reserved ids, and the categories of one that is being added have no animals yet.
   */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    waiting++
    const result = lastTurn.then(work)
    const leave = () => void waiting--
    lastTurn = result.then(leave, leave)
    return tracked(result)
  }

  return {
    isStopping: (): boolean => isStopping,
    /** Whether work would have its turn at once. */
    isFree: (): boolean => !isStopping && waiting === 0,
    assertRunning,
    /**
     * Runs `work`, an import of an account. If too many of this account are running, throws `idempotency_in_progress`
     * if one of them has the same `key`, and `conflict` otherwise. Throws `storage_unavailable` if too many of all
     * accounts are running, or the service is stopping. The number of those of commands is not limited.
     */
    async import<T>({ actor, accountId }: Importer, key: string | null, work: () => Promise<T>): Promise<T> {
      assertRunning()
      if (actor !== 'command') assertFree(accountId, key)
      const own = { accountId, key }
      imports.push(own)
      try {
        return await tracked(work())
      } finally {
        imports.splice(imports.indexOf(own), 1)
      }
    },
    inTurn,
    /**
     * Runs `work` in a transaction, in its own turn of the event loop; it ends soon after `isOver` is true. Throws
     * `storage_unavailable` if the service is stopping.
     */
    step<T>(kind: Kind, work: (isOver: () => boolean) => T): Promise<T> {
      assertRunning(kind)
      return turns(() =>
        writer.write(() => {
          const endMs = clock.monotonic() + stepMs
          return work(() => clock.monotonic() >= endMs)
        }),
      )
    },
    /** Runs `work`, which undoes the import `id`. Throws `conflict` if other work is doing that. */
    async undo<T>(id: number, work: () => Promise<T>): Promise<T> {
      assertRunning('undo')
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
