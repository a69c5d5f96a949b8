/** `petstore pets import --undo ID`: removes the records that an import added, except those changed or ordered since. */

import { storeAccount } from '../access/accounts/store-account.ts'
import type { StoreConfig } from '../config/config.ts'
import { afterOthers } from '../database/faults/fault.ts'
import { systemClock } from '../lib/clock.ts'
import { startUndo, type UndoProgress, undoStep } from '../shop/imports/undo.ts'
import type { Terminal } from './command.ts'
import { plural } from './output.ts'
import { createProgress } from './progress.ts'
import { inSteps, stepMs } from './steps.ts'
import { type CommandStore, withStore } from './store.ts'

export async function undoImport(config: StoreConfig, id: number, terminal: Terminal, isJson: boolean): Promise<void> {
  const bar = createProgress(terminal, systemClock)
  const done = await withStore(config, async (store) => {
    const start = startUndo(store, id)
    let progress = start
    await inSteps(() => {
      const endMs = systemClock.monotonic() + stepMs
      const step = { nowMs: systemClock.now(), isOver: () => systemClock.monotonic() >= endMs }
      progress = store.write(() => {
        const next = undoStep(store, progress, step)
        if (next.isDone) recordUndo(store, next, step.nowMs)
        return next
      })
      bar.update(`${plural(progress.removed, 'animal')} removed`)
      return !progress.isDone
    }).catch((error: unknown) => {
      throw progress === start ? error : afterOthers(error)
    })
    return progress
  }).finally(bar.clear)
  const { removed, changed, ordered } = done
  terminal.out(`${isJson ? JSON.stringify({ id, removed, changed, ordered }) : describe(done)}\n`)
}

function recordUndo(store: CommandStore, { id, removed, changed, ordered }: UndoProgress, nowMs: number): void {
  const context = { actor: 'command', nowMs } as const
  const details = { importId: id, removed, changed, ordered }
  store.audit.record(context, { action: 'import.undone', accountId: storeAccount(store, context).id, details })
}

function describe({ id, removed, removedCategories, changed, ordered, isDoneByOther }: UndoProgress): string {
  const categories = removedCategories > 0 ? ` and ${pluralCategories(removedCategories)}` : ''
  const lines = [`Removed ${plural(removed, 'animal')}${categories} of import ${id}.`]
  const reasons = [
    ...(changed > 0 ? [`${plural(changed, 'animal')} changed since the import`] : []),
    ...(ordered > 0 ? [`${plural(ordered, 'animal')} ordered since`] : []),
  ]
  if (reasons.length > 0) lines.push(`Kept ${reasons.join(' and ')}.`)
  if (isDoneByOther) lines.push('Another process removed the rest at the same time.')
  return lines.join('\n')
}

function pluralCategories(count: number): string {
  return count === 1 ? '1 category' : `${count.toLocaleString('en')} categories`
}
