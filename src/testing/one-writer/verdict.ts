/** Asserts, after all writes have ended, that a store is consistent and has the content of the ledger. */

import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { join } from 'node:path'
import { runPetstore } from '../executable.ts'
import { nextOf, type Reply } from './client.ts'
import { identityOf, type Pet } from './ledger.ts'
import { type World, walk, wordOf, words } from './load.ts'

interface ExportedPet extends Pet {
  readonly category: string | null
}

/** Stops the server with SIGTERM. */
export async function assertWhole(world: World): Promise<void> {
  const { client, ledger } = world
  const { out } = await runPetstore(['pets', 'export', '--format', 'ndjson'], { cwd: client.cwd })
  const pets = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ExportedPet)
  assertAnimals(world, pets)
  await assertTotals(world, pets)
  for (const order of ledger.orders.values()) {
    expect((await client.read(`/store/orders/${order.id}`)).json).toMatchObject({ id: order.id, petId: order.petId })
  }
  const path = join(client.cwd, 'data/production.db')
  for (const word of words) {
    const having = pets.filter(({ name }) => wordOf(name) === word).map(({ name }) => identityOf(name))
    expect([...(await walk(world, word))].sort()).toEqual(having.sort())
  }
  // Only names with a unique word are searched: searching all would take seconds.
  for (const { id, name } of pets.filter((_, i) => i % 23 === 0)) {
    const found: number[] = []
    for (let path: string | undefined = `/pets?q=${encodeURIComponent(name)}&limit=100`; path; ) {
      const page: Reply = await client.read(path)
      found.push(...(page.json as Pet[]).map((pet) => pet.id))
      path = nextOf(page)
    }
    expect(found).toContain(id)
  }
  expect(await client.stop()).toBe(0)
  const connection = new Database(path)
  expect(connection.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  expect(connection.query('PRAGMA foreign_key_check').values()).toEqual([])
  connection.close()
}

/**
 * Every acknowledged animal exists once, as it was acknowledged. All others have an unknown outcome and exist at most
 * once.
 */
function assertAnimals({ ledger }: World, pets: readonly ExportedPet[]): void {
  const byIdentity = Map.groupBy(pets, ({ name }) => identityOf(name))
  expect([...byIdentity.values()].filter(({ length }) => length > 1)).toEqual([])
  expect(new Set(pets.map(({ id }) => id)).size).toBe(pets.length)
  for (const pet of pets) ledger.see(pet)
  const found = (identity: string) => byIdentity.get(identity)?.[0]
  for (const { identity, id, name, categoryId, status } of ledger.animals.values()) {
    const pet = found(identity)
    expect(pet).toMatchObject({ name, status })
    if (id !== undefined) expect(pet).toMatchObject({ id, categoryId })
    else expect(pet?.category).toStartWith('Kind ')
  }
  const others = pets.filter(({ name }) => !ledger.animals.has(identityOf(name)))
  expect(others.filter(({ name }) => ledger.fateOf(identityOf(name)) !== 'unknown')).toEqual([])
  for (const identities of ledger.unknownImports) {
    expect([0, identities.length]).toContain(identities.filter(found).length)
  }
}

async function assertTotals({ client }: World, pets: readonly Pet[]): Promise<void> {
  const { json: inventory } = await client.read('/store/inventory')
  const total = (status: string) => pets.filter((pet) => pet.status === status).length
  expect(inventory).toEqual({ available: total('available'), pending: total('pending'), sold: total('sold') })
  const { json: categories } = await client.read('/categories?limit=100')
  for (const { id, petCount } of categories) {
    expect([id, petCount]).toEqual([id, pets.filter(({ categoryId }) => categoryId === id).length])
  }
}
