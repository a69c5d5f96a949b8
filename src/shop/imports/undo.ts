/**
 * Undoes an import: removes the records that it added, except those that were changed or ordered afterwards. An import
 * that was interrupted is removed in the same way.
 */

import { type StoreAccountStores, storeAccount } from '../../access/accounts/store-account.ts'
import type { AuditStore } from '../../access/audit/store.ts'
import type { EventWriter } from '../../access/events/log.ts'
import { afterOthers } from '../../database/faults/fault.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import { addMissingDefaults } from '../categories/change.ts'
import type { CategoryStore } from '../categories/store.ts'
import type { DeletedPetStore } from '../pets/changes/deleted-pets.ts'
import type { PetStore } from '../pets/store.ts'
import type { RunningImports } from './running.ts'
import { toImportedPets } from './schemas.ts'
import type { ImportRow, ImportsStore } from './store.ts'

export interface UndoParts {
  readonly imports: ImportsStore
  readonly events: EventWriter
  readonly pets: Pick<PetStore, 'page' | 'remove' | 'countInCategory'>
  readonly deletedPets: Pick<DeletedPetStore, 'remove'>
  readonly categories: Pick<CategoryStore, 'add' | 'find' | 'findByName' | 'remove'>
}

/** The progress of an undo. */
export interface UndoProgress {
  readonly id: number
  /** Animals and categories with higher ids have not been processed yet. */
  readonly petId: number
  readonly categoryId: number
  readonly removed: number
  readonly removedCategories: number
  /** The number of animals that were kept because they were changed. */
  readonly changed: number
  /** The number of animals that were kept because they were ordered. */
  readonly ordered: number
  readonly isDone: boolean
}

const chunkSize = 50

/** Throws `not_found` for an unknown import, `conflict` for one that is not complete or was undone before. */
export function startUndo({ imports }: Pick<UndoParts, 'imports'>, id: number): UndoProgress {
  getComplete(imports, id)
  return startRemoval(id)
}

/** The start of the removal of an import that was interrupted. */
export function startRemoval(id: number): UndoProgress {
  return { id, petId: 0, categoryId: 0, removed: 0, removedCategories: 0, changed: 0, ordered: 0, isDone: false }
}

export interface UndoStep {
  /** Unix milliseconds. */
  readonly nowMs: number
  /** Whether the step should end. */
  readonly isOver: () => boolean
}

/**
 * Works until `isOver`; called in a transaction, repeatedly until the progress is done. An undo that was interrupted
 * can be started again. Throws the same errors as `startUndo`.
 */
export function undoStep(parts: UndoParts, progress: UndoProgress, { nowMs, isOver }: UndoStep): UndoProgress {
  const found = getComplete(parts.imports, progress.id)
  const next = removeMore(parts, found, progress, isOver)
  if (next.isDone) {
    parts.imports.setUndone(progress.id, nowMs)
    parts.events.write('import.undone', null, toImportedPets(found))
  } else {
    parts.imports.setUndoing(progress.id, nowMs)
  }
  return next
}

/**
 * Like `undoStep`, for an import that was interrupted: in the end nothing of it remains, unless animals were changed or
 * ordered meanwhile, and the default categories that it has replaced are back. Throws `not_found`.
 */
export function removalStep(parts: UndoParts, progress: UndoProgress, { nowMs, isOver }: UndoStep): UndoProgress {
  const found = getImport(parts.imports, progress.id)
  const next = removeMore(parts, found, progress, isOver)
  if (next.isDone) {
    if (next.changed + next.ordered === 0) parts.imports.remove(progress.id)
    else {
      // Mirrors list the animals that remain.
      parts.imports.setCompleted(progress.id, nowMs)
      parts.imports.setUndone(progress.id, nowMs)
    }
    parts.events.write('import.failed', null, toImportedPets(found))
    if (isUnused(parts)) addMissingDefaults(parts.categories)
  }
  return next
}

/** Whether no import but the removed one can have replaced default categories for animals that are there. */
function isUnused({ imports, pets }: UndoParts): boolean {
  const hasImports = imports.page(pageRange('asc', undefined), 1).length > 0
  return !hasImports || pets.page({}, pageRange('asc', undefined), 1).records.length === 0
}

function removeMore(parts: UndoParts, found: ImportRow, progress: UndoProgress, isOver: () => boolean): UndoProgress {
  let current = progress
  do {
    const next = undoPets(parts, found, current) ?? undoCategories(parts, current)
    if (!next) return { ...current, isDone: true }
    current = next
  } while (!isOver())
  return current
}

function getImport(imports: ImportsStore, id: number): ImportRow {
  const found = imports.find(id)
  if (!found) throw new AppError('not_found', `There is no import ${id}.`)
  return found
}

function getComplete(imports: ImportsStore, id: number): ImportRow {
  const found = getImport(imports, id)
  if (found.undoneAt !== null) throw new AppError('conflict', `Import ${id} was undone already.`)
  if (found.completedAt !== null) return found
  const message = `Import ${id} is not complete: it is being added, or it was interrupted and is removed without an undo.`
  throw new AppError('conflict', message)
}

/** Processes the next animals; returns undefined if there are none. */
function undoPets(
  { imports, pets, deletedPets }: UndoParts,
  found: ImportRow,
  progress: UndoProgress,
): UndoProgress | undefined {
  if (found.firstPetId === null || found.lastPetId === null) return undefined
  const added = imports.addedPets(Math.max(progress.petId, found.firstPetId - 1), found.lastPetId, chunkSize)
  const last = added.at(-1)
  if (!last) return undefined
  let { removed, changed, ordered } = progress
  for (const { isDeleted, isOrdered, isChanged, ...pet } of added) {
    if (isDeleted) {
      // An animal that was deleted before the undo is not one that the undo keeps or removes.
      if (!isOrdered && !isChanged) deletedPets.remove(pet.id)
    } else if (isOrdered) ordered++
    else if (isChanged) changed++
    else {
      pets.remove(pet)
      removed++
    }
  }
  return { ...progress, petId: last.id, removed, changed, ordered }
}

/** Processes the next categories; returns undefined if there are none. */
function undoCategories({ imports, pets, categories }: UndoParts, progress: UndoProgress): UndoProgress | undefined {
  const added = imports.addedCategories(progress.id, progress.categoryId, chunkSize)
  const last = added.at(-1)
  if (!last) return undefined
  const unused = added.filter(({ id }) => pets.countInCategory(id) === 0)
  for (const { id } of unused) categories.remove(id)
  return { ...progress, categoryId: last.id, removedCategories: progress.removedCategories + unused.length }
}

/** What the removal of what imports have added needs, in steps beside other requests. */
export interface RemovalParts extends UndoParts {
  readonly runningImports: RunningImports
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Runs `work` when no other import adds or removes animals, and nothing remains of those that were interrupted or have
 * failed. Throws `storage_unavailable` if the service is stopping.
 */
export function inCleanTurn<T>(parts: RemovalParts, work: () => Promise<T>): Promise<T> {
  return parts.runningImports.inTurn(async () => {
    await removeUnfinished(parts)
    return work()
  })
}

/** To be called in turn: an import that is being added looks the same. */
export async function removeUnfinished(parts: RemovalParts): Promise<void> {
  for (const id of parts.imports.unfinished()) {
    let progress = startRemoval(id)
    while (!progress.isDone) {
      const current = progress
      progress = await parts.runningImports.step('import', (isOver) =>
        removalStep(parts, current, { nowMs: parts.clock.now(), isOver }),
      )
    }
  }
}

/**
 * Undoes an import, in turn. `onDone` is called in the transaction of the last step, and `asRequest` is that of the
 * request that undoes it. Throws the errors of `startUndo`, and `storage_unavailable` if the service is stopping.
 */
export async function undoInSteps(
  parts: RemovalParts,
  id: number,
  onDone: (progress: UndoProgress) => void,
  asRequest = <T>(work: () => T): T => work(),
): Promise<UndoProgress> {
  const start = startUndo(parts, id)
  let progress = start
  try {
    while (!progress.isDone) {
      const current = progress
      progress = await parts.runningImports.step('undo', (isOver) => {
        const next = asRequest(() => undoStep(parts, current, { nowMs: parts.clock.now(), isOver }))
        if (next.isDone) onDone(next)
        return next
      })
    }
  } catch (error) {
    throw progress === start ? error : afterOthers(error)
  }
  return progress
}

export interface FinishParts extends RemovalParts, StoreAccountStores {
  readonly audit: AuditStore
}

/** Finishes an undo that was interrupted. To be called in turn. */
export async function finishUndo(parts: FinishParts, importId: number): Promise<void> {
  await undoInSteps(parts, importId, ({ removed, changed, ordered }) => {
    const context = { actor: 'system', nowMs: parts.clock.now() } as const
    const details = { importId, removed, changed, ordered }
    parts.audit.add(context, { action: 'import.undone', accountId: storeAccount(parts, context).id, details })
  })
}
