import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  emptyFolder,
  executable,
  isBuilt,
  type PetstoreProcess,
  runPetstore,
  startPetstoreProcess,
} from '../testing/executable.ts'
import { mountDisk } from '../testing/faults.ts'

let folder: ReturnType<typeof emptyFolder>
let cleanups: (() => void | Promise<void>)[]

beforeEach(() => {
  folder = emptyFolder()
  cleanups = []
})
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  folder.remove()
})

const data = () => join(folder.path, 'data')
const file = (name = 'production.db') => join(data(), name)
const petstore = (...args: string[]) => runPetstore(args, { cwd: folder.path })

async function serve(key?: string) {
  const server = await startPetstoreProcess([], { cwd: folder.path })
  cleanups.push(() => server.kill())
  const { url } = server.ready
  const authorization = `Bearer ${key ?? server.ready.key}`
  return {
    ...server,
    key: key ?? server.ready.key ?? '',
    names: async () => {
      const response = await fetch(`${url}/v1/pets`, { headers: { Authorization: authorization } })
      return ((await response.json()) as { name: string }[]).map(({ name }) => name)
    },
    add: (name: string) =>
      fetch(`${url}/v1/pets`, {
        method: 'POST',
        headers: { Authorization: authorization, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name, categoryId: 1 }),
      }),
    readyz: () => fetch(`${url}/readyz`),
  }
}

const messageOf = async (response: Response) => ((await response.json()) as { message: string }).message

async function eventually(isDone: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await isDone()) return
    await Bun.sleep(50)
  }
  throw new Error('it did not happen within five seconds')
}

/** Runs a start that must fail; returns its exit code and its lines on stderr. */
async function failedStart(command: readonly string[] = [executable]) {
  const child = Bun.spawn([...command, 'serve', '--port', '0'], {
    cwd: folder.path,
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  cleanups.push(() => child.kill('SIGKILL'))
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, code, lines: err.trim().split('\n') }
}

const setpriv = Bun.which('setpriv')
const canBecomeNobody = process.getuid?.() === 0 && setpriv !== null
if (!canBecomeNobody) console.error('SKIPPED: to test permissions one must be root and have setpriv.')
const nobody = 65_534

describe.skipIf(!isBuilt)('petstore serve fails to start', () => {
  test('while another process keeps the database locked, with one line', async () => {
    await (await serve()).stop()
    const other = new Database(file(), { readwrite: true })
    other.run('BEGIN IMMEDIATE')
    const { code, lines, out } = await failedStart()
    other.close()
    expect([code, out, lines.length]).toEqual([1, '', 2])
    expect(lines.at(-1)).toContain(`Another process keeps the database ${file()} locked`)
  })

  describe.skipIf(!canBecomeNobody)('without the permissions', () => {
    const asNobody = () => failedStart([setpriv ?? '', `--reuid=${nobody}`, '--clear-groups', executable])

    async function storeOfNobody() {
      chmodSync(folder.path, 0o755)
      const server = await serve()
      await server.kill()
      chownSync(data(), nobody, nobody)
      for (const name of readdirSync(data())) chownSync(file(name), nobody, nobody)
    }

    test.each(['production.db', 'production.db-wal', 'production.db-shm', 'production.db-serving'])(
      'with the path of a read-only %s, and the port is not left open',
      async (name) => {
        await storeOfNobody()
        chmodSync(file(name), 0o400)
        const { code, lines, out } = await asNobody()
        expect([code, out, lines.length]).toEqual([1, '', 1])
        expect(lines[0]).toContain(`${file(name)} can't be used: the user that runs petstore may not read and write it`)
        expect(lines[0]).toContain(`its owner is the user ${nobody} and its mode 400`)
      },
    )

    test('for a data directory of another user, with its path', async () => {
      await storeOfNobody()
      chownSync(data(), 0, 0)
      const { code, lines } = await asNobody()
      expect([code, lines.length]).toEqual([1, 1])
      expect(lines[0]).toContain(`${data()} can't be used: the user that runs petstore may not read and write it`)
      expect(lines[0]).toContain('chown')
    })

    test('and so does a command', async () => {
      await storeOfNobody()
      chmodSync(file(), 0o400)
      const command = [setpriv ?? '', `--reuid=${nobody}`, '--clear-groups', executable, 'keys', 'list']
      const { exitCode, stderr } = Bun.spawnSync(command, { cwd: folder.path })
      expect(exitCode).toBe(1)
      expect(stderr.toString()).toContain(`${file()} can't be used: the user that runs petstore may not`)
      expect(stderr.toString().trim().split('\n')).toHaveLength(1)
    })
  })
})

describe.skipIf(!isBuilt || !mountDisk.isPossible)('petstore serve on a disk that rejects writes', () => {
  async function storeOnDisk(end: 'stop' | 'kill') {
    const disk = mountDisk(data(), 8_000_000)
    cleanups.push(() => disk.unmount())
    const server = await serve()
    await server.add('Ada')
    await server[end]()
    return { disk, key: server.key }
  }

  test.each(['stop', 'kill'] as const)('serves a store on a read-only disk for reading, after a %s', async (end) => {
    const { disk, key } = await storeOnDisk(end)
    disk.makeReadOnly()
    const server = await serve(key)
    expect(await server.names()).toEqual(['Ada'])
    const rejected = await server.add('Bea')
    expect(rejected.status).toBe(503)
    expect(await messageOf(rejected)).toBe('The database is read-only. Nothing was changed; try again later.')
    const notReady = await server.readyz()
    expect([notReady.status, await messageOf(notReady)]).toEqual([503, expect.stringContaining('read-only')])
    disk.makeWritable()
    await Bun.sleep(1_200)
    await server.stop()
    const log = await server.errors
    expect(log.match(/"fault":"read_only"/g)).toHaveLength(1)
    expect(log).toContain('no longer read-only: restart petstore')
    const again = await serve(key)
    expect((await again.add('Bea')).status).toBe(201)
  })

  test.each(['stop', 'kill'] as const)(
    'serves a store on a full disk for reading, after a %s, and for writing once the disk has space',
    async (end) => {
      const { disk, key } = await storeOnDisk(end)
      const filler = disk.fill()
      const server = await serve(key)
      expect(await server.names()).toEqual(['Ada'])
      const rejected = await server.add('x'.repeat(100))
      expect(rejected.status).toBe(503)
      expect(await messageOf(rejected)).toContain('The disk of the database is full.')
      expect((await server.readyz()).status).toBe(503)
      rmSync(filler)
      await eventually(async () => (await server.readyz()).status === 200)
      expect((await server.add('Bea')).status).toBe(201)
      // Commands can use the store again, and the server detects their changes.
      await eventually(async () => (await petstore('keys', 'create', '--name', 'Other')).code === 0)
      expect((await server.add('Cleo')).status).toBe(201)
      expect(await server.stop()).toBe(0)
      const log = await server.errors
      expect(log.match(/"level":"error"/g)).toHaveLength(1)
      expect(log.match(/"fault":"full"/g)).toHaveLength(2)
      expect(await (await serve(key)).names()).toEqual(['Ada', 'Bea', 'Cleo'])
    },
  )

  test('exits with 1 on a full disk without a store, and leaves no file', async () => {
    const disk = mountDisk(data(), 8_000_000)
    cleanups.push(() => disk.unmount())
    const filler = disk.fill()
    const { code, lines } = await failedStart()
    expect([code, lines.length]).toEqual([1, 1])
    expect(lines[0]).toContain('The disk of the database is full.')
    expect(existsSync(file())).toBe(false)
    rmSync(filler)
    expect((await (await serve()).add('Ada')).status).toBe(201)
  })
})

describe.skipIf(!isBuilt)('a database that has lost its content', () => {
  const expectEmpty = async (...args: string[]) => {
    const { code, err } = await petstore(...args)
    expect([code, err.trim().split('\n').length]).toEqual([1, 1])
    expect(err).toContain(`The database ${file()} is empty: its content is lost. Restore a backup`)
  }

  test('no command treats an empty file as a new store, and a backup can be restored over it', async () => {
    const first = await serve()
    await first.add('Ada')
    await first.stop()
    expect((await petstore('backup', 'create')).code).toBe(0)
    const backup = JSON.parse((await petstore('backup', 'list', '--json')).out)[0].file as string
    writeFileSync(file(), '')
    await expectEmpty('serve', '--port', '0')
    await expectEmpty('keys', 'create', '--name', 'Other')
    await expectEmpty('pets', 'export')
    expect(statSync(file()).size).toBe(0)
    const restored = await petstore('backup', 'restore', backup)
    expect([restored.code, restored.err]).toEqual([0, expect.anything()])
    expect(await (await serve(first.key)).names()).toEqual(['Ada'])
  })

  test('no command treats a database without tables as a new store', async () => {
    mkdirSync(data())
    const bare = new Database(file(), { create: true })
    bare.run('PRAGMA journal_mode = WAL')
    bare.close()
    expect(statSync(file()).size).toBeGreaterThan(0)
    await expectEmpty('serve', '--port', '0')
  })

  test('a symbolic link without a target is reported and left unchanged', async () => {
    mkdirSync(data())
    symlinkSync(join(folder.path, 'unmounted/production.db'), file())
    const { code, err } = await petstore('serve', '--port', '0')
    expect([code, err.trim().split('\n').length]).toEqual([1, 1])
    expect(err).toContain(
      `is a symbolic link to ${join(folder.path, 'unmounted/production.db')}, where there is no file`,
    )
    expect(lstatSync(file()).isSymbolicLink()).toBe(true)
  })

  test('a log without its database is reported and left unchanged', async () => {
    const server = await serve()
    await server.add('Ada')
    await server.kill()
    renameSync(file(), file('elsewhere'))
    const before = readFileSync(file('production.db-wal')).toHex()
    const { code, err } = await petstore('serve', '--port', '0')
    expect([code, err.trim().split('\n').length]).toEqual([1, 1])
    expect(err).toContain('is missing, but its log production.db-wal is there')
    expect(readFileSync(file('production.db-wal')).toHex()).toBe(before)
    renameSync(file('elsewhere'), file())
    expect(await (await serve(server.key)).names()).toEqual(['Ada'])
  })

  test('after a first start that was killed at any time, the next start succeeds', async () => {
    for (let delayMs = 0; delayMs < 120; delayMs += 6) {
      const cwd = join(folder.path, String(delayMs))
      mkdirSync(cwd)
      const child = Bun.spawn([executable, 'serve', '--port', '0'], { cwd, stdout: 'ignore', stderr: 'ignore' })
      await Bun.sleep(delayMs)
      child.kill('SIGKILL')
      await child.exited
      const next = await runPetstore(['keys', 'create', '--name', 'Next', '--json'], { cwd })
      expect([delayMs, next.code, next.err]).toEqual([delayMs, 0, next.err])
      expect(readdirSync(join(cwd, 'data')).filter((name) => name.includes('-new'))).toEqual([])
    }
  })
})

describe.skipIf(!isBuilt)('a database of another version', () => {
  /** Changes only the version number of the store to the previous one. */
  function setVersion(change: (version: number) => number): void {
    const connection = new Database(file(), { readwrite: true })
    const [version] = connection.query('PRAGMA user_version').values()[0] as [number]
    connection.run(`PRAGMA user_version = ${change(version)}`)
    connection.close()
  }

  test('is not migrated by a command while a server is running on it', async () => {
    const server = await serve()
    setVersion((version) => version - 1)
    const { code, err } = await petstore('keys', 'create', '--name', 'Other')
    expect([code, err.trim().split('\n').length]).toEqual([1, 1])
    expect(err).toContain('has to be migrated to the version of this petstore, and an older one is serving it')
    expect((await server.add('Ada')).status).toBe(201)
  })

  test('older commands do not use it, and an older server stops writing to it', async () => {
    const server = await serve()
    setVersion((version) => version + 1)
    const { code, err } = await petstore('keys', 'list')
    expect([code, err.trim().split('\n').length]).toEqual([1, 1])
    expect(err).toContain('run the newer petstore')
    await eventually(async () => (await server.readyz()).status === 503)
    const rejected = await server.add('Ada')
    expect([rejected.status, await messageOf(rejected)]).toEqual([
      503,
      'A newer petstore has migrated the database. Nothing was changed; try again later.',
    ])
  })
})

describe.skipIf(!isBuilt)('a data directory of an unusual name', () => {
  const names = ['with spaces', 'ünï-çödé 🐈', 'a?b#c%20d&e', `${'long/'.repeat(40)}end`]
  test.each(names)('%s can contain a store', async (name) => {
    const cwd = join(folder.path, name)
    mkdirSync(cwd, { recursive: true })
    const server: PetstoreProcess = await startPetstoreProcess([], { cwd })
    cleanups.push(() => server.kill())
    expect((await fetch(`${server.ready.url}/readyz`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
    expect((await runPetstore(['keys', 'list'], { cwd })).code).toBe(0)
  })
})
