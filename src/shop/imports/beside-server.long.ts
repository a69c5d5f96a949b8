import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  emptyFolder,
  isBuilt,
  type PetstoreProcess,
  runPetstore,
  startPetstoreProcess,
} from '../../testing/executable.ts'

let folder: ReturnType<typeof emptyFolder>
let server: PetstoreProcess
let key: string
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(async () => {
  await server.kill()
  folder.remove()
})

const imported = 20_000

interface Pet {
  readonly id: number
  readonly name: string
}

async function send(method: string, path: string, body?: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const response = await fetch(server.ready.url + path, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response
}

/** Every animal that a search finds, page by page. */
async function searchAll(q: string): Promise<Pet[]> {
  const found: Pet[] = []
  let next: string | undefined = `/v1/pets?limit=100&q=${q}`
  while (next) {
    const page = await send('GET', next)
    found.push(...((await page.json()) as Pet[]))
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
  }
  return found
}

async function countAll(): Promise<number> {
  const inventory = (await (await send('GET', '/v1/store/inventory')).json()) as Record<string, number>
  return Object.values(inventory).reduce((sum, animals) => sum + animals, 0)
}

describe.skipIf(!isBuilt)('while a command imports, indexes and removes beside a loaded server', () => {
  test('searches return each animal once, totals are complete, and no request is rejected', async () => {
    const { path: cwd } = folder
    server = await startPetstoreProcess([], { cwd })
    const plan = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '1000000']
    key = JSON.parse((await runPetstore(['keys', 'create', '--name', 'Load', ...plan, '--json'], { cwd })).out).key
    const rows = Array.from({ length: imported }, (_, i) => `Imported ${i % 100 === 0 ? 'rare' : ''}${i},Rabbit\n`)
    writeFileSync(join(cwd, 'pets.csv'), `name,category\n${rows.join('')}`)
    let isOver = false
    let added = 0
    let removed = 0

    async function write(): Promise<void> {
      while (!isOver) {
        const made = (await (await send('POST', '/v1/pets', { name: `Rare ${added}`, categoryId: 1 })).json()) as Pet
        added++
        if (added % 3 > 0) continue
        await send('DELETE', `/v1/pets/${made.id}`)
        removed++
      }
    }

    async function read(): Promise<void> {
      while (!isOver) {
        const before = added - removed
        const ids = (await searchAll('rare')).map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids).toEqual(ids.toSorted((a, b) => a - b))
        expect(ids.length).toBeGreaterThanOrEqual(before - 2)
        const total = await countAll()
        // The totals have the whole import or nothing of it; an undo is done in steps.
        expect(total).toBeLessThanOrEqual(imported + added - removed + 2)
      }
    }

    const load = [write(), write(), read(), read()]
    const { out, code } = await runPetstore(['pets', 'import', 'pets.csv', '--json'], { cwd })
    expect([code, JSON.parse(out)]).toMatchObject([0, { id: 1, imported }])
    expect((await searchAll('rare')).filter(({ name }) => name.startsWith('Imported'))).toHaveLength(imported / 100)
    await send('PATCH', `/v1/pets/${(await searchAll('imported'))[0]?.id}`, { name: 'Kept' })
    const undone = await runPetstore(['pets', 'import', '--undo', '1', '--json'], { cwd })
    expect([undone.code, JSON.parse(undone.out)]).toEqual([0, { id: 1, removed: imported - 1, changed: 1, ordered: 0 }])
    isOver = true
    await Promise.all(load)
    // The server shows the changes of a command within a second; a busy machine may take longer.
    const endMs = performance.now() + 5_000
    while ((await searchAll('rare')).length !== added - removed && performance.now() < endMs);
    expect(await searchAll('imported')).toEqual([])
    expect(await searchAll('rare')).toHaveLength(added - removed)
    expect(await countAll()).toBe(added - removed + 1)
  })
})
