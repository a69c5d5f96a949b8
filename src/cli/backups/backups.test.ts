import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { byteSize } from '../../lib/byte-size.ts'
import {
  emptyFolder,
  isBuilt,
  makeStore,
  type PetstoreProcess,
  runPetstore,
  startPetstoreProcess,
} from '../../testing/executable.ts'

let folder: ReturnType<typeof emptyFolder>
const started: PetstoreProcess[] = []

beforeEach(() => {
  folder = emptyFolder()
})
afterEach(async () => {
  for (const one of started.splice(0)) await one.kill()
  folder.remove()
})

const petstore = (...args: string[]) => runPetstore(args, { cwd: folder.path })
const json = async (...args: string[]) => JSON.parse((await petstore(...args, '--json')).out)

async function serve(...args: string[]) {
  const one = await startPetstoreProcess(args, { cwd: folder.path })
  started.push(one)
  return one
}

interface Pet {
  readonly id: number
  readonly name: string
}

async function add({ ready: { url } }: PetstoreProcess, key: string, name: string): Promise<Pet> {
  const response = await fetch(`${url}/v1/pets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 1 }),
  })
  expect(response.status).toBe(201)
  return (await response.json()) as Pet
}

async function pets({ ready: { url } }: PetstoreProcess, key: string): Promise<Pet[]> {
  const found: Pet[] = []
  for (let next: string | undefined = `${url}/v1/pets?limit=100`; next; ) {
    const response: Response = await fetch(next, { headers: { Authorization: `Bearer ${key}` } })
    expect(response.status).toBe(200)
    found.push(...((await response.json()) as Pet[]))
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return found
}

const enterprise = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '1000000']

describe.skipIf(!isBuilt)('petstore backup', () => {
  test('a backup made while a server writes contains the keys and every animal created before it began', async () => {
    const server = await serve()
    const { key } = await json('keys', 'create', '--name', 'Till', ...enterprise)
    const created: Pet[] = []
    let isDone = false
    const writers = ['a', 'b', 'c', 'd'].map(async (writer) => {
      for (let i = 0; !isDone; i++) created.push(await add(server, key, `${writer} ${i}`))
    })
    while (created.length < 100) await new Promise((resolve) => setImmediate(resolve))
    const before = [...created]
    const made = await json('backup', 'create')
    const during = created.length - before.length
    isDone = true
    await Promise.all(writers)
    expect(during).toBeGreaterThan(0)

    expect(Object.keys(made)).toEqual(['file', 'bytes', 'createdAt'])
    expect(await json('backup', 'list')).toEqual([made])
    const fresh = ['--data', 'Ümzug nach 東京 #2?']
    await petstore('demo', ...fresh)
    expect(await json('backup', 'restore', made.file, ...fresh)).toMatchObject({ file: made.file })
    const restored = await pets(await serve(...fresh), key)
    const ids = new Set(restored.map(({ id }) => id))
    expect(before.filter(({ id }) => !ids.has(id))).toEqual([])
  })

  test('a restore fails while a server runs and leaves it running; once the server has stopped, it restores the old state', async () => {
    const server = await serve()
    const key = server.ready.key ?? ''
    await add(server, key, 'Ada')
    const { file } = await json('backup', 'create')
    await add(server, key, 'Bea')
    const failed = await petstore('backup', 'restore', file)
    expect([failed.code, failed.out]).toEqual([1, ''])
    expect(failed.err).toMatch(
      /^petstore: Another petstore, a server or a command, is using .+: stop it, or wait until it has ended\.\n$/,
    )
    expect(await pets(server, key)).toHaveLength(2)

    await server.stop()
    const { previous } = await json('backup', 'restore', file)
    const second = await serve()
    expect((await pets(second, key)).map(({ name }) => name)).toEqual(['Ada'])
    await second.stop()
    expect(await json('backup', 'verify', previous)).toMatchObject({ file: previous, ok: true, animals: 2 })
  })

  test('without --json the commands print sentences and a table', async () => {
    makeStore(folder.path)
    await petstore('keys', 'create', '--name', 'Till')
    const made = await petstore('backup', 'create')
    const [{ file, bytes, createdAt }] = await json('backup', 'list')
    const size = byteSize(bytes)
    const created = `${createdAt.slice(0, 10)} ${createdAt.slice(11, 16)}`
    expect(made).toMatchObject({ code: 0, out: `The backup is ${file} (${size}).\n`, err: '' })
    expect((await petstore('backup', 'list')).out.split('\n')).toEqual([
      'CREATED             SIZE  FILE',
      `${created}  ${size}  ${basename(file)}`,
      '',
      `They are in ${dirname(file)}`,
      '',
    ])
    for (const given of [file, basename(file)]) {
      const verified = await petstore('backup', 'verify', given)
      expect(verified.out).toBe(`${file} is undamaged: 0 animals, 0 orders, 1 key.\n`)
    }
    const [restored, kept] = (await petstore('backup', 'restore', file)).out.split('\n')
    expect(restored).toBe(`Restored ${file}: 0 animals, 0 orders, 1 key.`)
    expect(kept).toMatch(/^The old store is kept in .+production-before-restore-\d{8}T\d{6}Z\.db\.$/)
  })

  test('create, verify and restore say that files of a site are missing, and exit with 0: all else can be restored', async () => {
    await petstore('demo')
    const database = new Database(join(folder.path, 'data/production.db'))
    database.run(`INSERT INTO deploys (id, project_id, account_id, state, created_at, created_by, file_count, bytes)
      VALUES (1, 1, 1, 'ready', 0, 'key:1', 1, 9)`)
    database.run("INSERT INTO deploy_files VALUES (1, 'index.html', zeroblob(32), 9, 0)")
    database.close()
    const lacks = '1 file of sites or certificates is missing or damaged.'
    const made = await petstore('backup', 'create', '--json')
    expect([made.code, made.err]).toEqual([0, expect.stringContaining(lacks)])
    const { file } = JSON.parse(made.out)
    const verified = await petstore('backup', 'verify', file)
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining(lacks)])
    expect(verified.out).not.toContain('undamaged')
    expect(await json('backup', 'verify', file)).toMatchObject({ ok: true, damagedFiles: 1 })
    const restored = await petstore('backup', 'restore', file)
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining(lacks)])
    expect(await json('backup', 'restore', file)).toMatchObject({ file, damagedFiles: 1 })
  })

  test('verify and restore exit with 1 and print one line for any file that is not an intact backup of this environment', async () => {
    makeStore(folder.path)
    await petstore('keys', 'create', '--name', 'Till')
    const { file } = await json('backup', 'create')
    const path = (name: string) => join(folder.path, name)
    const whole = readFileSync(file)
    const flipped = Buffer.from(whole)
    writeFileSync(path('truncated.db'), whole.subarray(0, 50_000))
    flipped[whole.length >> 1] = (whole[whole.length >> 1] ?? 0) ^ 1
    writeFileSync(path('flipped.db'), flipped)
    writeFileSync(path('empty.db'), '')
    writeFileSync(path('letter.txt'), 'Dear aunt,\n')
    mkdirSync(path('folder'))
    const cases: [string, string][] = [
      ['truncated.db', 'it is damaged'],
      ['flipped.db', 'it is damaged'],
      ['empty.db', 'it is empty'],
      ['letter.txt', 'it is not a pet store database'],
      ['folder', 'it is a directory'],
      ['nowhere.db', 'there is no such file'],
    ]
    await petstore('demo', '--environment', 'staging')
    const before = readFileSync(path('data/production.db')).toHex()
    for (const command of ['verify', 'restore']) {
      for (const [name, reason] of cases) {
        const { code, out, err } = await petstore('backup', command, name, '--json')
        expect([code, out]).toEqual([1, ''])
        expect(err).toStartWith(`petstore: ${path(name)} can't be used: ${reason}`)
        expect(err.split('\n')).toHaveLength(2)
      }
      const { code, err } = await petstore('backup', command, file, '--environment', 'staging')
      expect([code, err]).toEqual([
        1,
        `petstore: ${file} can't be used: it belongs to production, not to staging. For production, use --environment production.\n`,
      ])
    }
    expect(readFileSync(path('data/production.db')).toHex()).toBe(before)
    expect((await petstore('backup', 'verify', file)).code).toBe(0)
  })

  test('a restore creates the store of a new machine, which waits for its owner; a file that is not a backup creates nothing', async () => {
    const first = await serve()
    const key = first.ready.key ?? ''
    await add(first, key, 'Ada')
    const { file } = await json('backup', 'create')
    await first.stop()
    const there = ['--data', 'new machine']
    const before = readdirSync(folder.path)
    writeFileSync(join(folder.path, 'data/letter.txt'), 'Dear aunt,\n')
    for (const name of ['nowhere.db', 'data/letter.txt']) {
      for (const place of ['new machine', 'new machine/data']) {
        expect((await petstore('backup', 'restore', name, '--data', place)).code).toBe(1)
        expect(readdirSync(folder.path)).toEqual(before)
      }
    }
    expect(await json('backup', 'restore', file, ...there)).toMatchObject({ previous: null, isHeld: true })
    const { heldSince } = await json('backup', 'confirm', ...there)
    expect(Date.parse(heldSince)).toBeGreaterThan(0)
    expect(await json('backup', 'confirm', ...there)).toEqual({ heldSince: null })
    const restored = await serve(...there)
    expect(restored.ready.key).toBeUndefined()
    expect((await pets(restored, key)).map(({ name }) => name)).toEqual(['Ada'])
  })

  test('list works where the database is gone, and a restore replaces a store of which only the log is left and says where it keeps the log', async () => {
    makeStore(folder.path)
    await petstore('keys', 'create', '--name', 'Till')
    const { file } = await json('backup', 'create')
    const database = join(folder.path, 'data/production.db')
    rmSync(database)
    expect((await json('backup', 'list')).map((backup: { file: string }) => backup.file)).toEqual([file])
    writeFileSync(`${database}-wal`, 'log')
    const [, kept] = (await petstore('backup', 'restore', file)).out.split('\n')
    expect(kept).toBe(`The log of the lost database is kept in ${database}-wal-without-database.`)
    expect(await json('backup', 'list')).toHaveLength(1)
    rmSync(database)
    writeFileSync(`${database}-wal`, 'second log')
    const previousLogs = [`${database}-wal-without-database-2`]
    expect(await json('backup', 'restore', file)).toMatchObject({ previous: null, previousLogs })
  })

  test('download saves a copy from here and from another machine, and replaces no file', async () => {
    const server = await serve()
    const { file, bytes } = await json('backup', 'create')
    const name = basename(file)
    const copy = name.replace('.db', '.tar')
    const saved = await json('backup', 'download', name)
    expect(saved).toEqual({ file: join(folder.path, copy), bytes: statSync(join(folder.path, copy)).size })
    const env = { PETSTORE_KEY: server.ready.key ?? '', PETSTORE_URL: server.ready.url }
    const remote = (...args: string[]) => runPetstore(['backup', ...args, '--json'], { cwd: folder.path, env })
    expect((await remote('download', name, 'copy')).code).toBe(0)
    for (const one of [copy, 'copy']) {
      expect(await json('backup', 'verify', one)).toMatchObject({ file: join(folder.path, one), ok: true, keys: 1 })
    }
    const again = await remote('download', name)
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringContaining(`There is a file ${join(folder.path, copy)} already`),
    ])
    expect((await remote('download', 'production-20200101T000000Z.db')).err).toContain('There is no backup')
    expect(JSON.parse((await remote('list')).out)).toMatchObject([{ file: name, bytes }])
    expect(JSON.parse((await remote('verify', name)).out)).toMatchObject({ file: name, ok: true, keys: 1 })
    writeFileSync(file, 'damaged')
    const damaged = await remote('verify', name)
    expect([damaged.code, damaged.out]).toEqual([1, ''])
    expect(damaged.err).toContain(`${name} can't be used: `)
    expect(readdirSync(folder.path).filter((left) => left.includes('unfinished'))).toEqual([])
  })

  test('create --file makes one file, which is verified and restored wherever it is', async () => {
    const server = await serve()
    await add(server, server.ready.key ?? '', 'Ada')
    const saved = await json('backup', 'create', '--file', 'carried')
    const file = join(folder.path, 'carried')
    expect(saved).toEqual({ file, bytes: statSync(file).size, createdAt: expect.stringMatching(/Z$/) })
    const again = await petstore('backup', 'create', '--file', 'carried')
    expect([again.code, again.err]).toEqual([1, expect.stringContaining(`There is a file ${file} already`)])
    expect(await json('backup', 'list')).toHaveLength(1)
    expect((await petstore('backup', 'verify', 'carried')).out).toBe(
      `${file} is undamaged: 1 animal, 0 orders, 1 key.\n`,
    )
    const served = await petstore('backup', 'restore', 'carried')
    expect([served.code, served.err]).toEqual([1, expect.stringContaining('stop it, or wait until it has ended')])
    rmSync(join(folder.path, 'data/backups'), { recursive: true })
    const restored = await json('backup', 'restore', 'carried', '--data', 'new')
    expect(restored).toMatchObject({ animals: 1, previous: null, isHeld: true })
    expect(dirname(restored.file)).toBe(join(folder.path, 'new/backups'))
  })

  test('an encrypted backup needs its identity', async () => {
    makeStore(folder.path)
    const { identity } = await json('backup', 'keys', 'create')
    await petstore('backup', 'create')
    const [{ file }] = await json('backup', 'list')
    const made = await petstore('backup', 'download', basename(file))
    const copy = basename(file).replace('.db', '.tar.age')
    expect(made.out).toMatch(/ \(\d+ kB, encrypted\)\. /)
    const refused = await petstore('backup', 'verify', copy)
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is encrypted: name the file')])
    writeFileSync(join(folder.path, 'identity.txt'), identity)
    expect(await json('backup', 'verify', copy, '--identity', 'identity.txt')).toMatchObject({ ok: true })
  })

  test('wrong usage exits with 2', async () => {
    const codes = [['backup'], ['backup', 'verify'], ['backup', 'restore', 'a', 'b'], ['backup', 'create', 'x']]
    for (const args of codes) expect([args, (await petstore(...args)).code]).toEqual([args, 2])
  })
})
