/** Adds the animals of a file, and changes those that have the number of a row, in one transaction. */

import type { CategoryStore } from '../categories/store.ts'
import { changePet, type PetStores } from '../pets/changes/change.ts'
import { changeProfile, type ProfileChangeParts } from '../profiles/change.ts'
import type { ProfileChange } from '../profiles/schemas.ts'
import { emptyProfile } from '../profiles/store.ts'
import type { FileCategories } from './categories.ts'
import type { ImportedRow } from './check.ts'
import type { Batches } from './file/batches.ts'
import type { PlannedChange, Planner, SettledRow } from './plan.ts'
import type { ImportRow, ImportsStore } from './store.ts'

export interface AddStores extends PetStores, ProfileChangeParts {
  readonly imports: ImportsStore
  readonly categories: CategoryStore
  readonly profiles: PetStores['profiles'] & ProfileChangeParts['profiles']
}

/** The rows of a checked file. */
export interface CheckedRows {
  readonly rows: Batches<ImportedRow>
  readonly categories: FileCategories
  readonly planner: Planner
}

/**
 * Adds the import with what its rows add and change; called in a transaction. Throws what the planner throws.
 * Returns the import, and the first names of the categories that it has added.
 */
export function addImport(
  stores: AddStores,
  { rows, categories, planner }: CheckedRows,
  content: Pick<ImportRow, 'sha256' | 'fileName' | 'createdAt'>,
) {
  const { imports, pets, profiles } = stores
  const nowMs = content.createdAt
  const id = imports.add(content)
  const placement = categories.place(stores, id)
  let firstPetId: number | null = null
  let lastPetId: number | null = null

  function change({ petId, pet: { category, ...pet }, profile }: PlannedChange): void {
    const given = { ...pet, ...(category === undefined ? {} : { categoryId: placement.idOf(category) }) }
    const before = { ...profiles.find(petId), ...pets.find(petId) }
    changePet(stores, petId, given, nowMs)
    changeProfile(stores, petId, profile as ProfileChange, nowMs)
    const values = { ...given, ...profile }
    const previous = membersOf({ ...emptyProfile(petId), ...before }, values)
    imports.keepChange({ importId: id, petId, changedAt: nowMs, previous, values })
  }

  function add({ name = '', category, status = 'available', profile }: SettledRow): void {
    const { id: petId } = pets.add({ name, status, categoryId: category === undefined ? 0 : placement.idOf(category) })
    if (!isEmpty(profile)) profiles.add({ ...emptyProfile(petId), ...profile, updatedAt: nowMs })
    firstPetId ??= petId
    lastPetId = petId
  }

  for (const batch of rows.take()) {
    for (const { row, plan } of planner.plan(batch)) {
      if (plan.kind === 'changed') change(plan)
      else if (plan.kind === 'added') add(row)
    }
  }
  planner.assertAllowed()
  const { added: imported, changed } = planner.counts
  const row = { ...content, id, imported, changed, skipped: planner.skipped(), firstPetId, lastPetId, undoneAt: null }
  imports.complete(row)
  return { row, newCategories: placement.names() }
}

/** Whether an animal with this profile needs no row. */
const isEmpty = ({ published, ...others }: SettledRow['profile']): boolean =>
  published !== false && Object.keys(others).length === 0

/** Those members of a record that `like` has. */
export function membersOf(record: object, like: object): Partial<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => Object.hasOwn(like, name)))
}
