/** The table of profiles: prepared statements. */

import type { Database } from 'bun:sqlite'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import type { Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { collectMatches, type IdRange, type Matches, windowScan } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import type { PetFilter } from '../pets/table.ts'
import { foldedNumber, type Sex, storedMicrochip } from './rules.ts'
import { type ProfileRow, petProfiles } from './table.ts'

/** What an animal can lack. */
export const lackable = ['photos', 'price', 'description'] as const
type Lackable = (typeof lackable)[number]

/** A search among animals by what their profiles have. */
export interface ProfileFilter extends PetFilter {
  /** Separated by commas. */
  readonly ids?: string | undefined
  readonly number?: string | undefined
  readonly microchip?: string | undefined
  readonly sex?: Sex | undefined
  readonly published?: boolean | undefined
  readonly lacks?: Lackable | undefined
}

/** A profile as SQLite returns it. */
type StoredProfile = Omit<ProfileRow, 'published' | 'attributes'> & {
  readonly published: number
  readonly attributes: string
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

/** The condition of each filter on an animal and its profile `p`, which is null if the animal has an empty one. */
const conditions: Readonly<Record<Exclude<keyof ProfileFilter, 'lacks'> | Lackable, string>> = {
  ids: 'pets.id IN (SELECT value FROM json_each($ids))',
  number: 'p.folded_number = $number',
  microchip: 'p.microchip = $microchip',
  status: 'pets.status = $status',
  categoryId: 'pets.category_id = $categoryId',
  q: '(instr(pets.folded_name, $q) > 0 OR instr(p.search_text, $q) > 0)',
  // Without `ifnull` SQLite could read the profiles first, all of them, and sort the animals.
  sex: "ifnull(p.sex, '') = $sex",
  published: 'ifnull(p.published, 1) = $published',
  photos: 'NOT EXISTS (SELECT 1 FROM pet_photos WHERE pet_id = pets.id)',
  price: 'p.price IS NULL',
  description: 'p.description IS NULL',
}

type Condition = keyof typeof conditions

/** Few animals have these: SQLite finds them by an index. */
const selective: readonly Condition[] = ['ids', 'number', 'microchip']

/** Reading the texts of so many animals takes about a millisecond. */
const windowSize = 4_096

export function createProfileStore(
  tables: Tables,
  connection: Database,
  declare: Declare = declareNothing,
  { monotonic }: Pick<Clock, 'monotonic'> = systemClock,
) {
  const rows = rowsOf(tables, petProfiles)
  // As text, because drizzle takes twice as long for a page.
  const byIds = connection.prepare<StoredProfile, [string]>(
    `SELECT pet_id AS petId, number, breed, color, sex, birth_date AS birthDate, microchip, price, published,
       updated_at AS updatedAt, attributes, description
     FROM pet_profiles WHERE pet_id IN (SELECT value FROM json_each(?1))`,
  )
  const findAll = (petIds: readonly number[]): ProfileRow[] =>
    byIds.all(JSON.stringify(petIds)).map((row) => ({
      ...row,
      published: row.published === 1,
      attributes: JSON.parse(row.attributes),
    }))
  const highestId = connection.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM pets')
  const statements = new Map<string, ReturnType<typeof prepareSearch>>()

  function prepareSearch(names: readonly Condition[], order: IdRange['order']) {
    const where = ['pets.id > $above', 'pets.id < $below', ...names.map((name) => conditions[name])].join(' AND ')
    return connection.prepare<{ id: number }, Record<string, string | number | null>>(
      `SELECT pets.id AS id FROM pets LEFT JOIN pet_profiles AS p ON p.pet_id = pets.id
       WHERE ${where} ORDER BY pets.id ${order} LIMIT $limit + 0`,
    )
  }

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

  const find = (petId: number): ProfileRow | undefined => findAll([petId])[0]

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
    /** The profiles of animals that have one, by the id of the animal. */
    findAll: (petIds: readonly number[]): ReadonlyMap<number, ProfileRow> =>
      new Map(findAll(petIds).map((row) => [row.petId, row])),
    /** The animal that has a number and is not deleted. */
    petWithNumber: (number: string): number | undefined => rows.find({ foldedNumber: foldedNumber(number) })?.petId,
    /**
     * The ids of at most `limit` animals of a range that match the filter, in its order. Unless few animals can match,
     * the search stops after ten milliseconds: the page can then be short, and has `searchedTo`.
     */
    search(filter: ProfileFilter, range: IdRange, limit: number): Matches<{ readonly id: number }> {
      const { lacks, ids, number, microchip, q, published, status, categoryId, sex } = filter
      const values = {
        ids: ids && `[${ids}]`,
        number: number && foldedNumber(number),
        microchip: microchip && storedMicrochip(microchip),
        status,
        categoryId,
        // A text that folds to nothing is part of any name.
        q: q && (foldedText(q) || undefined),
        sex,
        published: published === undefined ? undefined : Number(published),
      }
      const given = Object.entries(values).filter(([, value]) => value !== undefined)
      const names = [...given.map(([name]) => name as Condition), ...(lacks ? [lacks] : [])]
      const key = `${range.order} ${names}`
      const statement = statements.get(key) ?? prepareSearch(names, range.order)
      statements.set(key, statement)
      const parameters = Object.fromEntries(given) as Record<string, string | number>
      const read = (above: number, below: number, most: number) =>
        statement.all({ ...parameters, above, below, limit: most })
      if (names.some((name) => selective.includes(name))) {
        return { records: read(range.above, range.below, limit), searchedTo: undefined }
      }
      const scan = windowScan(windowSize, ({ low, high, most }) => read(low, high, most))
      const existing = { ...range, below: Math.min(range.below, (highestId.get()?.id ?? 0) + 1) }
      return collectMatches(scan, existing, limit, () => true, monotonic)
    },
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
