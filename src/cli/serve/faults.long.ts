import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { executable, isBuilt, startPetstoreProcess } from '../../testing/executable.ts'
import { mountDisk, mountExt4 } from '../../testing/faults.ts'
import { is, messageOf, serversPerTest, until } from '../../testing/per-test/server.ts'

const { folder, data, file, petstore, serve, cleanUp } = serversPerTest()

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
    cwd: folder(),
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  cleanUp(() => child.kill('SIGKILL'))
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
      chmodSync(folder(), 0o755)
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
        // A log that belongs to this user is made writable.
        const owner = /-(wal|shm)$/.test(name) ? 0 : nobody
        chownSync(file(name), owner, owner)
        const { code, lines, out } = await asNobody()
        expect([code, out, lines.length]).toEqual([1, '', 1])
        expect(lines[0]).toContain(`${file(name)} can't be used: the user that runs petstore may not read and write it`)
        expect(lines[0]).toContain(`its owner is the user ${owner} and its mode 400`)
      },
    )

    test('unless the log alone is read-only, as another program leaves it that has read a read-only database', async () => {
      await storeOfNobody()
      for (const ending of ['-wal', '-shm']) {
        const path = file(`production.db${ending}`)
        rmSync(path)
        writeFileSync(path, '', { mode: 0o400 })
        chownSync(path, nobody, nobody)
      }
      const drop = [setpriv ?? '', `--reuid=${nobody}`, '--clear-groups']
      chmodSync(file(), 0o640)
      const server = await startPetstoreProcess([], { cwd: folder() }, drop)
      cleanUp(() => server.kill())
      expect((await fetch(`${server.ready.url}/readyz`)).status).toBe(200)
      const modes = ['-wal', '-shm'].map((ending) => statSync(file(`production.db${ending}`)).mode & 0o777)
      expect(modes).toEqual([0o640, 0o640])
    })

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
      const { exitCode, stderr } = Bun.spawnSync(command, { cwd: folder() })
      expect(exitCode).toBe(1)
      expect(stderr.toString()).toContain(`${file()} can't be used: the user that runs petstore may not`)
      expect(stderr.toString().trim().split('\n')).toHaveLength(1)
    })
  })
})

describe.skipIf(!isBuilt || !mountDisk.isPossible)('petstore serve on a disk that rejects writes', () => {
  async function storeOnDisk(end: 'stop' | 'kill') {
    const disk = mountDisk(data(), 8_000_000)
    cleanUp(() => disk.unmount())
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
    const exported = await (await server.send('GET', '/v1/exports/pets?format=ndjson')).text()
    expect(exported).toStartWith('{"id":1,"name":"Ada","categoryId":1,"category":"Dog","status":"available",')
    expect(await petstore('pets', 'export', '--format', 'ndjson')).toEqual({ code: 0, out: exported, err: '' })
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
      await until(server.readyz, is(200))
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
    cleanUp(() => disk.unmount())
    const filler = disk.fill()
    const { code, lines } = await failedStart()
    expect([code, lines.length]).toEqual([1, 1])
    expect(lines[0]).toContain('The disk of the database is full.')
    expect(existsSync(file())).toBe(false)
    rmSync(filler)
    expect((await (await serve()).add('Ada')).status).toBe(201)
  })
})

test.skipIf(!isBuilt || !mountExt4.isPossible)(
  'petstore serve serves a store for reading whose file system has found an error in itself',
  async () => {
    const disk = mountExt4(data())
    cleanUp(() => disk.unmount())
    const server = await serve()
    await server.add('Ada')
    disk.breakDown()
    expect((await server.add('Lost')).status).toBe(503)
    await server.kill()
    const again = await serve(server.key)
    expect(await again.names()).toEqual(['Ada'])
    expect(await messageOf(await again.add('Bea'))).toContain('The database is read-only.')
  },
)
