import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../../testing/executable.ts'
import { injectErrors, mountDisk } from '../../testing/faults.ts'
import { storageError } from './disk.ts'
import { createContentStore } from './store.ts'
import { filesBelow, hashOf, openStore, put } from './testing/content-store.ts'

test.skipIf(!mountDisk.isPossible)(
  'a full disk is `storage_unavailable`, and harms nothing that is there',
  async () => {
    using directory = emptyFolder()
    const disk = mountDisk(join(directory.path, 'disk'), 2_000_000)
    try {
      const store = createContentStore(join(disk.path, 'files'))
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
            /is too full for this upload, which needs more than \d+(\.\d)? [kM]B beside the \d+(\.\d)? [kM]B that stay free for other data\. Nothing was changed;/,
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
          'The disk that holds uploaded files is full. Nothing was changed; free some space on it and try again.',
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
    import { createContentStore } from ${JSON.stringify(join(import.meta.dir, 'store.ts'))}
    const store = createContentStore(${JSON.stringify(one.path)})
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
      'The disk that holds uploaded files is full. Nothing was changed; free some space on it and try again.',
    )
  }
  const other = storageError(Object.assign(new Error('EIO'), { code: 'EIO' })) as Error
  expect(other.message).toContain('the disk reports an error. Nothing was changed; try again later.')
})
