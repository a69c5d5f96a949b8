import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import {
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
import { basename, join } from 'node:path'
import { isBuilt, type PetstoreProcess, runPetstore, startPetstoreProcess } from '../../testing/executable.ts'
import { is, messageOf, serversPerTest, until } from '../../testing/per-test/server.ts'

const { folder, data, file, petstore, serve, cleanUp } = serversPerTest()

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

  test('one that is gone is not replaced by a new store, and commands about backups and status name it', async () => {
    const first = await serve()
    await first.add('Ada')
    await first.stop()
    await petstore('backup', 'create')
    const [{ file: backup }] = JSON.parse((await petstore('backup', 'list', '--json')).out)
    const before = readdirSync(data()).filter((name) => !name.startsWith('production.db'))
    for (const lose of [() => rmSync(file()), () => writeFileSync(file(), '')]) {
      lose()
      const wrong = existsSync(file())
        ? `The database ${file()} is empty: its content is lost. Restore`
        : `The database ${file()} is missing, but its backups are there. If it is lost, restore`
      const words = `${wrong} a backup: petstore backup restore ${basename(backup)}; for a new and empty store: petstore serve --new`
      for (const args of [
        ['serve', '--port', '0'],
        ['demo'],
        ['pets', 'export'],
        ['keys', 'create', '--name', 'Till'],
        ['backup', 'create'],
      ]) {
        expect([args, await petstore(...args)]).toEqual([args, { code: 1, out: '', err: `petstore: ${words}\n` }])
      }
      const status = JSON.parse((await petstore('status', '--json')).out)
      expect(status).toMatchObject({ running: false, attention: [{ kind: 'database_lost' }], backups: { count: 1 } })
      expect(`${status.attention[0].message}. ${status.attention[0].advice}`).toBe(words)
      const doctor = await petstore('doctor')
      expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining(words)])
      const listed = await petstore('backup', 'list', '--json')
      expect([listed.code, JSON.parse(listed.out)[0].file, listed.err]).toEqual([0, backup, `petstore: ${words}\n`])
      expect((await petstore('backup', 'verify', basename(backup))).code).toBe(0)
    }
    expect(readdirSync(data()).filter((name) => !name.startsWith('production.db'))).toEqual(before)
    // The advice has the options that the command needs for a store elsewhere.
    const other = join(folder(), 'other')
    const options = `--data ${other} --environment staging`
    mkdirSync(other)
    writeFileSync(join(other, 'staging.db'), '')
    for (const command of ['status', 'doctor']) {
      const { out } = await petstore(command, ...options.split(' '))
      expect([command, out]).toEqual([command, expect.stringContaining(`petstore backup restore FILE ${options}; for`)])
    }
    expect((await petstore('backup', 'restore', basename(backup))).code).toBe(0)
    expect(await (await serve(first.key)).names()).toEqual(['Ada'])
  })

  test('serve --new creates an empty store beside what is left of a lost one, whose backups are marked', async () => {
    for (const lose of [() => rmSync(file()), () => writeFileSync(file(), '')]) {
      const first = await serve()
      await first.stop()
      await petstore('backup', 'create')
      const refused = await petstore('serve', '--new', '--port', '0')
      expect([refused.code, refused.err]).toEqual([
        1,
        `petstore: There is a store at ${file()}: leave out --new to serve it.\n`,
      ])
      lose()
      const next = await serve(undefined, [], ['--new'])
      expect(await next.names()).toEqual([])
      await petstore('backup', 'create')
      const { backups } = JSON.parse((await petstore('status', '--json')).out)
      expect(backups.count).toBe(1)
      expect((await petstore('doctor')).out).toContain('there is 1 in all')
      const [own, other] = JSON.parse((await petstore('backup', 'list', '--json')).out)
      expect([own.isOfOtherStore, other.isOfOtherStore]).toEqual([undefined, true])
      expect((await petstore('backup', 'list')).out).toMatch(/\.db\n.*\.db \(of another store\)\n/)
      await next.stop()
      rmSync(data(), { recursive: true })
    }
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
    symlinkSync(join(folder(), 'unmounted/production.db'), file())
    const { code, err } = await petstore('serve', '--port', '0')
    expect([code, err.trim().split('\n').length]).toEqual([1, 1])
    expect(err).toContain(`is a symbolic link to ${join(folder(), 'unmounted/production.db')}, where there is no file`)
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

  test('a backup that is restored where only a log is left is not reported as a new store', async () => {
    const server = await serve()
    await server.add('Ada')
    const { file: backup } = JSON.parse((await petstore('backup', 'create', '--json')).out)
    await server.kill()
    renameSync(file(), file('elsewhere'))
    const restored = await petstore('backup', 'restore', backup)
    expect([restored.code, restored.err]).toEqual([0, ''])
    expect(restored.out).toMatch(
      /^Restored .*: 1 animal, .*\nThe log of the lost database is kept in .*\nThe store is on hold, because another machine may still run it: .*\n$/,
    )
    expect(await (await serve(server.key)).names()).toEqual(['Ada'])
  })
})

describe.skipIf(!isBuilt)('a database of another version', () => {
  /** Changes only the version number of the store to the previous one. */
  function setVersion(change: (version: number) => number): void {
    const connection = new Database(file(), { readwrite: true })
    // The server may be writing, such as the day's counts after its start.
    connection.run('PRAGMA busy_timeout = 20000')
    const [version] = connection.query('PRAGMA user_version').values()[0] as [number]
    connection.run(`PRAGMA user_version = ${change(version)}`)
    connection.close()
  }

  test('from before the first release is not used, and the error says what to do', async () => {
    const server = await serve()
    expect(await server.stop()).toBe(0)
    setVersion(() => 25)
    for (const command of [
      ['keys', 'list'],
      ['serve', '--port', '0'],
      ['backup', 'create'],
    ]) {
      const { code, err } = await petstore(...command)
      expect([code, err.trim().split('\n').length]).toEqual([1, 1])
      expect(err).toContain(
        'it has version 25, from before the first release of petstore. Export its animals with the petstore of commit 2f73b8c',
      )
    }
  })

  test('of a newer petstore is not used by a command', async () => {
    const server = await serve()
    expect(await server.stop()).toBe(0)
    setVersion((version) => version + 1)
    const { code, err } = await petstore('keys', 'list')
    expect([code, err.trim().split('\n').length]).toEqual([1, 1])
    expect(err).toContain('run the newer petstore')
  })

  test('of a newer petstore is no longer written by an older server', async () => {
    const server = await serve()
    setVersion((version) => version + 1)
    await until(server.readyz, is(503))
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
    const cwd = join(folder(), name)
    mkdirSync(cwd, { recursive: true })
    const server: PetstoreProcess = await startPetstoreProcess([], { cwd })
    cleanUp(() => server.kill())
    expect((await fetch(`${server.ready.url}/readyz`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
    expect((await runPetstore(['keys', 'list'], { cwd })).code).toBe(0)
  })
})
