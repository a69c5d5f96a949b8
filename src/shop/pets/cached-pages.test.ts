import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { openTestStore } from '../../testing/harness.ts'
import type { PetRow } from './table.ts'

type Change =
  | { readonly kind: 'add' | 'remove' | 'restore'; readonly nth: number; readonly categoryId: number }
  | { readonly kind: 'sell'; readonly nth: number; readonly categoryId: number }

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('add', 'add', 'remove', 'restore', 'sell'),
  nth: fc.nat(30),
  categoryId: fc.integer({ min: 1, max: 2 }),
})

test('after any changes, every cached page, animal and number is the same as one that is read again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 25, size: 'max' }), async (changes) => {
      const store = await openTestStore()
      const { key } = await store.newKey({ plan: 'enterprise' })
      const call = (method: string, path: string, body?: object) =>
        store.call(method, `/v1${path}`, { key, ...(body ? { body } : {}) })
      const live = new Map<number, PetRow>()
      const removed = new Map<number, PetRow>()
      const nthOf = (rows: ReadonlyMap<number, PetRow>, nth: number) => [...rows.values()][nth % Math.max(1, rows.size)]

      async function apply({ kind, nth, categoryId }: Change): Promise<void> {
        const pet = kind === 'restore' ? nthOf(removed, nth) : nthOf(live, nth)
        if (kind === 'add') {
          const { json } = await call('POST', '/pets', { name: 'Rex', categoryId })
          live.set(json.id, json)
        } else if (pet && kind === 'remove') {
          await call('DELETE', `/pets/${pet.id}`)
          live.delete(pet.id)
          removed.set(pet.id, pet)
        } else if (pet && kind === 'restore') {
          await call('POST', `/pets/${pet.id}/restore`)
          removed.delete(pet.id)
          live.set(pet.id, pet)
        } else if (pet) {
          const { json } = await call('PATCH', `/pets/${pet.id}`, { categoryId })
          live.set(pet.id, json)
        }
      }

      async function compareAll(): Promise<void> {
        const all = [...live.values()].sort((a, b) => a.id - b.id)
        for (const order of ['asc', 'desc'] as const) {
          for (const categoryId of [undefined, 1]) {
            const expected = all.filter((pet) => categoryId === undefined || pet.categoryId === categoryId)
            if (order === 'desc') expected.reverse()
            const filter = categoryId === undefined ? '' : `&categoryId=${categoryId}`
            const found: PetRow[] = []
            let path: string | undefined = `/pets?limit=3&order=${order}${filter}`
            while (path) {
              const { json, headers } = await call('GET', path)
              found.push(...json)
              path = /\/v1([^>]+)>/.exec(headers.get('link') ?? '')?.[1]
            }
            expect(found).toEqual(expected)
          }
        }
        for (const pet of live.values()) expect((await call('GET', `/pets/${pet.id}`)).json).toEqual(pet)
        for (const id of removed.keys()) expect((await call('GET', `/pets/${id}`)).status).toBe(404)
        const sum = ({ available, pending, sold }: Record<string, number>) => [available, pending, sold]
        expect(sum((await call('GET', '/store/inventory')).json)).toEqual([live.size, 0, 0])
        const inFirst = all.filter(({ categoryId }) => categoryId === 1).length
        expect((await call('GET', '/categories/1')).json.petCount).toBe(inFirst)
        expect((await call('GET', '/categories?limit=1')).json[0].petCount).toBe(inFirst)
      }

      for (const one of changes) {
        await apply(one)
        await compareAll()
      }
      // If nothing was cached, the test would prove little: what was just read comes from the cache.
      const counts = store.app.endpointParts.pageCacheCounts
      const { misses } = counts
      await compareAll()
      expect(counts.misses - misses).toBe(removed.size)
      await store.close()
    }),
    { numRuns: 8 },
  )
})

test('new animals leave the pages that have a next one in the cache', async () => {
  const store = await openTestStore()
  const add = () => store.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } })
  for (let i = 0; i < 4; i++) await add()
  const counts = store.app.endpointParts.pageCacheCounts
  const isHit = async (path: string) => {
    const before = counts.hits
    await store.call('GET', path)
    return counts.hits > before
  }
  const last = '/v1/pets?limit=5'
  for (const path of ['/v1/pets?limit=2', last, '/v1/pets/1']) await isHit(path)
  await add()
  expect([await isHit('/v1/pets?limit=2'), await isHit('/v1/pets/1'), await isHit(last)]).toEqual([true, true, false])
  await store.close()
})
