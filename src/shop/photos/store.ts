/** The tables of photos: prepared statements. */

import type { Database } from 'bun:sqlite'
import { eq, inArray, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { lazily, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import type { StoredContent } from '../../lib/contents/content.ts'
import { type PhotoSizeName, petPhotos, photoFiles, photoSizes } from './table.ts'

/** A photo with the hash of each of its files, in hexadecimal digits. */
export type PhotoRow = typeof petPhotos.$inferSelect & { readonly hashes: Readonly<Record<PhotoSizeName, string>> }

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

/** A photo with the hash of each of its files. */
type ReadPhoto = typeof petPhotos.$inferSelect & Readonly<Record<PhotoSizeName, Uint8Array>>

export function createPhotoStore(tables: Tables, connection: Database, declare: Declare = declareNothing) {
  const photos = rowsOf(tables, petPhotos)
  const files = rowsOf(tables, photoFiles)
  const isOfPets = inArray(petPhotos.petId, sql`(SELECT value FROM json_each(${sql.placeholder('petIds')}))`)
  // As text, because a page of profiles has hundreds of photos: drizzle takes four times as long.
  const ofPets = connection.prepare<ReadPhoto, [string]>(
    `SELECT id, pet_id AS petId, position, alt, width, height, created_at AS createdAt,
       large.hash AS large, medium.hash AS medium, small.hash AS small
     FROM pet_photos
     JOIN photo_files AS large ON large.photo_id = id AND large.size = 'large'
     JOIN photo_files AS medium ON medium.photo_id = id AND medium.size = 'medium'
     JOIN photo_files AS small ON small.photo_id = id AND small.size = 'small'
     WHERE pet_id IN (SELECT value FROM json_each(?1)) ORDER BY pet_id, position`,
  )
  const byHash = lazily(() =>
    tables
      .select({ size: photoFiles.size, bytes: photoFiles.bytes })
      .from(photoFiles)
      .where(eq(photoFiles.hash, sql.placeholder('hash')))
      .limit(1)
      .prepare(),
  )
  const idsOfPets = lazily(() => tables.select({ id: petPhotos.id }).from(petPhotos).where(isOfPets).prepare())

  /** The photos of animals in their order, by the id of the animal. */
  function listOf(petIds: readonly number[]): Map<number, PhotoRow[]> {
    const byPet = new Map<number, PhotoRow[]>(petIds.map((petId) => [petId, []]))
    for (const { large, medium, small, ...photo } of ofPets.all(JSON.stringify(petIds))) {
      const hashes = { large: large.toHex(), medium: medium.toHex(), small: small.toHex() }
      byPet.get(photo.petId)?.push({ ...photo, hashes })
    }
    return byPet
  }

  function ofPet(petId: number): PhotoRow[] {
    return listOf([petId]).get(petId) ?? []
  }

  function remove(photoId: number): void {
    photos.remove({ id: photoId })
    files.remove({ photoId })
  }

  return {
    listOf,
    ofPet,
    countOf: (petId: number): number => photos.count({ petId }),
    /** Adds a photo behind the others of its animal. */
    add({ files: contents, ...photo }: NewPhoto): PhotoRow {
      declare('profiles', photo.petId)
      const row = photos.insert({ ...photo, alt: null, position: photos.count({ petId: photo.petId }) + 1 })
      for (const size of photoSizes) {
        const { hash, size: bytes } = contents[size]
        files.insert({ photoId: row.id, size, hash: Buffer.from(hash, 'hex'), bytes })
      }
      const hashes = { large: contents.large.hash, medium: contents.medium.hash, small: contents.small.hash }
      return { ...row, hashes }
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
      remove(id)
    },
    /** Removes the photos of animals that are gone for good. */
    removeAll(petIds: readonly number[]): void {
      for (const { id } of idsOfPets.all({ petIds: JSON.stringify(petIds) })) remove(id)
    },
    /** The file with a hash (hexadecimal digits); undefined if no photo has it. */
    findFile: (hash: string): ServedPhoto | undefined => byHash.get({ hash: Buffer.from(hash, 'hex') }),
  }
}
export type PhotoStore = ReturnType<typeof createPhotoStore>
