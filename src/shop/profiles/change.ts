/** Changes the profile of an animal, and writes the event. Called in a transaction. */

import type { EventWriter } from '../../access/events/log.ts'
import { changedMembers } from '../../access/events/rules.ts'
import { AppError } from '../../lib/error.ts'
import { storedLabel, storedText } from '../../lib/text.ts'
import type { PetStore } from '../pets/store.ts'
import { type ProfileReaders, toProfile } from './read.ts'
import { isInFuture, storedMicrochip } from './rules.ts'
import type { Profile, ProfileChange } from './schemas.ts'
import { emptyProfile, type ProfileStore } from './store.ts'
import type { ProfileRow } from './table.ts'

export interface ProfileChangeParts extends ProfileReaders {
  readonly pets: PetStore
  readonly profiles: ProfileStore
  readonly events: EventWriter
}

export interface ChangedProfile {
  readonly profile: Profile
  /** The members that were changed, as they were before; undefined if none was. */
  readonly previous: object | undefined
}

/**
 * Changes the members of `change` at `nowMs` (Unix milliseconds). Throws `not_found`, the error of
 * `assertPreconditions`, `invalid_body` for a date of birth in the future, and `conflict` for a number that another
 * animal has, and for a price without a currency.
 */
export function changeProfile(
  parts: ProfileChangeParts,
  petId: number,
  change: ProfileChange,
  nowMs: number,
  assertPreconditions: (profile: () => Profile) => void = () => {},
): ChangedProfile {
  const { pets, profiles, photos, storeSettings, events } = parts
  const pet = pets.find(petId)
  if (!pet) throw new AppError('not_found', `There is no animal ${petId}.`)
  const before = profiles.find(petId) ?? emptyProfile(petId)
  const read = (row: ProfileRow) => toProfile(pet, row, photos.ofPet(petId), storeSettings.currency())
  assertPreconditions(() => read(before))
  const after = { ...before, ...storedChange(change) }
  const replaced = changedMembers(before, after)
  if (!replaced) return { profile: read(before), previous: undefined }
  const { number, price, birthDate } = after
  assertBorn(birthDate, nowMs)
  if (price !== null && storeSettings.currency() === null) {
    throw new AppError('conflict', 'A price needs a currency: set that of the store first (PATCH /v1/store/settings).')
  }
  const other = number === null ? undefined : profiles.petWithNumber(number)
  if (other !== undefined && other !== petId) {
    throw new AppError('conflict', `Animal ${other} already has the number ${number}.`)
  }
  profiles.put({ ...after, updatedAt: nowMs })
  // Undoing its import keeps the animal.
  pets.markChanged(petId)
  events.write('profile.updated', null, {
    petId,
    changed: Object.keys(replaced),
    updatedAt: new Date(nowMs).toISOString(),
  })
  return { profile: read({ ...after, updatedAt: nowMs }), previous: replaced }
}

/** Throws `invalid_body` for a date of birth in the future. */
export function assertBorn(birthDate: string | null, nowMs: number): void {
  if (birthDate !== null && isInFuture(birthDate, nowMs)) {
    throw new AppError('invalid_body', 'birthDate must not be in the future.')
  }
}

/** The members of a change as they are stored. */
function storedChange({ number, breed, color, microchip, description, attributes, ...others }: ProfileChange) {
  const labels = Object.entries({ number, breed, color }).map(
    ([name, text]) => [name, text && storedLabel(text)] as const,
  )
  const stored = {
    ...others,
    ...Object.fromEntries(labels),
    microchip: microchip && storedMicrochip(microchip),
    description: description === undefined ? undefined : storedText(description ?? '') || null,
    attributes: attributes?.map(({ label, text }) => ({ label: storedLabel(label), text: storedLabel(text) })),
  }
  const given = Object.entries(stored).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Partial<ProfileRow>
}
