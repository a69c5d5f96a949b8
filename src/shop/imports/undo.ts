/**
 * Undoes an import: removes the records that it added, except those that were changed or ordered afterwards, and puts back
 * what it changed.
 */

import { AppError } from '../../lib/error.ts'
import { changePet } from '../pets/changes/change.ts'
import type { PetStatus } from '../pets/rules.ts'
import { changeProfile } from '../profiles/change.ts'
import { emptyProfile } from '../profiles/store.ts'
import { type AddStores, membersOf } from './add.ts'
import { statusFault } from './plan.ts'
import { toImportedPets, type UndoneImport } from './schemas.ts'
import type { ImportChange, ImportRow } from './store.ts'

/** The number of animals that are read at a time. */
const pageSize = 1_000

/**
 * Undoes an import at `nowMs` (Unix milliseconds); called in the transaction in which it was read. Throws `conflict` for
 * one that was undone before.
 */
export function undoImport(parts: AddStores, found: ImportRow, nowMs: number): UndoneImport {
  const { id } = found
  if (found.undoneAt !== null) throw new AppError('conflict', `Import ${id} was undone already.`)
  const undone = {
    id,
    ...removePets(parts, found),
    ...putBack(parts, id, nowMs),
    removedCategories: removeCategories(parts, id),
  }
  parts.imports.setUndone(id, nowMs)
  parts.events.write('import.undone', null, toImportedPets(found))
  return undone
}

function removePets({ imports, pets, profiles, deletedPets }: AddStores, { firstPetId, lastPetId }: ImportRow) {
  const counts = { removed: 0, changed: 0, ordered: 0 }
  if (firstPetId === null || lastPetId === null) return counts
  for (let after = firstPetId - 1; after < lastPetId; ) {
    const added = imports.addedPets(after, lastPetId, pageSize)
    after = added.at(-1)?.id ?? lastPetId
    for (const { isDeleted, isOrdered, isChanged, ...pet } of added) {
      if (isDeleted) {
        // An animal that was deleted before the undo is not one that the undo keeps or removes.
        if (isOrdered || isChanged) continue
        deletedPets.remove(pet.id)
        profiles.removeAll([pet.id])
      } else if (isOrdered) counts.ordered++
      else if (isChanged) counts.changed++
      else {
        pets.remove(pet)
        profiles.removeAll([pet.id])
        counts.removed++
      }
    }
  }
  return counts
}

/**
 * Puts back each changed member that still has the value of the import. Returns the number of animals of which all of them
 * are as they were, and of those of which some cannot be put back.
 */
function putBack(parts: AddStores, importId: number, nowMs: number) {
  const counts = { restored: 0, notRestored: 0 }
  for (let after = 0; ; ) {
    const page = parts.imports.changes(importId, after, pageSize)
    for (const change of page) counts[putBackOne(parts, change, nowMs) ? 'restored' : 'notRestored']++
    const last = page.at(-1)
    if (!last) return counts
    after = last.petId
  }
}

/** Returns whether all members are as they were. */
function putBackOne(parts: AddStores, { petId, previous, values }: ImportChange, nowMs: number): boolean {
  const { pets, profiles } = parts
  const pet = pets.find(petId)
  if (!pet) return false
  const now: Readonly<Record<string, unknown>> = { ...emptyProfile(petId), ...profiles.find(petId), ...pet }
  const isOurs = (name: string) => Bun.deepEquals(now[name], values[name])
  const mayBecome = (status: unknown) => statusFault(parts, pet, status as PetStatus) === undefined
  const back = Object.entries(previous).filter(
    ([name, value]) => isOurs(name) && (name !== 'status' || mayBecome(value)),
  )
  const members = Object.fromEntries(back)
  changePet(parts, petId, membersOf(members, pet), nowMs)
  changeProfile(parts, petId, membersOf(members, emptyProfile(petId)), nowMs)
  return back.length === Object.keys(previous).length
}

/** Returns the number of categories that it has removed: those that no animal has. */
function removeCategories({ imports, pets, categories }: AddStores, importId: number): number {
  const unused = imports.addedCategories(importId).filter(({ id }) => pets.countInCategory(id) === 0)
  for (const { id } of unused) categories.remove(id)
  return unused.length
}
