import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createOldStore } from '../../database/testing/old-store.ts'
import { isBuilt, runPetstore } from '../../testing/executable.ts'
import { mountDisk } from '../../testing/faults.ts'
import { workspacePerTest } from '../../testing/per-test/workspace.ts'

const built = test.skipIf(!isBuilt)
const space = workspacePerTest()

interface Line {
  readonly name: string
  readonly ok: boolean | null
  readonly message: string
}

/** The result of `petstore doctor --json`, with its lines by name. */
async function doctor(...args: readonly string[]) {
  const { code, out, err } = await space.run('doctor', '--json', ...args)
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: readonly Line[] }
  expect([code, err]).toEqual([ok ? 0 : 1, ''])
  return {
    ok,
    lines: Object.fromEntries(checks.map((line) => [line.name, line])),
    faults: checks.filter((line) => line.ok === false),
  }
}

const path = (...names: readonly string[]) => join(space.path, 'data', ...names)

/** Every file of the data directory with its bytes, and when it was written. */
const files = () =>
  readdirSync(path(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((file) => `${file} ${statSync(file).mtimeMs} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`)

describe('without a server', () => {
  built('a store in order has no fault, and no byte of it changes', async () => {
    await space.run('demo')
    await space.run('backup', 'create')
    const before = files()
    const names = readdirSync(path()).sort()
    const { lines, faults } = await doctor('--environment', 'production')
    // Another program may have the port of a start.
    expect(faults.filter(({ name }) => name !== 'ports')).toEqual([])
    expect(lines['server']).toMatchObject({ ok: null, message: 'No server runs on this store.' })
    expect(lines['backups']?.message).toBe('The newest is 0 hours old; there is 1 in all.')
    const status = await space.run('status', '--json')
    expect(JSON.parse(status.out)).toMatchObject({
      running: false,
      environment: 'production',
      folder: path(),
      attention: [{ kind: 'order_waiting', id: 13 }],
      backups: { count: 1 },
    })
    expect((await space.run('status')).out).toMatch(
      /^Server {5}none runs on this store \(production\)\nData {7}.*\nBackups {4}just now, 1 in all\nAttention {2}1\n {2}Order /,
    )
    expect(files()).toEqual(before)
    expect(readdirSync(path()).sort()).toEqual(names)
  })

  built('after kill -9 it reads the log too, and changes neither it nor the database', async () => {
    const server = await space.serve()
    await space.run('keys', 'create', '--name', 'Till')
    await server.kill()
    expect(statSync(path('production.db-wal')).size).toBeGreaterThan(0)
    const before = files()
    const { faults } = await doctor()
    expect(faults.filter(({ name }) => name !== 'ports')).toEqual([])
    expect((await space.run('status')).code).toBe(0)
    expect(files()).toEqual(before)
  })

  built('people get a line for each thing, with what to do, and the number of faults', async () => {
    await space.run('demo')
    const database = new Database(path('production.db'))
    database.run("UPDATE pets SET status = 'sold' WHERE id = 1")
    database.close(true)
    const { code, out } = await space.run('doctor')
    expect(code).toBe(1)
    const [first, ...lines] = out.trimEnd().split('\n')
    expect(first).toBe('– Server           No server runs on this store.')
    expect(lines.filter((line) => !/^[✓✗–] [A-Z][a-z ]{14} {2}\S.*\.$/.test(line))).toEqual([lines.at(-1) ?? ''])
    expect(out).toContain(
      '✗ Totals           Another program has written into the database: the counts of animals are wrong. Only',
    )
    expect(lines.at(-1)).toMatch(/^\d faults?\.$/)
  })
})

describe('with a server', () => {
  built('it examines itself, and says what it has answered', async () => {
    const { ready } = await space.serve()
    await fetch(`${ready.url}/v1/pets`)
    const { lines, faults } = await doctor()
    expect(faults).toEqual([])
    expect(lines['server']?.message).toMatch(
      new RegExp(`^petstore \\S+ has been running since .* \\(process ${ready.pid}\\)\\.$`),
    )
    expect(lines['database']?.ok).toBe(true)
    expect(lines['ports']?.message).toBe(`The server listens on ${ready.port} (API).`)
    const status = JSON.parse((await space.run('status', '--json')).out)
    expect(status).toMatchObject({
      running: true,
      pid: ready.pid,
      address: ready.url,
      ports: [{ host: '127.0.0.1', port: ready.port, use: 'API' }],
      lastHour: { requests: 1, rejected: 1, failed: 0 },
    })
    const text = (await space.run('status')).out
    expect(text).toContain(
      `, process ${ready.pid}\nAddress    ${ready.url}\nPorts      API on ${ready.port} of 127.0.0.1\n`,
    )
    expect(text).toContain('Last hour  1 requests, 1 rejected (4xx), 0 failed (5xx)\n')
  })

  const setpriv = Bun.which('setpriv')
  test.skipIf(!isBuilt || setpriv === null || process.getuid?.() !== 0)(
    'as another user, a process that has its port too is named by the command of root',
    async () => {
      const nobody = 65534
      chmodSync(space.path, 0o755)
      mkdirSync(path())
      chownSync(path(), nobody, nobody)
      const { ready } = await space.serve(
        [],
        [setpriv ?? '', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'],
      )
      const other = createServer().listen({ host: '::', port: ready.port, ipv6Only: true })
      await once(other, 'listening')
      const { lines } = await doctor()
      expect(lines['ports']?.message).toMatch(
        new RegExp(`^Port ${ready.port} \\(API\\) is used by .* \\(process ${process.pid}\\)\\.$`),
      )
      other.close()
    },
  )

  built('it is asked from another machine, with a key that may', async () => {
    const { ready } = await space.serve()
    const url = ['--url', ready.url]
    const env = { PETSTORE_KEY: ready.key ?? '' }
    const run = (...args: string[]) => runPetstore([...args, ...url], { cwd: '/', env })
    const status = await run('status', '--json')
    expect(JSON.parse(status.out)).toMatchObject({ running: true, folder: path() })
    const { code, out } = await run('doctor', '--json')
    expect([code, JSON.parse(out).ok]).toEqual([0, true])
    const reader = JSON.parse((await space.run('keys', 'create', '--name', 'Reader', '--json')).out) as { key: string }
    const refused = await runPetstore(['doctor', ...url], { cwd: '/', env: { PETSTORE_KEY: reader.key } })
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('admin')
  })

  built('one that holds the socket and does not answer is named, and the files are examined', async () => {
    const { ready, process: server } = await space.serve()
    server.kill('SIGSTOP')
    try {
      const { code, out, err } = await space.run('status')
      expect([code, out]).toEqual([1, ''])
      expect(err).toBe(
        `petstore: The server has not answered for 3 seconds: it is busy or stuck. Its socket ${path('production.sock')} belongs to petstore (process ${ready.pid}).\n`,
      )
      const { lines } = await doctor()
      expect(lines['server']?.ok).toBe(false)
      expect(lines['database']?.ok).toBe(true)
      expect(lines['totals']?.ok).toBe(true)
    } finally {
      server.kill('SIGCONT')
    }
  })

  built('one whose database file was moved away meanwhile is asked, and says so', async () => {
    const { ready } = await space.serve()
    renameSync(path('production.db'), path('moved.db'))
    const { lines, faults } = await doctor()
    expect(lines['server']?.message).toContain(`(process ${ready.pid})`)
    expect(faults.map(({ name }) => name)).toContain('database')
    expect((await space.run('status')).out).toContain(`process ${ready.pid}\n`)
    // Otherwise the server exits with 1.
    renameSync(path('moved.db'), path('production.db'))
  })

  built('one whose database was damaged meanwhile is a fault of the database', async () => {
    await space.run('demo')
    await space.serve()
    const bytes = readFileSync(path('production.db'))
    bytes.fill(0xff, 4096)
    writeFileSync(path('production.db'), bytes)
    const { faults } = await doctor()
    expect(faults.map(({ name }) => name)).toContain('database')
  })
})

describe('a store that cannot be used has one clear line', () => {
  built('where there is none', async () => {
    for (const command of ['status', 'doctor']) {
      const { code, out, err } = await space.run(command)
      expect([code, out]).toEqual([1, ''])
      expect(err).toBe(
        `petstore: There is no store at ${path('production.db')}. Check --data and --environment, or create a store with: petstore serve\n`,
      )
    }
    expect(readdirSync(space.path)).toEqual([])
  })

  built('with a damaged file', async () => {
    await space.run('demo')
    truncateSync(path('production.db'), 4096)
    const { code, out, err } = await space.run('status')
    expect([code, out]).toEqual([1, ''])
    expect(err).toBe(
      `petstore: The database ${path('production.db')} can't be read: the database is damaged. See: petstore doctor\n`,
    )
    const { faults, lines } = await doctor()
    expect(faults.map(({ name }) => name).filter((name) => name !== 'ports')).toEqual(['database'])
    for (const name of ['schema', 'files', 'clock', 'mail', 'webhooks', 'platform_domain']) {
      expect(lines[name]?.message).toBe('Not examined, for the reason above.')
    }
  })

  built('of a newer version', async () => {
    await space.run('demo')
    const database = new Database(path('production.db'))
    database.run('PRAGMA user_version = 999')
    database.close(true)
    const { lines } = await doctor()
    expect(lines['schema']?.message).toMatch(/^The database has version 999, and this petstore supports version \d+\.$/)
    expect(lines['totals']?.ok).toBeNull()
  })

  built('of an older version, which the next start migrates', async () => {
    mkdirSync(path())
    createOldStore(path('production.db'), 27)
    const { code, out, err } = await space.run('status')
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(
      /^petstore: The database .* can't be read: it has version 27, and this petstore reads version \d+\. See: petstore doctor\n$/,
    )
    const { lines, faults } = await doctor()
    expect(faults.filter(({ name }) => name !== 'ports')).toEqual([])
    expect(lines['schema']?.message).toMatch(
      /^The database has version 27: the next start of petstore migrates it to \d+\.$/,
    )
    for (const name of ['foreign_keys', 'clock', 'mail', 'platform_domain']) {
      expect(lines[name]).toMatchObject({ ok: null, message: 'Not examined, for the reason above.' })
    }
  })

  test.skipIf(!isBuilt || process.getuid?.() !== 0)('of another user', async () => {
    await space.run('demo')
    chmodSync(space.path, 0o755)
    const nobody = ['setpriv', '--reuid=65534', '--clear-groups']
    for (const command of ['status', 'doctor']) {
      const child = Bun.spawnSync([...nobody, join(import.meta.dir, '../../../dist/petstore'), command], {
        cwd: space.path,
      })
      const err = child.stderr.toString()
      expect([child.exitCode, err.split('\n')]).toEqual([1, [expect.stringContaining('its permissions forbid it'), '']])
      expect(err).toContain('sudo')
    }
  })

  test.skipIf(!isBuilt || !mountDisk.isPossible)('on a disk that is full, then read-only', async () => {
    const disk = mountDisk(path(), 8_000_000)
    try {
      await space.run('demo')
      const filler = disk.fill()
      expect((await doctor()).lines['space']?.ok).toBe(false)
      expect((await doctor()).lines['database']?.ok).toBe(true)
      rmSync(filler)
      disk.makeReadOnly()
      const { lines } = await doctor()
      expect(lines['data_directory']).toMatchObject({ ok: false, message: expect.stringContaining('read-only') })
      expect(lines['database']?.ok).toBe(true)
      expect((await space.run('status')).code).toBe(0)
    } finally {
      disk.unmount()
    }
  })
})
