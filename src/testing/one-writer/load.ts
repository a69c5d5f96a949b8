/** Clients that read and write by HTTP, compare their reads with the ledger and record their writes in it. */

import { expect } from 'bun:test'
import type { PetStatus } from '../../shop/pets/rules.ts'
import { type Client, nextOf, type Reply } from './client.ts'
import { type Animal, identityOf, type Ledger, type Pet } from './ledger.ts'

/** Each animal has one of these words in its name, after its identity. */
export const words = ['Wolf', 'Ärmel', 'Rex'] as const
export const wordOf = (name: string): string => name.split(' ')[1] ?? ''

export interface World {
  readonly client: Client
  readonly ledger: Ledger
}

/** The pause between the requests of a client, so that other tests can use the machine too. */
const pauseMs = 4

/** Reads all pages of a list, or of a search for a word. */
export async function walk({ client, ledger }: World, word?: string): Promise<Set<string>> {
  const startMs = performance.now()
  const before = ledger.visible().filter(({ name }) => word === undefined || wordOf(name) === word)
  const found = new Set<string>()
  let last = 0
  for (let path: string | undefined = `/pets?limit=100${word ? `&q=${encodeURIComponent(word)}` : ''}`; path; ) {
    const page: Reply = await client.read(path)
    expect(page.status).toBe(200)
    for (const pet of page.json as Pet[]) {
      if (pet.id <= last) throw new Error(`Animal ${pet.id} follows ${last} on ${path}.`)
      last = pet.id
      ledger.see(pet)
      found.add(identityOf(pet.name))
    }
    path = nextOf(page)
  }
  const missing = before.filter(({ identity, isLeaving, changedMs }) => {
    // A renamed animal can get the word, or lose it, while the pages are read.
    return !(found.has(identity) || isLeaving || (word !== undefined && changedMs >= startMs))
  })
  expect(missing).toEqual([])
  return found
}

/** Counts the animals by status; the sum is between the minimum and the maximum by the ledger. */
export async function count({ client, ledger }: World): Promise<void> {
  const before = ledger.visible()
  const gone = ledger.gone()
  const { json } = await client.read('/store/inventory')
  const sum = Object.values(json as Record<PetStatus, number>).reduce((a, b) => a + b, 0)
  expect(sum).toBeGreaterThanOrEqual(before.filter(({ isLeaving }) => !isLeaving).length)
  expect(sum).toBeLessThanOrEqual(ledger.sent() - gone)
}

export function createLoad(world: World) {
  const { client, ledger } = world
  let isOver = false
  let failure: unknown
  let made = 0
  /** Animals that no client is changing. */
  const idle: Animal[] = []

  async function add(isKeyed: boolean): Promise<void> {
    const n = made++
    const identity = `w${n}`
    const body = { name: `${identity} ${words[n % words.length]}`, categoryId: 1 + (n % 6) }
    const sent = { body, idempotencyKey: isKeyed ? identity : undefined }
    ledger.sending(identity)
    for (;;) {
      const reply = await client.attempt('POST', '/pets', sent)
      if (reply?.status === 201) {
        expect(reply.json).toEqual({ id: reply.json.id, ...body, status: 'available' })
        idle.push(ledger.added(reply.json))
        if (isKeyed && n % 5 === 0) await replay(reply, sent)
        return
      }
      expect([undefined, 503]).toContain(reply?.status)
      if (!isKeyed) return reply ? ledger.rejected(identity) : ledger.unknown(identity)
      await Bun.sleep(50)
    }
  }

  async function replay(first: Reply, sent: { body: object; idempotencyKey: string | undefined }): Promise<void> {
    const again = await client.attempt('POST', '/pets', sent)
    if (!again || again.status === 503) return
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(again.json).toEqual(first.json)
  }

  /** Renames, sells or removes an animal, and reads it if the outcome is unknown. */
  async function change(animal: Animal, kind: number): Promise<void> {
    const { id, identity, name, status, categoryId } = animal
    const after =
      kind === 0
        ? { name: `${identity} ${words[(animal.id ?? 0) % words.length]} again`, status }
        : { name, status: 'sold' as const }
    // A read may show the change before its response arrives.
    animal.changedMs = Number.POSITIVE_INFINITY
    if (kind === 2) animal.isLeaving = true
    const reply = await (kind === 2
      ? client.attempt('DELETE', `/pets/${id}`)
      : client.attempt('PATCH', `/pets/${id}`, { body: after }))
    const now = await client.read(`/pets/${id}`)
    const before = { id, name, categoryId, status }
    const changed = kind === 2 ? undefined : { ...before, ...after }
    const is = now.status === 404 ? undefined : now.json
    if (reply?.status === 503) expect(is).toEqual(before)
    else if (reply) {
      expect(reply.status).toBe(kind === 2 ? 204 : 200)
      expect(is).toEqual(changed)
    } else expect([before, changed]).toContainEqual(is)
    if (is === undefined) ledger.removed(identity)
    else {
      animal.name = is.name
      animal.status = is.status
    }
    animal.changedMs = performance.now()
  }

  /** Orders an animal and takes the order further or cancels it; then reads the result, which must be consistent. */
  async function order(animal: Animal, step: number): Promise<void> {
    const { id: petId } = animal
    animal.changedMs = performance.now()
    const placed = await client.attempt('POST', '/store/orders', {
      body: { petId },
      idempotencyKey: step % 2 ? `order of ${petId}` : undefined,
    })
    const verbs = [['cancel'], ['approve'], ['approve', 'deliver'], []][step] ?? []
    let expected = placed?.status === 201 ? 'placed' : undefined
    if (placed?.status === 201) {
      for (const verb of verbs) {
        const reply = await client.attempt('POST', `/store/orders/${placed.json.id}/${verb}`)
        if (reply?.status !== 200) {
          expect([undefined, 503]).toContain(reply?.status)
          if (!reply) expected = undefined
          break
        }
        expected = reply.json.status
      }
    } else expect([undefined, 503]).toContain(placed?.status)
    const { json: orders } = await client.read(`/store/orders?petId=${petId}`)
    const { json: pet } = await client.read(`/pets/${petId}`)
    expect(orders.length).toBeLessThanOrEqual(1)
    const [found] = orders
    if (placed?.status === 503) expect(found).toBeUndefined()
    if (expected) expect(found).toMatchObject({ id: placed?.json.id, status: expected })
    const statuses: Record<string, PetStatus> = { placed: 'pending', approved: 'pending', delivered: 'sold' }
    expect(pet.status).toBe(statuses[found?.status] ?? 'available')
    if (found) {
      expect(ledger.orders.has(found.id)).toBe(false)
      ledger.orders.set(found.id, { id: found.id, petId: found.petId, status: found.status })
    }
    animal.status = pet.status
    animal.changedMs = performance.now()
  }

  async function loop(work: (n: number) => Promise<void>): Promise<void> {
    try {
      for (let n = 0; !isOver; n++) {
        await work(n)
        await Bun.sleep(pauseMs)
      }
    } catch (error) {
      failure ??= error
      isOver = true
    }
  }

  async function withIdle(work: (animal: Animal) => Promise<void>): Promise<void> {
    const animal = idle.shift()
    await (animal ? work(animal) : Bun.sleep(20))
  }

  const loops = [
    loop(() => add(false)),
    loop(() => add(false)),
    loop(() => add(true)),
    loop(() => add(true)),
    loop((n) => withIdle((animal) => change(animal, n % 3))),
    loop((n) => withIdle((animal) => order(animal, n % 4))),
    loop(async () => void (await walk(world))),
    loop(async (n) => void (await walk(world, words[n % words.length]))),
    loop(() => count(world)),
  ]

  return {
    /** Whether a client has failed. */
    hasFailed: () => failure !== undefined,
    /** Ends the clients after their current requests; throws the first failure. */
    async end(): Promise<void> {
      isOver = true
      await Promise.all(loops)
      if (failure !== undefined) throw failure
    },
  }
}
