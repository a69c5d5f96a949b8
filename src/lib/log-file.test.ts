import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../testing/executable.ts'
import { maximumWaiting } from './bounded-output.ts'
import { openLogFile } from './log-file.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

const path = () => join(folder.path, 'petstore.log')
const read = (name: string) => readFileSync(join(folder.path, name), 'utf8')
/** Undefined while there is no such file: it may be renamed at any time. */
const readIfThere = (name: string) =>
  Bun.file(join(folder.path, name))
    .text()
    .catch(() => undefined)

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}

test('a log is written in order, follows what was there, and is readable by its owner alone', async () => {
  openLogFile(path())('one\n')
  await until(async () => (await readIfThere('petstore.log')) === 'one\n')
  const write = openLogFile(path())
  for (const line of ['two\n', 'three\n']) write(line)
  await until(() => read('petstore.log') === 'one\ntwo\nthree\n')
  expect(statSync(path()).mode & 0o777).toBe(0o600)
})

test('a log of full size is followed by a new file, and the oldest of them is deleted', async () => {
  const write = openLogFile(path(), { fileBytes: 10, files: 3 })
  for (let number = 1; number <= 5; number++) {
    write(`line ${number} ....\n`)
    await until(async () => (await readIfThere('petstore.log.1'))?.includes(`${number}`) === true)
  }
  expect(readdirSync(folder.path).sort()).toEqual(['petstore.log.1', 'petstore.log.2'])
  expect([read('petstore.log.1'), read('petstore.log.2')]).toEqual(['line 5 ....\n', 'line 4 ....\n'])
})

test('a log that another program has moved continues in a new file', async () => {
  const write = openLogFile(path())
  write('old\n')
  await until(async () => (await readIfThere('petstore.log')) === 'old\n')
  renameSync(path(), join(folder.path, 'moved'))
  write('new\n')
  await until(async () => (await readIfThere('petstore.log')) === 'new\n')
  expect(read('moved')).toBe('old\n')
})

test('a text for which too much waits is dropped, and the caller is notified', () => {
  const write = openLogFile(path())
  expect([write('first\n'), write('x'.repeat(maximumWaiting))]).toEqual([true, true])
  expect(write('y'.repeat(maximumWaiting))).toBe(false)
})

test('a file that cannot be written is an error at once', () => {
  expect(() => openLogFile(join(folder.path, 'missing', 'log'))).toThrow('there is no such file')
  expect(() => openLogFile(folder.path)).toThrow('it is a directory, not a file')
})
