import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStores } from '../../app/stores.ts'
import { openDatabase } from '../../database/open.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import {
  emptyFolder,
  executable,
  isBuilt,
  makeStore,
  runPetstore,
  startPetstoreProcess,
} from '../../testing/executable.ts'

const strace = Bun.which('strace')
if (!strace) console.error('SKIPPED: killing an import at every step needs strace.')

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

const animals = 2_000
const kills = 100

function writeRows(count: number): void {
  const rows = Array.from({ length: count }, (_, i) => `Rex ${i},Kind ${i % 300},${(i % 300) + 1}\n`)
  writeFileSync(join(folder.path, 'pets.csv'), `name,category,categoryId\n${rows.join('')}`)
}

describe.skipIf(!isBuilt || !strace)('kill -9 at any write of a command', () => {
  const copy = () => join(folder.path, 'copy')

  /** Runs a command on a copy of the store, and kills it at the nth time that it writes to the database. */
  function runKilled(args: readonly string[], nth: number): number | null {
    rmSync(copy(), { recursive: true, force: true })
    cpSync(join(folder.path, 'data'), copy(), { recursive: true })
    const tracing = ['-f', '-o', '/dev/null', '-e', 'trace=pwrite64', '-e', `inject=pwrite64:signal=KILL:when=${nth}`]
    const command = [executable, ...args, '--data', copy()]
    return Bun.spawnSync([strace ?? '', ...tracing, ...command], { cwd: folder.path }).exitCode
  }

  /** The number of writes of a command that is not killed. */
  function countWrites(args: readonly string[]): number {
    const trace = join(folder.path, 'trace')
    const tracing = ['-f', '-o', trace, '-e', 'trace=pwrite64']
    rmSync(copy(), { recursive: true, force: true })
    cpSync(join(folder.path, 'data'), copy(), { recursive: true })
    Bun.spawnSync([strace ?? '', ...tracing, executable, ...args, '--data', copy()], { cwd: folder.path })
    return readFileSync(trace, 'utf8').split('pwrite64(').length - 1
  }

  /** What the next process finds. */
  function readCopy() {
    const { tables, connection, close } = openDatabase(join(copy(), 'production.db'), 0)
    const stores = createStores({ tables, connection })
    const [last] = stores.imports.page(pageRange('desc', undefined), 1)
    const found = {
      pets: stores.pets.count({}),
      rows: stores.pets.page({}, pageRange('asc', undefined), animals + 1).records.length,
      categories: stores.categories.page(0, 1_000).length,
      state: last && (last.undoneAt === null ? 'completed' : 'undone'),
    }
    close()
    return found
  }

  function expectAllOrNothing(args: readonly string[], outcomes: readonly object[]): void {
    const writes = countWrites(args)
    const step = Math.max(1, Math.floor(writes / kills))
    const seen = new Set<number>()
    let killed = 0
    for (let nth = 1; nth <= writes; nth += step) {
      if (runKilled(args, nth) !== 0) killed++
      const found = readCopy()
      const at = outcomes.findIndex((outcome) => Bun.deepEquals(outcome, found))
      expect([nth, at === -1 ? found : 'one of both']).toEqual([nth, 'one of both'])
      seen.add(at)
    }
    expect(killed).toBeGreaterThanOrEqual(Math.min(kills, writes) / 2)
    expect([...seen].sort()).toEqual([0, 1])
  }

  const nothing = { pets: 0, rows: 0, categories: 6 }
  const added = { pets: animals, rows: animals, categories: 300, state: 'completed' }

  test('leaves all of an import or nothing', () => {
    writeRows(animals)
    makeStore(folder.path)
    expectAllOrNothing(['pets', 'import', 'pets.csv'], [{ ...nothing, state: undefined }, added])
  }, 600_000)

  test('leaves all of an undo or nothing', async () => {
    writeRows(animals)
    await runPetstore(['pets', 'import', 'pets.csv'], { cwd: folder.path })
    const undone = { ...nothing, categories: 0, state: 'undone' }
    expectAllOrNothing(['pets', 'import', '--undo', '1'], [added, undone])
  }, 600_000)
})

test.skipIf(!isBuilt)(
  'the import of a command fails with one line if the server is killed, and adds nothing',
  async () => {
    const server = await startPetstoreProcess([], { cwd: folder.path })
    const running = Bun.spawn([executable, 'pets', 'import', '-'], {
      cwd: folder.path,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    // This is more than the pipe can buffer: once all of it is written, most of it was sent.
    running.stdin.write(`name,category\n${'Rex,Rabbit\n'.repeat(50_000)}`)
    await running.stdin.flush()
    await server.kill()
    await running.stdin.end()
    expect([await running.exited, await new Response(running.stdout).text()]).toEqual([1, ''])
    expect(await new Response(running.stderr).text()).toMatch(/^petstore: The server ended before [^\n]+\n$/)
    const exported = await runPetstore(['pets', 'export'], { cwd: folder.path })
    expect(exported.out.trimEnd().split('\n')).toHaveLength(1)
  },
  60_000,
)

test.skipIf(!isBuilt)(
  'a command imports a file of more than 100 MiB, with and without a server',
  async () => {
    const row = `Rex,Dog,${'x'.repeat(120_000)}\n`
    writeFileSync(join(folder.path, 'pets.csv'), `name,category,note\n${row.repeat(900)}`)
    const load = () => runPetstore(['pets', 'import', 'pets.csv'], { cwd: folder.path })
    expect((await load()).out).toStartWith('Imported 900 animals.\n')
    const server = await startPetstoreProcess([], { cwd: folder.path })
    expect((await load()).out).toStartWith('Imported 900 animals.\n')
    await server.kill()
  },
  60_000,
)
