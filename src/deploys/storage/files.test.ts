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
import { injectErrors, mountDisk } from '../../testing/faults.ts'
import { filesBelow, temporaryDirectory } from '../testing/site.ts'
import { createFileStore } from './files.ts'
import { storageError } from './system.ts'

const hour = 3_600_000
const bytes = (text: string) => [Buffer.from(text)]
const hashOf = (text: string | Uint8Array) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

function openStore() {
  const directory = temporaryDirectory()
  let time = Date.now()
  const path = join(directory.path, 'files')
  return {
    path,
    store: createFileStore(path, { nowMs: () => time }),
    pass: (ms: number) => {
      time += ms
    },
    [Symbol.dispose]: directory[Symbol.dispose],
  }
}

async function put(store: ReturnType<typeof openStore>['store'], ...texts: string[]) {
  const batch = store.begin()
  for (const text of texts) await batch.add(bytes(text))
  await batch.commit()
  await batch.close()
}

describe('a file store', () => {
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
    'belongs to the owner of its directory, also where root writes it',
    async () => {
      using directory = temporaryDirectory()
      chownSync(directory.path, 4321, 4321)
      const store = createFileStore(join(directory.path, 'data', 'files'))
      await put(store, 'hello')
      const path = store.pathOf(hashOf('hello'))
      expect([path, dirname(path), join(directory.path, 'data')].map((one) => statSync(one).uid)).toEqual([
        4321, 4321, 4321,
      ])
    },
  )

  test('has a path for hashes alone', () => {
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

  test('is left as it was where the source of a content fails, and the batch can go on', async () => {
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

  test('replaces a content of a wrong size, as a damaged disk may leave it', async () => {
    using one = openStore()
    await put(one.store, 'hello')
    writeFileSync(one.store.pathOf(hashOf('hello')), '')
    await put(one.store, 'hello')
    expect(readFileSync(one.store.pathOf(hashOf('hello')), 'utf8')).toBe('hello')
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

describe('a sweep', () => {
  test('deletes what is not referenced and older than an hour, and says how much', async () => {
    using one = openStore()
    await put(one.store, 'kept', 'gone', 'gone too')
    const isReferenced = (hash: string) => hash === hashOf('kept')
    expect(await one.store.sweep(isReferenced)).toEqual({ files: 0, bytes: 0 })
    one.pass(hour + 60_000)
    expect(await one.store.sweep(isReferenced)).toEqual({ files: 2, bytes: 12 })
    expect(filesBelow(one.path)).toHaveLength(1)
    expect(readFileSync(one.store.pathOf(hashOf('kept')), 'utf8')).toBe('kept')
  })

  test('keeps what an open batch uses, new or there before, until it is closed', async () => {
    using one = openStore()
    await put(one.store, 'old')
    one.pass(2 * hour)
    const batch = one.store.begin()
    await batch.add(bytes('old'))
    await batch.add(bytes('new'))
    await batch.commit()
    one.pass(2 * hour)
    expect(await one.store.sweep(() => false)).toEqual({ files: 0, bytes: 0 })
    await batch.close()
    expect((await one.store.sweep(() => false)).files).toBe(2)
  })

  test('keeps what another process has just used again', async () => {
    using one = openStore()
    await put(one.store, 'old')
    one.pass(2 * hour)
    let time = Date.now() + 2 * hour
    const other = createFileStore(one.path, { nowMs: () => time })
    const batch = other.begin()
    await batch.add(bytes('old'))
    expect((await one.store.sweep(() => false)).files).toBe(0)
    await batch.commit()
    await batch.close()
    time += 2 * hour
    expect((await other.sweep(() => false)).files).toBe(1)
  })

  test('beside deploys that use the same contents never loses one that is referenced', async () => {
    using one = openStore()
    const referenced = new Set<string>()
    const texts = Array.from({ length: 20 }, (_, at) => `content ${at}`)
    let running = true
    const sweeping = (async () => {
      while (running) {
        one.pass(2 * hour)
        await one.store.sweep((hash) => referenced.has(hash))
      }
    })()
    for (let round = 0; round < 30; round++) {
      const batch = one.store.begin()
      const hashes: string[] = []
      for (const text of texts) hashes.push((await batch.add(bytes(text))).hash)
      await batch.commit()
      for (const hash of hashes) referenced.add(hash)
      await batch.close()
      expect(hashes.filter((hash) => !existsSync(one.store.pathOf(hash)))).toEqual([])
      await Promise.resolve()
      referenced.clear()
      await Bun.sleep(0)
    }
    running = false
    await sweeping
  })

  test('leaves files alone that are not the store’s, puts back what a killed one had moved away, and stops when told', async () => {
    using one = openStore()
    await put(one.store, 'a', 'b', 'c')
    one.pass(2 * hour)
    const [first = ''] = filesBelow(one.path)
    renameSync(join(one.path, first), join(one.path, `${first}.removed`))
    writeFileSync(join(one.path, first.slice(0, 2), 'README'), 'mine')
    mkdirSync(join(one.path, 'other'))
    writeFileSync(join(one.path, 'other', 'file'), 'mine')
    expect(await one.store.sweep(() => false, AbortSignal.abort())).toEqual({ files: 0, bytes: 0 })
    expect((await one.store.sweep(() => false)).files).toBe(2)
    expect(existsSync(join(one.path, first))).toBe(true)
    expect((await one.store.sweep(() => false)).files).toBe(1)
    expect(filesBelow(one.path).map((path) => path.split('/').at(-1))).toEqual(['README', 'file'])
  })

  test('of a store that was never written to finds nothing', async () => {
    using one = openStore()
    await one.store.removeAbandoned()
    expect(await one.store.sweep(() => false)).toEqual({ files: 0, bytes: 0 })
    expect(existsSync(one.path)).toBe(false)
  })
})

test('the files that a killed process left are deleted at the next start; open batches stay', async () => {
  using one = openStore()
  const script = `
    import { createFileStore } from ${JSON.stringify(join(import.meta.dir, 'files.ts'))}
    const batch = createFileStore(${JSON.stringify(one.path)}).begin()
    await batch.add([Buffer.from('lost')])
    await batch.add([Buffer.alloc(3_000_000)])
    console.log('ready')
    process.kill(process.pid, 'SIGKILL')
  `
  const killed = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  expect(await new Response(killed.stdout).text()).toBe('ready\n')
  await killed.exited
  expect(filesBelow(one.path)).toHaveLength(2)
  const batch = one.store.begin()
  const { hash } = await batch.add(bytes('mine'))
  await one.store.removeAbandoned()
  await batch.commit()
  await batch.close()
  expect(filesBelow(one.path)).toEqual([`${hash.slice(0, 2)}/${hash.slice(2)}`])
})

test.skipIf(!mountDisk.isPossible)(
  'a full disk is `storage_unavailable`, and harms nothing that is there',
  async () => {
    using directory = temporaryDirectory()
    const disk = mountDisk(join(directory.path, 'disk'), 2_000_000)
    try {
      const store = createFileStore(join(disk.path, 'files'))
      await put(store, 'there')
      const before = filesBelow(disk.path)
      for (const size of [900_000, 5_000_000]) {
        const batch = store.begin()
        const fill = async () => {
          for (let at = 0; at < 4; at++) await batch.add([Buffer.alloc(size, at)])
          await batch.commit()
        }
        await expect(fill()).rejects.toMatchObject({
          code: 'storage_unavailable',
          message: expect.stringMatching(
            /is too full for this deploy, which needs more than \d+(\.\d)? MB beside the \d+(\.\d)? MB that stay free for other data\. Nothing was changed;/,
          ),
        })
        await batch.close()
        expect(filesBelow(disk.path)).toEqual(before)
      }
      disk.fill()
      expect(() => store.begin()).not.toThrow()
      await put(store, 'there')
      expect(readFileSync(store.pathOf(hashOf('there')), 'utf8')).toBe('there')
      // Waiting does not help.
      await expect(put(store, 'new')).rejects.toMatchObject({
        code: 'storage_unavailable',
        message:
          'The disk that holds the files of deploys is full. Nothing was changed; free some space on it and try again.',
      })
    } finally {
      disk.unmount()
    }
  },
)

test.skipIf(!injectErrors.isPossible)(
  'a disk that can’t synchronize fails the commit, and no content has a name',
  async () => {
    using one = openStore()
    const script = `
    import { createFileStore } from ${JSON.stringify(join(import.meta.dir, 'files.ts'))}
    const store = createFileStore(${JSON.stringify(one.path)})
    const batch = store.begin()
    await batch.add([Buffer.from('lost')])
    console.log('ready')
    for await (const _ of process.stdin) break
    console.log(await batch.commit().then(() => 'committed', (error) => error.code))
    await batch.close()
    process.exit(0)
  `
    const child = Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
    const reader = child.stdout.getReader()
    await reader.read()
    const fault = await injectErrors(child.pid, 'fsync,fdatasync:error=EIO')
    child.stdin.write('go\n')
    await child.stdin.flush()
    const { value } = await reader.read()
    expect(new TextDecoder().decode(value)).toBe('storage_unavailable\n')
    await child.exited
    await fault.stop()
    expect(filesBelow(one.path)).toEqual([])
  },
)

test('an error of the system that says that the disk is full says to free some space', () => {
  for (const code of ['ENOSPC', 'EDQUOT']) {
    const error = storageError(Object.assign(new Error(code), { code })) as Error
    expect(error.message).toBe(
      'The disk that holds the files of deploys is full. Nothing was changed; free some space on it and try again.',
    )
  }
  const other = storageError(Object.assign(new Error('EIO'), { code: 'EIO' })) as Error
  expect(other.message).toContain('the disk reports an error. Nothing was changed; try again later.')
})
