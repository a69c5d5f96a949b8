import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  emptyFolder,
  isBuilt,
  type PetstoreProcess,
  runPetstore,
  startPetstoreProcess,
} from '../../testing/executable.ts'

describe.skipIf(!isBuilt)('an import over HTTP that is running', () => {
  let folder: ReturnType<typeof emptyFolder>
  let server: PetstoreProcess
  let key: string
  beforeEach(async () => {
    folder = emptyFolder()
    server = await startPetstoreProcess([], { cwd: folder.path })
    key = server.ready.key ?? ''
  })
  afterEach(async () => {
    await server.kill()
    folder.remove()
  })

  const headers = () => ({ Authorization: `Bearer ${key}` })
  const count = async () => {
    const response = await fetch(`${server.ready.url}/v1/pets/count`, { headers: headers() })
    return ((await response.json()) as { count: number }).count
  }
  const categories = async () => {
    const response = await fetch(`${server.ready.url}/v1/categories?limit=100`, { headers: headers() })
    return ((await response.json()) as unknown[]).length
  }
  const until = async (isDone: () => Promise<boolean>) => {
    for (let i = 0; i < 300; i++) {
      if (await isDone()) return
      await Bun.sleep(50)
    }
    throw new Error('It took too long.')
  }
  const untilAnimals = () => until(async () => (await count()) > 1_000)
  function importMany() {
    // The ids of the default categories are those of others here.
    const rows = Array.from({ length: 200_000 }, (_, i) => `Rex ${i},Kind ${i % 300},${(i % 300) + 1}\n`)
    const body = `name,category,categoryId\n${rows.join('')}`
    const sent = { ...headers(), 'Content-Type': 'text/csv' }
    return fetch(`${server.ready.url}/v1/imports`, { method: 'POST', headers: sent, body })
  }

  test('leaves nothing after kill -9 and the next start', async () => {
    const running = importMany().catch(() => undefined)
    await untilAnimals()
    await server.kill()
    await running
    expect(readdirSync(join(folder.path, 'data')).filter((name) => name.includes('import'))).toEqual([])
    const undone = await runPetstore(['pets', 'import', '--undo', '1'], { cwd: folder.path })
    expect([undone.code, undone.err]).toEqual([1, expect.stringContaining('Import 1 is not complete')])
    server = await startPetstoreProcess([], { cwd: folder.path })
    // The first request of the new server sees nothing of it.
    expect([await count(), await categories()]).toEqual([0, 6])
    expect(await (await fetch(`${server.ready.url}/v1/imports`, { headers: headers() })).json()).toEqual([])
  }, 60_000)

  test('cannot be undone by a command', async () => {
    const running = importMany()
    await untilAnimals()
    const undone = await runPetstore(['pets', 'import', '--undo', '1'], { cwd: folder.path })
    expect([undone.code, undone.err]).toEqual([1, expect.stringContaining('Import 1 is not complete')])
    expect((await running).status).toBe(201)
    expect(await count()).toBe(200_000)
  }, 60_000)

  test('ends with a response after SIGTERM, unless it finishes first', async () => {
    const running = importMany()
    await untilAnimals()
    const stopping = server.stop()
    const { status } = await running
    expect([201, 503]).toContain(status)
    expect(await stopping).toBe(0)
  }, 60_000)
})
