/** Reads animals with their profiles. */

import { timeOrNull } from '../../api/schemas.ts'
import { AppError } from '../../lib/error.ts'
import type { IdRange, Matches } from '../../lib/steps/collect.ts'
import type { PetStore } from '../pets/store.ts'
import type { PetRow } from '../pets/table.ts'
import { toPhoto } from '../photos/schemas.ts'
import type { PhotoRow, PhotoStore } from '../photos/store.ts'
import type { Profile } from './schemas.ts'
import { emptyProfile, type ProfileFilter, type ProfileStore } from './store.ts'
import type { ProfileRow } from './table.ts'

export interface ProfileReaders {
  readonly pets: Pick<PetStore, 'find'>
  readonly profiles: Pick<ProfileStore, 'find' | 'page'>
  readonly photos: Pick<PhotoStore, 'ofPet' | 'listOf'>
  readonly storeSettings: {
    currency(): string | null
  }
}

/** The profile of an animal as it is sent. An animal without a row has an empty profile. */
export function toProfile(
  pet: PetRow,
  row: ProfileRow | undefined,
  photos: readonly PhotoRow[],
  currency: string | null,
): Profile {
  const { number, breed, color, sex, birthDate, microchip, price, description, attributes, published, updatedAt } =
    row ?? emptyProfile(pet.id)
  return {
    petId: pet.id,
    pet,
    number,
    breed,
    color,
    sex,
    birthDate,
    microchip,
    price,
    currency: price === null ? null : currency,
    description,
    attributes: [...attributes],
    published,
    photos: photos.map(toPhoto),
    updatedAt: timeOrNull(updatedAt || null),
  }
}

/** Throws `not_found` if there is no such animal. */
export function getProfile({ pets, profiles, photos, storeSettings }: ProfileReaders, petId: number): Profile {
  const pet = pets.find(petId)
  if (!pet) throw new AppError('not_found', `There is no animal ${petId}.`)
  return toProfile(pet, profiles.find(petId), photos.ofPet(petId), storeSettings.currency())
}

/** At most `limit` animals of a range that match the filter, with their profiles, in the order of the range. */
export function pageOfProfiles(
  { profiles, photos, storeSettings }: Omit<ProfileReaders, 'pets'>,
  filter: ProfileFilter,
  range: IdRange,
  limit: number,
): Matches<Profile> {
  const { records, searchedTo } = profiles.page(filter, range, limit)
  const photosOf = photos.listOf(records.map(({ id }) => id))
  const currency = storeSettings.currency()
  return {
    records: records.map(({ id, pet, profile }) => toProfile(pet, profile, photosOf.get(id) ?? [], currency)),
    searchedTo,
  }
}
