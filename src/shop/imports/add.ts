/** Adds the animals of a file in one transaction, in which they get consecutive ids. */

import type { CategoryStore } from '../categories/store.ts'
import type { PetStore } from '../pets/store.ts'
import type { FileCategories } from './categories.ts'
import type { Stage } from './stage.ts'
import type { ImportRow, ImportsStore } from './store.ts'

export interface AddStores {
  readonly imports: ImportsStore
  readonly pets: PetStore
  readonly categories: CategoryStore
}

/** The animals of a checked file. */
export interface CheckedAnimals {
  readonly stage: Stage
  readonly categories: FileCategories
}

/** Adds the import with its animals and categories; called in a transaction. */
export function addImport(
  stores: AddStores,
  { stage, categories }: CheckedAnimals,
  content: Pick<ImportRow, 'sha256' | 'fileName' | 'imported' | 'skipped' | 'createdAt'>,
): ImportRow {
  const { imports, pets } = stores
  const id = imports.add(content)
  const idOf = categories.place(stores, id)
  let firstPetId: number | null = null
  let lastPetId: number | null = null
  for (const { category, ...pet } of stage.animals()) {
    lastPetId = pets.add({ ...pet, categoryId: idOf(category) }).id
    firstPetId ??= lastPetId
  }
  imports.setPets(id, { firstPetId, lastPetId })
  return { ...content, id, firstPetId, lastPetId, undoneAt: null }
}
