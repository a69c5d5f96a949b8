import { expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../../testing/executable.ts'
import { mountDisk } from '../../testing/faults.ts'
import { AppError } from '../error.ts'
import { saveUpload } from './save-upload.ts'

async function* chunksOf(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}

const unlimited = async () => {}

test('an upload is written as it arrives, readable by its owner alone', async () => {
  using directory = emptyFolder()
  const file = join(directory.path, 'upload')
  await saveUpload(chunksOf('ab', '', 'cde'), file, unlimited)
  expect(readFileSync(file, 'utf8')).toBe('abcde')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('an upload that cannot be read to its end leaves no file', async () => {
  using directory = emptyFolder()
  const file = join(directory.path, 'upload')
  const aborted = new AppError('invalid_body', 'aborted')
  async function* failing() {
    yield Buffer.from('half')
    throw aborted
  }
  await expect(saveUpload(failing(), file, unlimited)).rejects.toBe(aborted)
  expect(existsSync(file)).toBe(false)
})

test('an upload never overwrites a file', async () => {
  using directory = emptyFolder()
  const file = join(directory.path, 'upload')
  writeFileSync(file, 'mine')
  await expect(saveUpload(chunksOf('x'), file, unlimited)).rejects.toMatchObject({ code: 'storage_unavailable' })
  expect(readFileSync(file, 'utf8')).toBe('mine')
})

test.skipIf(!mountDisk.isPossible)('an upload to a full disk is `storage_unavailable` and leaves no file', async () => {
  using directory = emptyFolder()
  const disk = mountDisk(join(directory.path, 'disk'), 100_000)
  try {
    const file = join(disk.path, 'upload')
    const chunks = chunksOf(...Array<string>(50).fill('x'.repeat(10_000)))
    await expect(saveUpload(chunks, file, unlimited)).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(existsSync(file)).toBe(false)
  } finally {
    disk.unmount()
  }
})
