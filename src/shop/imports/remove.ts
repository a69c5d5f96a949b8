/** Undoes imports, and removes interrupted ones, beside other requests: in steps of a few milliseconds. */

import { type StoreAccountStores, storeAccount } from '../../access/accounts/store-account.ts'
import { afterOthers } from '../../database/faults/fault.ts'
import { type AddParts, step } from './add.ts'
import { removalStep, startRemoval, startUndo, type UndoProgress, undoStep } from './undo.ts'

/**
 * Undoes an import, in turn. `onDone` is called in the transaction of the last step. Throws the errors of `startUndo`, and what
 * `assertRunning` throws between two steps.
 */
export async function undoInSteps(
  parts: AddParts,
  id: number,
  assertRunning: () => void,
  onDone: (progress: UndoProgress) => void,
): Promise<UndoProgress> {
  const start = startUndo(parts, id)
  let progress = start
  try {
    while (!progress.isDone) {
      assertRunning()
      const current = progress
      progress = await step(parts, (isOver) => {
        const next = undoStep(parts, current, { nowMs: parts.clock.now(), isOver })
        if (next.isDone) onDone(next)
        return next
      })
    }
  } catch (error) {
    throw progress === start ? error : afterOthers(error)
  }
  return progress
}

/**
 * Removes what imports have added that were interrupted or have failed, and these imports. To be called in turn: an import
 * that is being added looks the same. Throws what `assertRunning` throws between two steps.
 */
export async function removeUnfinished(parts: AddParts, assertRunning: () => void): Promise<void> {
  for (const id of parts.imports.unfinished()) {
    let progress = startRemoval(id)
    while (!progress.isDone) {
      assertRunning()
      const current = progress
      progress = await step(parts, (isOver) => removalStep(parts, current, isOver))
    }
  }
}

export interface FinishParts extends AddParts, StoreAccountStores {}

/** An undo whose last step is this long ago was interrupted, in milliseconds. The steps of a command wait 5 seconds for a lock. */
const interruptedMs = 10_000

/** Finishes the undos that were interrupted, also those of commands. To be called in turn, so that no other undo is in progress here. */
export async function finishUndos(parts: FinishParts, assertRunning: () => void): Promise<void> {
  const { imports, audit, clock } = parts
  for (const { id: importId, stepMs } of imports.undoing()) {
    // A time in the future is that of a clock that was wrong.
    if (Math.abs(clock.now() - stepMs) < interruptedMs) continue
    await undoInSteps(parts, importId, assertRunning, ({ removed, changed, ordered }) => {
      const context = { actor: 'system', nowMs: clock.now() } as const
      const details = { importId, removed, changed, ordered }
      audit.record(context, { action: 'import.undone', accountId: storeAccount(parts, context).id, details })
    })
  }
}
