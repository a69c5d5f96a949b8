/** The table of profiles: prepared statements. */

import type { Database } from 'bun:sqlite'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import type { Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { IdRange, Matches } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { createPetList, type PetListFilter } from '../pets/list.ts'
import { type PetFilter, type PetRow, petColumns } from '../pets/table.ts'
import { foldedNumber, type Sex, storedMicrochip } from './rules.ts'
import { type ProfileRow, petProfiles } from './table.ts'

/** What an animal can lack. */
export const lackable = ['photos', 'price', 'description'] as const
type Lackable = (typeof lackable)[number]

/** A search among animals by what their profiles have. */
export interface ProfileFilter extends PetFilter {
  readonly number?: string | undefined
  readonly microchip?: string | undefined
  readonly sex?: Sex | undefined
  readonly published?: boolean | undefined
  readonly lacks?: Lackable | undefined
}

/** An animal and its profile as SQLite returns them. Without a profile its columns are null. */
type StoredAnimal = PetRow &
  Omit<ProfileRow, 'petId' | 'published' | 'updatedAt' | 'attributes'> & {
    readonly published: number | null
    readonly updatedAt: number | null
    readonly attributes: string | null
  }

/** An animal with its profile. */
export interface ProfiledPet {
  readonly id: number
  readonly pet: PetRow
  readonly profile: ProfileRow
}

/** The profile of an animal without a row, which was never changed: `updatedAt` is 0. */
export const emptyProfile = (petId: number): ProfileRow => ({
  petId,
  number: null,
  breed: null,
  color: null,
  sex: null,
  birthDate: null,
  microchip: null,
  price: null,
  published: true,
  updatedAt: 0,
  attributes: [],
  description: null,
})

/** The lists of animals with their profiles: what they can be filtered by. */
const profileLists = {
  join: 'LEFT JOIN pet_profiles AS p ON p.pet_id = pets.id',
  selective: { number: 'p.folded_number = $number', microchip: 'p.microchip = $microchip' },
  searched: {
    q: '(instr(pets.folded_name, $q) > 0 OR instr(p.search_text, $q) > 0)',
    // Without `ifnull` SQLite could read the profiles first, all of them, and sort the animals.
    sex: "ifnull(p.sex, '') = $sex",
    published: 'ifnull(p.published, 1) = $published',
    photos: 'NOT EXISTS (SELECT 1 FROM pet_photos WHERE pet_id = pets.id)',
    price: 'p.price IS NULL',
    description: 'p.description IS NULL',
  },
}

/** Of a `StoredAnimal`. */
const columns = `${petColumns}, number, breed, color, sex, birth_date AS birthDate, microchip, price, published,
  updated_at AS updatedAt, attributes, description`

export function createProfileStore(
  tables: Tables,
  connection: Database,
  declare: Declare = declareNothing,
  clock: Pick<Clock, 'monotonic'> = systemClock,
) {
  const rows = rowsOf(tables, petProfiles)
  const list = createPetList<StoredAnimal>({ tables, connection }, { ...profileLists, columns }, clock)
  const listIds = createPetList<{ id: number }>(
    { tables, connection },
    { ...profileLists, columns: 'pets.id AS id' },
    clock,
  )

  const byNumbers = connection.prepare<{ foldedNumber: string; petId: number }, [string]>(
    `SELECT folded_number AS foldedNumber, pet_id AS petId FROM pet_profiles
     WHERE folded_number IN (SELECT value FROM json_each(?1))`,
  )
  // As text, because drizzle needs several times as long (decision 35), and an import adds many.
  const insert = connection.prepare<never, Record<string, string | number | null>>(
    `INSERT INTO pet_profiles (pet_id, number, folded_number, breed, color, sex, birth_date, microchip, price,
       search_text, published, updated_at, attributes, description)
     VALUES ($petId, $number, $foldedNumber, $breed, $color, $sex, $birthDate, $microchip, $price,
       $searchText, $published, $updatedAt, $attributes, $description)`,
  )

  const find = (petId: number): ProfileRow | undefined => rows.find({ petId })

  /** Adds the profile of an animal, or replaces it. */
  function put(profile: ProfileRow): void {
    declare('profiles', profile.petId)
    rows.put({ ...profile, ...comparable(profile) }, 'petId')
  }

  function comparable({ number, breed, microchip }: ProfileRow) {
    const texts = [number, breed, microchip].filter((text) => text !== null)
    return {
      foldedNumber: number === null ? null : foldedNumber(number),
      searchText: foldedText(texts.join('\n')),
    }
  }

  return {
    find,
    /** The animal that has a number and is not deleted. */
    petWithNumber: (number: string): number | undefined => rows.find({ foldedNumber: foldedNumber(number) })?.petId,
    /**
     * At most `limit` animals of a range that match the filter, in its order. With `q`, `sex`, `published` or `lacks` the
     * page can end early.
     */
    page(filter: ProfileFilter, range: IdRange, limit: number): Matches<ProfiledPet> {
      const { records, searchedTo } = list(comparableFilter(filter), range, limit)
      return { records: records.map(toProfiledPet), searchedTo }
    },
    /** The ids of such a page. */
    idPage: (filter: ProfileFilter, range: IdRange, limit: number): Matches<{ readonly id: number }> =>
      listIds(comparableFilter(filter), range, limit),
    put,
    /** Adds the profile of a new animal. */
    add(profile: ProfileRow): void {
      declare('profiles', profile.petId)
      const attributes = JSON.stringify(profile.attributes)
      insert.run({ ...profile, attributes, published: Number(profile.published), ...comparable(profile) })
    },
    /** The animals that have one of the numbers and are not deleted, by the number for comparison. */
    petsWithNumbers(numbers: readonly string[]): ReadonlyMap<string, number> {
      const folded = JSON.stringify(numbers.map(foldedNumber))
      return new Map(byNumbers.all(folded).map((row) => [row.foldedNumber, row.petId]))
    },
    /** Records a change of a member that is stored elsewhere, at `nowMs` (Unix milliseconds). */
    touch(petId: number, nowMs: number): void {
      put({ ...(find(petId) ?? emptyProfile(petId)), updatedAt: nowMs })
    },
    /** Another animal with the number of an animal, which is deleted. */
    findRival(petId: number): { readonly petId: number; readonly number: string } | undefined {
      const number = rows.find({ petId })?.number ?? null
      const rival = number === null ? undefined : rows.find({ foldedNumber: foldedNumber(number) })
      return rival && { petId: rival.petId, number: rival.number ?? '' }
    },
    /** Frees the number of an animal, which is deleted. */
    freeNumber(petId: number): void {
      rows.update({ petId }, { foldedNumber: null })
    },
    /** Takes the number again, which nobody else has, because the animal is restored. */
    takeNumber(petId: number): void {
      const number = rows.find({ petId })?.number ?? null
      if (number !== null) rows.update({ petId }, { foldedNumber: foldedNumber(number) })
    },
    /** Removes the profiles of animals that cannot be restored any more. */
    removeAll(petIds: readonly number[]): void {
      for (const petId of petIds) rows.remove({ petId })
    },
  }
}
export type ProfileStore = ReturnType<typeof createProfileStore>

/** A filter with its values as they are stored. */
function comparableFilter({ number, microchip, published, lacks, ...filter }: ProfileFilter): PetListFilter {
  return {
    ...filter,
    number: number && foldedNumber(number),
    microchip: microchip && storedMicrochip(microchip),
    published: published === undefined ? undefined : Number(published),
    ...(lacks && { [lacks]: '' }),
  }
}

function toProfiledPet(row: StoredAnimal): ProfiledPet {
  const { id, name, categoryId, status, published, updatedAt, attributes } = row
  return {
    id,
    pet: { id, name, categoryId, status },
    profile: {
      petId: id,
      number: row.number,
      breed: row.breed,
      color: row.color,
      sex: row.sex,
      birthDate: row.birthDate,
      microchip: row.microchip,
      price: row.price,
      published: published !== 0,
      updatedAt: updatedAt ?? 0,
      attributes: attributes === null ? [] : JSON.parse(attributes),
      description: row.description,
    },
  }
}
