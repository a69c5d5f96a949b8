/** Adds, describes, moves and deletes a photo. Called in a transaction. */

import type { EventWriter } from '../../access/events/log.ts'
import { AppError } from '../../lib/error.ts'
import { storedLabel } from '../../lib/text.ts'
import type { PetStore } from '../pets/store.ts'
import type { ProfileStore } from '../profiles/store.ts'
import { maximumPhotos, type PhotoChange } from './schemas.ts'
import type { NewPhoto, PhotoRow, PhotoStore } from './store.ts'

export interface PhotoStores {
  readonly photos: PhotoStore
  readonly pets: Pick<PetStore, 'find' | 'markChanged'>
  readonly profiles: Pick<ProfileStore, 'touch'>
  readonly events: EventWriter
}

export interface PhotoId {
  readonly petId: number
  readonly photoId: number
}

type AssertPreconditions = (photo: PhotoRow) => void

/** Throws `not_found` for an animal that there is not, and `conflict` if it has as many photos as are allowed. */
export function assertRoom({ pets, photos }: Pick<PhotoStores, 'pets' | 'photos'>, petId: number): void {
  if (!pets.find(petId)) throw new AppError('not_found', `There is no animal ${petId}.`)
  if (photos.countOf(petId) < maximumPhotos) return
  const message = `Animal ${petId} has ${maximumPhotos} photos, which is the maximum. Delete one first.`
  throw new AppError('conflict', message)
}

/** Adds a photo behind the others. Throws what `assertRoom` throws. */
export function addPhoto(stores: PhotoStores, photo: NewPhoto): PhotoRow {
  assertRoom(stores, photo.petId)
  const added = stores.photos.add(photo)
  recordChange(stores, photo.petId, photo.createdAt)
  return added
}

/** Changes the text or the position of a photo. Throws `not_found` and the error of `assertPreconditions`. */
export function changePhoto(
  stores: PhotoStores,
  id: PhotoId,
  change: PhotoChange,
  nowMs: number,
  assertPreconditions: AssertPreconditions,
): PhotoRow {
  const { petId } = id
  const { position } = change
  const alt = change.alt && storedLabel(change.alt)
  const photo = getPhoto(stores, id)
  assertPreconditions(photo)
  if (alt !== undefined && alt !== photo.alt) stores.photos.describe(photo, alt)
  if (position !== undefined && position !== photo.position) {
    const others = stores.photos.ofPet(petId).flatMap((other) => (other.id === photo.id ? [] : [other.id]))
    stores.photos.arrange(petId, others.toSpliced(position - 1, 0, photo.id))
  }
  const changed = getPhoto(stores, id)
  if (!Bun.deepEquals(changed, photo)) recordChange(stores, petId, nowMs)
  return changed
}

/** Deletes a photo. Throws `not_found` and the error of `assertPreconditions`. */
export function deletePhoto(
  stores: PhotoStores,
  id: PhotoId,
  nowMs: number,
  assertPreconditions: AssertPreconditions,
): void {
  const { petId } = id
  const photo = getPhoto(stores, id)
  assertPreconditions(photo)
  stores.photos.remove(photo)
  const left = stores.photos.ofPet(petId).map(({ id }) => id)
  stores.photos.arrange(petId, left)
  recordChange(stores, petId, nowMs)
}

/** Throws `not_found`. */
export function getPhoto(
  { photos, pets }: Pick<PhotoStores, 'photos' | 'pets'>,
  { petId, photoId }: PhotoId,
): PhotoRow {
  const photo = pets.find(petId) && photos.ofPet(petId).find(({ id }) => id === photoId)
  if (photo) return photo
  throw new AppError('not_found', `Animal ${petId} has no photo ${photoId}.`)
}

/** Photos are a member of the profile. */
function recordChange({ pets, profiles, events }: PhotoStores, petId: number, nowMs: number): void {
  profiles.touch(petId, nowMs)
  // Undoing its import keeps the animal.
  pets.markChanged(petId)
  events.write('profile.updated', null, { petId, changed: ['photos'], updatedAt: new Date(nowMs).toISOString() })
}
