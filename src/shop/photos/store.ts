/** The tables of photos: prepared statements. */

import type { Database } from 'bun:sqlite'
import { eq, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { lazily, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import type { StoredContent } from '../../lib/contents/content.ts'
import { type PhotoSizeName, petPhotos, photoFiles } from './table.ts'

/** A photo; `large`, `medium` and `small` are the hashes of its files. */
export type PhotoRow = Omit<typeof petPhotos.$inferSelect, PhotoSizeName | `${PhotoSizeName}Bytes` | 'createdAt'> &
  Readonly<Record<PhotoSizeName, Uint8Array>>

/** A photo to be added. */
export interface NewPhoto {
  readonly petId: number
  readonly width: number
  readonly height: number
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly files: Readonly<Record<PhotoSizeName, StoredContent>>
}

/** A file that is served under its hash. */
export interface ServedPhoto {
  readonly size: PhotoSizeName
  readonly bytes: number
}

export function createPhotoStore(tables: Tables, connection: Database, declare: Declare = declareNothing) {
  const photos = rowsOf(tables, petPhotos)
  // As text, because a page of profiles has hundreds of photos: drizzle takes four times as long.
  const ofPets = connection.prepare<PhotoRow, [string]>(
    `SELECT id, pet_id AS petId, position, alt, width, height, large, medium, small
     FROM pet_photos WHERE pet_id IN (SELECT value FROM json_each(?1)) ORDER BY pet_id, position`,
  )
  const byHash = lazily(() =>
    tables
      .select({ size: photoFiles.size, bytes: photoFiles.bytes })
      .from(photoFiles)
      .where(eq(photoFiles.hash, sql.placeholder('hash')))
      .limit(1)
      .prepare(),
  )

  /** The photos of animals in their order, by the id of the animal. */
  function listOf(petIds: readonly number[]): Map<number, PhotoRow[]> {
    const byPet = new Map<number, PhotoRow[]>(petIds.map((petId) => [petId, []]))
    for (const photo of ofPets.all(JSON.stringify(petIds))) byPet.get(photo.petId)?.push(photo)
    return byPet
  }

  function ofPet(petId: number): PhotoRow[] {
    return listOf([petId]).get(petId) ?? []
  }

  return {
    listOf,
    ofPet,
    countOf: (petId: number): number => photos.count({ petId }),
    /** Adds a photo behind the others of its animal. */
    add({ files: { large, medium, small }, ...photo }: NewPhoto): PhotoRow {
      declare('profiles', photo.petId)
      return photos.insert({
        ...photo,
        alt: null,
        position: photos.count({ petId: photo.petId }) + 1,
        large: Buffer.from(large.hash, 'hex'),
        largeBytes: large.size,
        medium: Buffer.from(medium.hash, 'hex'),
        mediumBytes: medium.size,
        small: Buffer.from(small.hash, 'hex'),
        smallBytes: small.size,
      })
    },
    describe({ id, petId }: PhotoRow, alt: string | null): void {
      declare('profiles', petId)
      photos.update({ id }, { alt })
    },
    /** Gives the photos of an animal the order of `ids`, which are all of them. */
    arrange(petId: number, ids: readonly number[]): void {
      declare('profiles', petId)
      for (const [i, id] of ids.entries()) photos.update({ id }, { position: i + 1 })
    },
    remove({ id, petId }: PhotoRow): void {
      declare('profiles', petId)
      photos.remove({ id })
    },
    /** Removes the photos of animals that are gone for good. */
    removeAll(petIds: readonly number[]): void {
      for (const petId of petIds) photos.remove({ petId })
    },
    /** The file with a hash (hexadecimal digits); undefined if no photo has it. */
    findFile: (hash: string): ServedPhoto | undefined => byHash.get({ hash: Buffer.from(hash, 'hex') }),
  }
}
export type PhotoStore = ReturnType<typeof createPhotoStore>
