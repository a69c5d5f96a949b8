/**
 * The categories of a file, and the ids that they get. A name that exists in the store keeps its id. A new name gets
 * the id in the file, if no other name has that, and otherwise the next free one.
 */

import { pageRange } from '../../lib/steps/collect.ts'
import { nextFreeId } from '../categories/change.ts'
import { defaultCategories, foldedName } from '../categories/rules.ts'
import type { CategoryStore } from '../categories/store.ts'
import type { PetStore } from '../pets/store.ts'
import type { ImportedCategory } from './file/rows.ts'
import { maximumNewCategories } from './rules.ts'

interface NamedCategory {
  readonly name: string
  /** The first id that the file has beside the name. */
  givenId: number | undefined
}

export interface PlacementStores {
  readonly categories: CategoryStore
  readonly pets: Pick<PetStore, 'page' | 'highestCategoryId' | 'countInCategory'>
}

/** Collects the categories of a file. */
export function createFileCategories() {
  /** By their names as they are in the file, of which several can be equal. */
  const byName = new Map<string, NamedCategory>()
  const byFoldedName = new Map<string, NamedCategory>()
  /** The ids that animals have as their category without its name. */
  const ids = new Set<number>()

  function namedCategory(name: string): NamedCategory {
    const folded = foldedName(name)
    const category = byFoldedName.get(folded) ?? { name, givenId: undefined }
    byFoldedName.set(folded, category)
    byName.set(name, category)
    return category
  }

  return {
    /** Takes note of the category of an animal. */
    see({ name, id }: ImportedCategory): void {
      if (name === undefined) ids.add(id)
      else (byName.get(name) ?? namedCategory(name)).givenId ??= id
    },
    /** The first names that the store does not have, in the order of the file. */
    newNames(categories: Pick<CategoryStore, 'findByName'>): string[] {
      const names: string[] = []
      for (const { name } of byFoldedName.values()) {
        if (!categories.findByName(name)) names.push(name)
        if (names.length === maximumNewCategories) break
      }
      return names
    },
    /** The first ids that animals have, that have no name in the store, and that get none from the file. */
    unnamedIds(categories: Pick<CategoryStore, 'find' | 'findByName'>): number[] {
      const named = new Set<number>()
      for (const { name, givenId = 0 } of byFoldedName.values()) {
        if (ids.has(givenId) && !categories.findByName(name)) named.add(givenId)
      }
      return [...ids].filter((id) => !named.has(id) && !categories.find(id)).slice(0, maximumNewCategories)
    },
    /** Returns the function that gives a category its id, and adds it with its first animal; called in a transaction. */
    place(stores: PlacementStores, importId: number) {
      const { categories } = stores
      const all = [...byFoldedName.values()]
      if (isUntouched(stores)) removeDefaultsThatDiffer(byFoldedName, categories)
      const isGiven = ({ name, givenId }: NamedCategory) =>
        givenId !== undefined && !categories.find(givenId) && !categories.findByName(name)
      // Names without an id do not get those that others bring with them.
      const used = usedIds(
        new Set([...ids, ...all.flatMap((one) => (isGiven(one) ? (one.givenId ?? []) : []))]),
        stores.pets,
      )
      const placed = new Map<NamedCategory, number>()
      const names: string[] = []

      function placeName(category: NamedCategory): number {
        const { name, givenId = 0 } = category
        const known = categories.findByName(name)
        if (!known && names.length < maximumNewCategories) names.push(name)
        const free = () => (isGiven(category) ? givenId : nextFreeId({ categories, pets: used }))
        const id = known?.id ?? categories.add({ id: free(), name }, importId).id
        placed.set(category, id)
        return id
      }

      return {
        idOf({ name, id = 0 }: ImportedCategory): number {
          const category = name === undefined ? undefined : byName.get(name)
          return category === undefined ? id : (placed.get(category) ?? placeName(category))
        },
        /** The first names that it has added. */
        names: (): readonly string[] => names,
      }
    },
  }
}
export type FileCategories = ReturnType<typeof createFileCategories>

/** Whether the store has no animals, and only the default categories. */
function isUntouched({ pets, categories }: PlacementStores): boolean {
  return pets.page({}, pageRange('asc', undefined), 1).records.length === 0 && categories.areDefault()
}

/** In an unused store the file replaces the default categories, so that an exported store is reproduced exactly. */
function removeDefaultsThatDiffer(
  given: ReadonlyMap<string, NamedCategory>,
  categories: Pick<CategoryStore, 'remove'>,
): void {
  const nameOf = new Map(Array.from(given.values(), ({ name, givenId }) => [givenId, name]))
  for (const [id, name] of defaultCategories) {
    const givenId = given.get(foldedName(name))?.givenId ?? id
    if ((nameOf.get(id) ?? name) !== name || givenId !== id) categories.remove(id)
  }
}

/** Lookups of the category ids of all animals, in the store and in the file, for finding a free id. */
function usedIds(ids: ReadonlySet<number>, pets: PlacementStores['pets']) {
  const ascending = Float64Array.from(ids).sort()
  return {
    highestCategoryId: (most: number) =>
      Math.max(pets.highestCategoryId(most), ascending.findLast((id) => id <= most) ?? 0),
    countInCategory: (id: number) => (ids.has(id) ? 1 : pets.countInCategory(id)),
  }
}
