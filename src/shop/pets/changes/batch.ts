/** Changes, deletes or restores several animals, a few in each transaction. */

import { afterOthers } from '../../../database/faults/fault.ts'
import type { Writer } from '../../../database/writer.ts'
import { AppError, type ErrorCode } from '../../../lib/error.ts'
import type { Turns } from '../../../lib/steps/turns.ts'
import type { PetRow } from '../table.ts'
import { changePet, deletePet, type PetStores, restorePet } from './change.ts'

/** One of the three; all other members are undefined. */
export interface BatchAction {
  readonly change?: Partial<Omit<PetRow, 'id'>>
  readonly delete?: true
  readonly restore?: true
}

/** Whether an animal was changed, or the error. */
interface Outcome {
  readonly id: number
  readonly done: boolean
  readonly code: ErrorCode | null
  readonly message: string | null
}

/** The result for one animal: the animal as it is now, or the error. */
export interface BatchResult extends Outcome {
  /** Null if the animal was deleted, or if there is an error. */
  readonly pet: PetRow | null
}

/** The errors that concern one animal alone. The others, such as a full disk, end the whole batch. */
const errorsOfAnimals: readonly ErrorCode[] = ['not_found', 'conflict', 'invalid_status_transition']

/** The number of animals in one transaction. A change of an animal takes up to half a millisecond among a million. */
const partSize = 20

/** Applies `action` to each animal, as `changeEach` does; called in a transaction. */
export function changePets(
  stores: PetStores,
  ids: readonly number[],
  action: BatchAction,
  nowMs: number,
): readonly BatchResult[] {
  return changeEach(ids, (id) => ({ pet: apply(stores, id, action, nowMs) }), { pet: null })
}

/**
 * Calls `change` for each animal. An animal for which that is not possible is left unchanged and does not affect the
 * others; its result has `none`.
 */
export function changeEach<R extends object>(
  ids: readonly number[],
  change: (id: number) => R,
  none: R,
): readonly (Outcome & R)[] {
  return ids.map((id) => {
    try {
      return { id, done: true, ...change(id), code: null, message: null }
    } catch (error) {
      if (!(error instanceof AppError) || !errorsOfAnimals.includes(error.code)) throw error
      return { id, done: false, ...none, code: error.code, message: error.message }
    }
  })
}

/** The functions check everything before they write, so an error leaves the animal unchanged. */
function apply(stores: PetStores, id: number, action: BatchAction, nowMs: number): PetRow | null {
  if (action.change) return changePet(stores, id, action.change, nowMs)
  if (action.restore) return restorePet(stores, id, nowMs)
  deletePet(stores, id, nowMs)
  return null
}

/** Calls `change` for parts of `ids`, each in its own transaction; `commit` runs the last and gets all results. */
export async function inParts<R, T>(
  { writer, turns }: { readonly writer: Writer; readonly turns: Turns },
  ids: readonly number[],
  change: (part: readonly number[]) => readonly T[],
  commit: (last: () => readonly T[]) => Promise<R>,
): Promise<R> {
  const results: T[] = []
  const lastStart = Math.floor((ids.length - 1) / partSize) * partSize
  try {
    for (let start = 0; start < lastStart; start += partSize) {
      const part = ids.slice(start, start + partSize)
      results.push(...(await turns(() => writer.write(() => change(part)))))
    }
    return await turns(() => commit(() => [...results, ...change(ids.slice(lastStart))]))
  } catch (error) {
    throw results.length === 0 ? error : afterOthers(error)
  }
}
