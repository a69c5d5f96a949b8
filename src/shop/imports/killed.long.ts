import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { readRows } from '../../database/testing/old-store.ts'
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

const kills = 100

/** Animals with profiles, of which the store has the first ones before each test. */
const [before, all] = [500, 2_000]

function writeList(file: string, animals: number, price: number): void {
  const rows = Array.from({ length: animals }, (_, i) => {
    const profile = `Breed ${i},red,female,2024-03-14,98511${i},${price},"Line ${i}\nLikes children.",yes,Kennel ${i % 20}`
    return `N${i},Rex ${i},Kind ${i % 300},available,${profile}\n`
  })
  const header = 'number,name,category,status,breed,color,sex,birthDate,microchip,price,description,published,Kennel\n'
  writeFileSync(join(folder.path, file), header + rows.join(''))
}

describe.skipIf(!isBuilt || !strace)('kill -9 at any write of a command', () => {
  const store = () => join(folder.path, 'data')
  const copy = () => join(folder.path, 'copy')
  const importing = (file: string) => ['pets', 'import', file, '--existing', 'update', '--attributes', 'Kennel']

  async function run(...args: readonly string[]): Promise<void> {
    expect((await runPetstore(args, { cwd: folder.path })).err).not.toContain('petstore:')
  }

  beforeEach(async () => {
    makeStore(folder.path)
    writeList('old.csv', before, 80)
    writeList('new.csv', all, 90)
    await run('settings', 'set', 'currency=EUR')
    await run(...importing('old.csv'))
  })

  /** Runs a command on a copy of the store under strace. */
  function trace(args: readonly string[], options: readonly string[]): number | null {
    rmSync(copy(), { recursive: true, force: true })
    cpSync(store(), copy(), { recursive: true })
    const command = [strace ?? '', '-f', '-e', 'trace=pwrite64', ...options, executable, ...args, '--data', copy()]
    return Bun.spawnSync(command, { cwd: folder.path }).exitCode
  }

  /** Kills a command at the nth time that it writes to the database. */
  const kill = (args: readonly string[], nth: number) =>
    trace(args, ['-o', '/dev/null', '-e', `inject=pwrite64:signal=KILL:when=${nth}`])

  /** The number of writes of a command that is not killed. */
  function countWrites(args: readonly string[]): number {
    const file = join(folder.path, 'trace')
    trace(args, ['-o', file])
    return readFileSync(file, 'utf8').split('pwrite64(').length - 1
  }

  /** The rows of all tables that the next process finds, without times and ids of requests. */
  function read(data: string): Readonly<Record<string, string>> {
    const { connection, close } = openDatabase(join(data, 'production.db'), 0)
    // The clock of the limits goes on, whatever a command does.
    const { limit_clock: _, ...rows } = readRows(connection)
    close()
    // The id of an event is a time, too, and that of a request is random.
    const time = /req_\w+|\d{13,}|\d{4}-\d\d-\d\dT[\d:.]+Z/g
    return Object.fromEntries(
      Object.entries(rows).map(([table, texts]) => [table, texts.join('\n').replace(time, 'time')]),
    )
  }

  /**
   * Kills a command at a hundred places: each time the store has all of its changes or none. Returns the number of rows of
   * each table with all of them.
   */
  function expectAllOrNothing(args: readonly string[]) {
    const writes = countWrites(args)
    const outcomes = [read(store()), read(copy())]
    const seen = new Set<number>()
    let killed = 0
    for (let nth = 1; nth <= writes; nth += Math.max(1, Math.floor(writes / kills))) {
      if (kill(args, nth) !== 0) killed++
      const found = read(copy())
      const at = outcomes.findIndex((outcome) => Bun.deepEquals(outcome, found))
      const others = Object.keys(found).filter((table) => outcomes.every((outcome) => outcome[table] !== found[table]))
      expect([nth, at === -1 ? others : 'one of both']).toEqual([nth, 'one of both'])
      seen.add(at)
    }
    expect(killed).toBeGreaterThanOrEqual(Math.min(kills, writes) / 2)
    expect([...seen].sort()).toEqual([0, 1])
    return Object.fromEntries(
      Object.entries(outcomes[1] ?? {}).map(([table, text]) => [table, text.split('\n').length]),
    )
  }

  test('leaves all of an import or nothing', () => {
    const after = expectAllOrNothing(importing('new.csv'))
    expect(after).toMatchObject({ pets: all, pet_profiles: all, imports: 2, import_changes: before })
  }, 600_000)

  test('leaves all of an undo or nothing', async () => {
    await run(...importing('new.csv'))
    expect(expectAllOrNothing(['pets', 'import', '--undo', '2'])).toMatchObject({ pets: before, pet_profiles: before })
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
