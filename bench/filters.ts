/**
 * Reads pages of animals with every filter, with ten thousand and with a million animals. The ratio of the two times is
 * the result. The pages are read from the store, not from the cache.
 *
 *     bun bench/filters.ts [--record]
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../src/database/open.ts'
import { petStatuses } from '../src/shop/pets/rules.ts'
import { createPetStore } from '../src/shop/pets/store.ts'
import type { PetFilter } from '../src/shop/pets/table.ts'
import { median, report } from './measure.ts'

const sizes = [10_000, 1_000_000]
const pageSize = 21
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))

const filters: [string, PetFilter][] = [
  ['no filter', {}],
  ['status', { status: 'sold' }],
  ['categoryId', { categoryId: 7 }],
  ['status and categoryId', { status: 'pending', categoryId: 7 }],
  ['status and categoryId, 20 matches', { status: 'sold', categoryId: 11 }],
  ['q, one character', { q: 'u' }],
  ['q, two characters', { q: 'ky' }],
  ['q, three characters', { q: 'luc' }],
  ['q, a name', { q: 'honeysuckle' }],
  ['q, an unused name', { q: 'xylophone' }],
  ['q, an unused character', { q: 'ж' }],
  ['q, status and categoryId', { q: 'a', status: 'pending', categoryId: 7 }],
]

// The first run warms up the JIT compiler. Otherwise the smaller store would be measured as slower.
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

/** The median time of a page in microseconds for each filter, at 15 depths of the list. */
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
        // Category 11 has a tenth of the animals, and few of them are sold.
        const isRare = i % (count / 20) === 0
        const isElsewhere = i % 10 > 0
        const status = petStatuses[Math.floor(random() ** 3 * 3)] ?? 'available'
        pets.add({
          name: `${names[Math.floor(random() * names.length)]} ${Math.floor(random() * 1_000)}`,
          categoryId: isElsewhere ? 1 + Math.floor(random() * 10) : 11,
          status: isElsewhere ? status : isRare ? 'sold' : 'available',
        })
      }
    })()
  }
}

/** A generator with the same numbers in each run (Mulberry32). */
function mulberry(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
