import { describe, expect, test } from 'bun:test'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { emptyFolder } from '../../testing/executable.ts'
import { makeDirectory } from '../file-owner.ts'
import { createContentStore } from './store.ts'
import { bytes, filesBelow, hashOf, openStore, put } from './testing/content-store.ts'

describe('a content store', () => {
  test('keeps every content under its SHA-256, however it arrives in chunks', async () => {
    using one = openStore()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }), async (chunks) => {
        const batch = one.store.begin()
        const { hash, size } = await batch.add(chunks)
        await batch.commit()
        await batch.close()
        const whole = Buffer.concat(chunks)
        expect({ hash, size }).toEqual({ hash: hashOf(whole), size: whole.length })
        expect(readFileSync(one.store.pathOf(hash)).equals(whole)).toBe(true)
      }),
      { numRuns: 50 },
    )
    expect(readdirSync(join(one.path, 'incoming'))).toEqual([])
  })

  test('keeps large contents, which are written while they are hashed, and the same one once', async () => {
    using one = openStore()
    const chunk = Buffer.alloc(300_000, 'x')
    const batch = one.store.begin()
    const first = await batch.add(Array(8).fill(chunk))
    const second = await batch.add([Buffer.concat(Array(8).fill(chunk))])
    await batch.add(bytes('small'))
    await batch.add(bytes('small'))
    await batch.commit()
    await batch.close()
    expect(second).toEqual(first)
    expect(first.hash).toBe(hashOf(Buffer.concat(Array(8).fill(chunk))))
    await put(one.store, 'small')
    expect(filesBelow(one.path)).toHaveLength(2)
  })

  test('shows a content under its name only after the commit, readable by its owner alone', async () => {
    using one = openStore()
    const batch = one.store.begin()
    const { hash } = await batch.add(bytes('hello'))
    expect(existsSync(one.store.pathOf(hash))).toBe(false)
    await batch.commit()
    await batch.close()
    expect(one.store.pathOf(hash)).toBe(join(one.path, hash.slice(0, 2), hash.slice(2)))
    expect(statSync(one.store.pathOf(hash)).mode & 0o777).toBe(0o600)
    expect(statSync(one.path).mode & 0o777).toBe(0o700)
  })

  test.skipIf(process.getuid?.() !== 0)(
    'belongs to the owner of its directory, even where root writes it',
    async () => {
      using directory = emptyFolder()
      chownSync(directory.path, 4321, 4321)
      makeDirectory(join(directory.path, 'data'))
      const store = createContentStore(join(directory.path, 'data', 'files'))
      await put(store, 'hello')
      const path = store.pathOf(hashOf('hello'))
      expect([path, dirname(path), join(directory.path, 'data')].map((one) => statSync(one).uid)).toEqual([
        4321, 4321, 4321,
      ])
    },
  )

  test('is not created again after it, or the directory around it, was moved away', async () => {
    using directory = emptyFolder()
    const data = join(directory.path, 'data')
    mkdirSync(data)
    const path = join(data, 'files')
    const [used, unused] = [createContentStore(path), createContentStore(join(data, 'others'))]
    await put(used, 'hello')
    for (const [moved, store] of [
      [path, used],
      [data, used],
      [data, unused],
    ] as const) {
      renameSync(moved, `${moved}-away`)
      expect(() => store.begin()).toThrow('was moved or removed: put it back')
      expect(existsSync(moved)).toBe(false)
      renameSync(`${moved}-away`, moved)
      await put(store, 'again')
    }
  })

  test('has paths only for hashes', () => {
    using one = openStore()
    for (const text of ['', '../../etc/passwd', 'A'.repeat(64), 'a'.repeat(63), `${'a'.repeat(64)}\n`]) {
      expect(() => one.store.pathOf(text)).toThrow(TypeError)
    }
  })

  test('is left as it was by a batch that is closed without a commit, temporary file included', async () => {
    using one = openStore()
    await put(one.store, 'kept')
    const before = filesBelow(one.path)
    const batch = one.store.begin()
    await batch.add(bytes('new'))
    await batch.add(bytes('kept'))
    writeFileSync(batch.temporaryPath, 'an archive')
    await batch.close()
    await batch.close()
    expect(filesBelow(one.path)).toEqual(before)
    await expect(batch.add(bytes('late'))).rejects.toThrow()
  })

  test('is left as it was where the source of a content fails, and the batch can continue', async () => {
    using one = openStore()
    const batch = one.store.begin()
    for (const length of [10, 3_000_000]) {
      const failing = async function* () {
        yield Buffer.alloc(length)
        throw new Error('no more')
      }
      await expect(batch.add(failing())).rejects.toThrow('no more')
    }
    await batch.add(bytes('fine'))
    await batch.commit()
    await batch.close()
    expect(filesBelow(one.path)).toHaveLength(1)
  })

  test('replaces a content that a damaged disk has cut or changed, whatever its size', async () => {
    using one = openStore()
    for (const text of ['hello', 'hello '.repeat(500_000)]) {
      const path = one.store.pathOf(hashOf(text))
      for (const damaged of ['', text.replace('e', 'E')]) {
        await put(one.store, text)
        writeFileSync(path, damaged)
        await put(one.store, text)
        expect(readFileSync(path, 'utf8')).toBe(text)
      }
    }
    expect(filesBelow(one.path)).toHaveLength(2)
  })

  test('two batches with the same contents at once both have them', async () => {
    using one = openStore()
    const batches = [one.store.begin(), one.store.begin()]
    const texts = Array.from({ length: 50 }, (_, at) => `content ${at}`)
    await Promise.all(
      batches.map(async (batch) => {
        for (const text of texts) await batch.add(bytes(text))
        await batch.commit()
        await batch.close()
      }),
    )
    expect(filesBelow(one.path)).toHaveLength(50)
  })
})
