import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { padding } from '../../hosting/deploys/archive/blocks.ts'
import { header } from '../../hosting/deploys/archive/pack.ts'
import { mountDisk } from '../../testing/faults.ts'
import { createAgeKeys } from './away/encryption.ts'
import { createStoreWithSite, noon, type StoreWithSite, sha256 } from './away/testing/store-with-site.ts'
import { contentsBeside } from './contents.ts'
import type { StorePlace } from './folder.ts'
import { packed, packedName, packingOf, unpackBackup, verifyPacked } from './packed.ts'
import { writeWholeFile } from './testing/whole-file.ts'
import { verifyBackup } from './verify.ts'

const page = '<h1>Kiosk</h1>'
const script = 'alert(1)'.repeat(70_000)

let store: StoreWithSite
let backup: string
/** Another machine. */
let there: StorePlace
beforeEach(() => {
  store = createStoreWithSite([page, script])
  backup = store.backUp()
  there = { databasePath: join(store.folder.path, 'there/production.db'), environment: 'production' }
  mkdirSync(dirname(there.databasePath))
})
afterEach(() => store.folder.remove())

async function bytesOf(file: string, recipients: readonly string[] = []): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(packed(file, recipients)))
}

function write(bytes: Uint8Array, name = 'carried'): string {
  const path = join(store.folder.path, name)
  writeFileSync(path, bytes)
  return path
}

const unpack = (file: string, identities: readonly string[] = []) => unpackBackup({ file, identities }, there)
const verify = (file: string, identities: readonly string[] = []) => verifyPacked({ file, identities }, there)
const left = () => readdirSync(dirname(there.databasePath), { recursive: true }).map(String).toSorted()

const entry = (name: string, content: string | Uint8Array, type: '0' | 'x' = '0') => {
  const bytes = Buffer.from(content)
  return Buffer.concat([header(name, bytes.length, noon, type, 0o600), bytes, padding(bytes.length)])
}
const archive = (...entries: Uint8Array[]) => Buffer.concat([...entries, Buffer.alloc(1_024)])

describe('a packed backup', () => {
  test('is verified without a trace, and unpacked as the backup that it was, encrypted or not', async () => {
    const { identity, recipient } = await createAgeKeys()
    for (const recipients of [[], [recipient]]) {
      const file = write(await bytesOf(backup, recipients))
      expect(packingOf(file)).toBe(recipients.length > 0 ? 'age' : 'tar')
      expect(packedName('production-1.db', recipients)).toBe(`production-1.tar${recipients.length > 0 ? '.age' : ''}`)
      expect(await verify(file, [identity])).toMatchObject({ damagedFiles: 0, createdAt: '2026-11-20T12:00:00.000Z' })
      expect(left()).toEqual(['backups', 'backups/.lock'])
      const unpacked = await unpack(file, [identity])
      expect([basename(unpacked), readFileSync(unpacked).equals(readFileSync(backup))]).toEqual([
        basename(backup),
        true,
      ])
      expect(verifyBackup(unpacked, 'production').damagedFiles).toBe(0)
      rmSync(join(dirname(there.databasePath), 'backups'), { recursive: true })
    }
    expect(packingOf(backup)).toBeUndefined()
  })

  test('is read by age and tar, which leave a backup for its owner alone', async () => {
    const { identity, recipient } = await createAgeKeys()
    write(await bytesOf(backup, [recipient]), 'carried.tar.age')
    write(Buffer.from(identity), 'identity.txt')
    const { exitCode, stderr } = Bun.spawnSync(
      ['sh', '-c', 'umask 0; age -d -i identity.txt carried.tar.age | tar x -C there'],
      {
        cwd: store.folder.path,
      },
    )
    expect([exitCode, stderr.toString()]).toEqual([0, ''])
    const file = join(dirname(there.databasePath), basename(backup))
    expect(verifyBackup(file, 'production').damagedFiles).toBe(0)
    expect(Bun.spawnSync(['find', '.', '-type', 'f', '-perm', '/077'], { cwd: dirname(file) }).stdout.toString()).toBe(
      '',
    )
  })

  test('that is a whole file of petstore 1.0.0 has it as it is', async () => {
    const whole = writeWholeFile(store.place)
    const unpacked = await unpack(write(await bytesOf(whole)))
    expect(readFileSync(unpacked).equals(readFileSync(whole))).toBe(true)
    expect(verifyBackup(unpacked, 'production')).toMatchObject({ animals: 1, damagedFiles: 0 })
  })

  test('that was cut anywhere is refused, and leaves no backup', async () => {
    const { identity, recipient } = await createAgeKeys()
    for (const recipients of [[], [recipient]]) {
      const whole = await bytesOf(backup, recipients)
      const cuts = [513, 100_000, whole.length - 600_000, whole.length - 1_024, whole.length - 512, whole.length - 1]
      for (const bytes of cuts) {
        const file = write(whole.subarray(0, bytes))
        expect([bytes, await unpack(file, [identity]).catch((error: Error) => error.message)]).toEqual([
          bytes,
          expect.stringContaining(`${file} can't be used: it is damaged`),
        ])
        expect(left().filter((path) => path.endsWith('.db') || path.includes('unfinished'))).toEqual([])
      }
      await unpack(write(whole), [identity])
      rmSync(join(dirname(there.databasePath), 'backups'), { recursive: true })
    }
  })

  test('without its identity or with another one says so', async () => {
    const { recipient } = await createAgeKeys()
    const file = write(await bytesOf(backup, [recipient]))
    await expect(unpack(file)).rejects.toThrow(
      `${file} is encrypted: name the file of the identity with --identity FILE.`,
    )
    const other = (await createAgeKeys()).identity
    await expect(unpack(file, [other])).rejects.toThrow(`${file} can't be used: it is encrypted for another identity.`)
    expect(left()).toEqual(['backups', 'backups/.lock'])
  })

  test('has no entries but the backup and its contents, and none that leads elsewhere', async () => {
    const first = entry(basename(backup), readFileSync(backup))
    const content = `contents/${sha256(page).slice(0, 2)}/${sha256(page).slice(2)}`
    const cases: [string, Buffer, string][] = [
      ['..', archive(first, entry('../escape', 'x')), 'it has an entry "../escape", which no backup has'],
      ['an absolute path', archive(first, entry('/tmp/escape', 'x')), 'it has an entry "/tmp/escape"'],
      ['a path below a content', archive(first, entry(`${content}/../../../x`, 'x')), 'it has an entry'],
      ['a foreign name', archive(first, entry('notes.txt', 'x')), 'it has an entry "notes.txt"'],
      ['a second database', archive(first, first), 'it has an entry "production-scheduled'],
      ['an extended header', archive(first, entry('pax', '17 path=../escape', 'x')), 'it is damaged, or petstore'],
      ['a link', archive(first, linkTo('/etc/passwd', content)), 'it is damaged, or petstore has not packed it'],
      ['a foreign file first', archive(entry('notes.txt', 'x')), 'it is not a backup'],
      ['nothing', archive(), 'it is not a backup'],
      ['a path as the backup', archive(entry(`../${basename(backup)}`, 'x')), 'it is not a backup'],
      ['a database without a checksum', archive(entry(basename(backup), 'x')), 'the content of its database does not'],
      [
        'a backup of staging',
        archive(entry(basename(backup).replace('production', 'staging'), 'x')),
        'it belongs to staging',
      ],
      ['something after the end', Buffer.concat([archive(first), Buffer.from('x')]), 'it is damaged, or petstore'],
    ]
    for (const [what, bytes, reason] of cases) {
      const message = await unpack(write(bytes)).catch((error: Error) => error.message)
      expect([what, message]).toEqual([what, expect.stringContaining(reason)])
    }
    expect(left().filter((path) => /escape|passwd|notes|\.db|unfinished/.test(path))).toEqual([])
    expect(existsSync(join(store.folder.path, 'escape'))).toBe(false)
  })

  function linkTo(target: string, name: string): Buffer {
    const block = header(name, 0, noon, '0', 0o600)
    block.write('2', 156)
    block.write(target, 157)
    return block
  }

  test('without one of its contents, or with a damaged one, is unpacked and counts it; others are ignored', async () => {
    const other = entry(`contents/ab/${'c'.repeat(62)}`, 'not of this backup')
    const whole = await bytesOf(backup)
    const damaged = Buffer.from(whole)
    damaged.write('K', whole.indexOf(page))
    rmSync(contentsBeside(backup).pathOf(sha256(page)))
    const lacking = await bytesOf(backup)
    for (const bytes of [damaged, Buffer.concat([lacking.subarray(0, -1_024), other, Buffer.alloc(1_024)])]) {
      expect((await verify(write(bytes))).damagedFiles).toBe(1)
      const unpacked = await unpack(write(bytes))
      expect(left().filter((path) => path.startsWith('backups/contents/') && path.length > 60)).toHaveLength(1)
      rmSync(unpacked)
    }
  })

  test('never replaces another backup with its name', async () => {
    const first = await unpack(write(await bytesOf(backup)))
    expect(await unpack(write(await bytesOf(backup)))).toBe(first)
    writeFileSync(first, 'another backup')
    expect(basename(await unpack(write(await bytesOf(backup))))).toBe(basename(first).replace('.db', '-2.db'))
    expect(readFileSync(first, 'utf8')).toBe('another backup')
  })

  test('is not finished if the backup is deleted meanwhile', async () => {
    const pieces = packed(backup, [])
    await pieces.next()
    rmSync(dirname(backup), { recursive: true })
    await expect(Array.fromAsync(pieces)).rejects.toThrow('unable to open')
  })
})

describe.skipIf(!mountDisk.isPossible)('on a disk that is too small', () => {
  test('nothing is unpacked, and the disk keeps its space', async () => {
    const disk = mountDisk(dirname(there.databasePath), 500_000)
    try {
      const message = await unpack(write(await bytesOf(backup))).catch((error: Error) => error.message)
      expect(message).toContain('Nothing was unpacked: ')
      expect(left()).toEqual(['backups', 'backups/.lock'])
    } finally {
      disk.unmount()
    }
  })
})
