import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  emptyFolder,
  executable,
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

describe.skipIf(!isBuilt)('the import of a command', () => {
  let folder: ReturnType<typeof emptyFolder>
  beforeEach(() => {
    folder = emptyFolder()
    writeRows(200_000)
  })
  afterEach(() => folder.remove())

  function writeRows(count: number): void {
    const rows = Array.from({ length: count }, (_, i) => `Rex ${i},Kind ${i % 300}\n`)
    writeFileSync(join(folder.path, 'pets.csv'), `name,category\n${rows.join('')}`)
  }
  const petstore = (...args: string[]) => runPetstore(args, { cwd: folder.path })
  const start = () =>
    Bun.spawn([executable, 'pets', 'import', 'pets.csv'], {
      cwd: folder.path,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
  const noAnimals = { code: 0, out: 'id,name,categoryId,category,status\r\n', err: '' }
  const categories = () => {
    const stored = new Database(join(folder.path, 'data/production.db'), { readonly: true })
    const names = stored.query<{ name: string }, []>('SELECT name FROM categories ORDER BY id').all()
    stored.close()
    return names.map(({ name }) => name)
  }
  /** Resolves when the first animals are in the database. */
  async function untilAdded(): Promise<void> {
    const path = join(folder.path, 'data/production.db')
    while (!existsSync(path)) await Bun.sleep(5)
    const stored = new Database(path, { readonly: true })
    const isAdded = () => {
      try {
        return (stored.query<{ id: number | null }, []>('SELECT max(id) AS id FROM pets').get()?.id ?? 0) > 0
      } catch {
        return false
      }
    }
    while (!isAdded()) await Bun.sleep(5)
    stored.close()
  }

  test('leaves nothing if the command is killed without a server: the next command removes what it had added', async () => {
    const running = start()
    await untilAdded()
    running.kill('SIGKILL')
    await running.exited
    expect(await petstore('pets', 'export')).toEqual(noAnimals)
    expect(categories()).toHaveLength(6)
    expect((await petstore('pets', 'import', '--undo', '1')).err).toBe('petstore: There is no import 1.\n')
  }, 60_000)

  test('fails with one line if the server is killed, and the next server removes what was added', async () => {
    const server = await startPetstoreProcess([], { cwd: folder.path })
    const running = start()
    await untilAdded()
    await server.kill()
    expect([await running.exited, await new Response(running.stdout).text()]).toEqual([1, ''])
    expect(await new Response(running.stderr).text()).toMatch(/^petstore: The server ended before [^\n]+\n$/)
    const next = await startPetstoreProcess([], { cwd: folder.path })
    expect(await petstore('pets', 'export')).toEqual(noAnimals)
    await next.kill()
  }, 60_000)

  test('is added by a server although the command is killed when it has sent the file, and has an id to undo it', async () => {
    writeRows(20_000)
    const server = await startPetstoreProcess([], { cwd: folder.path })
    const running = start()
    await untilAdded()
    running.kill('SIGKILL')
    await running.exited
    const undo = () => petstore('pets', 'import', '--undo', '1')
    let undone = await undo()
    while (undone.err.includes('is not complete')) undone = await undo()
    expect(undone).toEqual({ code: 0, out: 'Removed 20,000 animals and 300 categories of import 1.\n', err: '' })
    await server.kill()
  }, 60_000)
})

test.skipIf(!isBuilt)(
  'a command imports a file of more than 100 MiB, with and without a server',
  async () => {
    const folder = emptyFolder()
    const row = `Rex,Dog,${'x'.repeat(120_000)}\n`
    writeFileSync(join(folder.path, 'pets.csv'), `name,category,note\n${row.repeat(900)}`)
    const load = () => runPetstore(['pets', 'import', 'pets.csv'], { cwd: folder.path })
    expect((await load()).out).toStartWith('Imported 900 animals.\n')
    const server = await startPetstoreProcess([], { cwd: folder.path })
    expect((await load()).out).toStartWith('Imported 900 animals.\n')
    await server.kill()
    folder.remove()
  },
  60_000,
)
