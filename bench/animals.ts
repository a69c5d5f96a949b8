/** Stores that the benchmarks measure: animals with profiles, some of which have photos with files of a few bytes. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openDatabase } from '../src/database/open.ts'
import { layoutOf } from '../src/lib/contents/layout.ts'
import { filesDirectory } from '../src/lib/contents/place.ts'
import { createPetStore } from '../src/shop/pets/store.ts'
import { createPhotoStore } from '../src/shop/photos/store.ts'
import { createProfileStore, emptyProfile } from '../src/shop/profiles/store.ts'
import { makeStore } from './measure.ts'

/** Makes a store in a new directory. `photosOf` returns the number of photos of an animal by its place, from 0. */
export function makeAnimals(directory: string, animals: number, photosOf: (place: number) => number): void {
  mkdirSync(directory)
  makeStore(directory)
  const databasePath = join(directory, 'data/production.db')
  const { pathOf } = layoutOf(filesDirectory(databasePath))
  const { connection, tables, close } = openDatabase(databasePath, 0)
  const pets = createPetStore(tables, connection)
  const profiles = createProfileStore(tables, connection)
  const photoStore = createPhotoStore(tables, connection)
  const addFile = (text: string) => {
    const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex')
    mkdirSync(dirname(pathOf(hash)), { recursive: true })
    writeFileSync(pathOf(hash), text)
    return { hash, size: text.length }
  }
  connection.transaction(() => {
    for (let i = 0; i < animals; i++) {
      const { id } = pets.add({ name: `Animal ${i % 5_000}`, categoryId: 1 + (i % 6), status: 'available' })
      profiles.put({
        ...emptyProfile(id),
        number: `A-${i}`,
        breed: 'Domestic shorthair',
        color: 'black and white',
        sex: 'female',
        birthDate: '2024-03-14',
        microchip: String(276_098_100_000_000 + i),
        price: 49_900,
        description: 'Likes **children** and other cats. '.repeat(6),
        attributes: [{ label: 'Vaccinated', text: 'Rabies, May 2026' }],
        updatedAt: 1,
      })
      for (let n = 0; n < photosOf(i); n++) {
        const files = Object.fromEntries(
          ['large', 'medium', 'small'].map((size) => [size, addFile(`${size} ${id} ${n}`)]),
        )
        photoStore.add({ petId: id, width: 1_440, height: 1_080, createdAt: 1, files: files as never })
      }
    }
  })()
  close()
}
