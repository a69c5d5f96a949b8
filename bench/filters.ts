/**
 * Pages of animals through every filter, at ten thousand and at a million animals: the ratio of their times is
 * the result. The pages are asked of the store, not of the cache in front of it.
 *
 *     bun bench/filters.ts [--record]
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../src/database/open.ts'
import { petStatuses } from '../src/pets/rules.ts'
import { createPetStore, type PetFilter } from '../src/pets/store.ts'
import { median, report } from './measure.ts'

const sizes = [10_000, 1_000_000]
const pageSize = 21
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))

const filters: [string, PetFilter][] = [
  ['no filter', {}],
  ['status', { status: 'sold' }],
  ['categoryId', { categoryId: 7 }],
  ['status and categoryId', { status: 'pending', categoryId: 7 }],
  ['q, one character', { q: 'u' }],
  ['q, two characters', { q: 'ky' }],
  ['q, three characters', { q: 'luc' }],
  ['q, a name', { q: 'honeysuckle' }],
  ['q, nobody’s name', { q: 'xylophone' }],
  ['q, a character nobody has', { q: 'ж' }],
  ['q, status and categoryId', { q: 'a', status: 'pending', categoryId: 7 }],
]

// The first run warms up: without it the smaller store would look slower than it is.
measure(2_000)
const measured = sizes.map((size) => measure(size))
rmSync(folder, { recursive: true })
report(
  'A page of 20 animals, by filter',
  ['filter', ...sizes.map((size) => `${size.toLocaleString('en')} animals`), 'ratio'],
  filters.map(([name], i) => {
    const [small = 0, large = 0] = measured.map((times) => times[i] as number)
    return [name, `${small.toFixed(0)} µs`, `${large.toFixed(0)} µs`, (large / small).toFixed(1)]
  }),
)

/** Microseconds a page takes, for each filter, at random depths. */
function measure(size: number): number[] {
  const { connection, tables, close } = openDatabase(join(folder, `${size}.db`), 0)
  const pets = createPetStore(tables, connection)
  fill(size)
  const times = filters.map(([, filter]) => {
    const samples = Array.from({ length: 15 }, (_, i) => {
      const above = Math.floor((size * i) / 20)
      const startMs = performance.now()
      for (let n = 0; n < 20; n++) pets.page(filter, { order: 'asc', above, below: Number.MAX_SAFE_INTEGER }, pageSize)
      return ((performance.now() - startMs) * 1_000) / 20
    })
    return median(samples)
  })
  close()
  return times

  function fill(count: number): void {
    const names = ['Honeysuckle', 'Lucky', 'Missy', 'Olli', 'Zell', 'Chuy’s', 'KIT KAT', 'Bella', 'Flint', 'Ash']
    const random = mulberry(size)
    connection.transaction(() => {
      for (let i = 0; i < count; i++) {
        pets.add({
          name: `${names[Math.floor(random() * names.length)]} ${Math.floor(random() * 1_000)}`,
          categoryId: 1 + Math.floor(random() * 10),
          status: petStatuses[Math.floor(random() ** 3 * 3)] ?? 'available',
        })
      }
    })()
    for (let more = true; more; ) more = connection.transaction(() => pets.indexMore(1_000))()
  }
}

/** The same numbers each time (Mulberry32). */
function mulberry(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
