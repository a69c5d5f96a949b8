import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../testing/executable.ts'
import { replaceFile } from './replace-file.ts'

test('a file is replaced with its mode; if that fails, nothing is changed or left behind', () => {
  const folder = emptyFolder()
  const path = join(folder.path, 'file')
  replaceFile(path, 'old')
  replaceFile(path, 'new', 0o644)
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['new', 0o644])
  const directory = join(folder.path, 'directory')
  mkdirSync(join(directory, 'full'), { recursive: true })
  expect(() => replaceFile(directory, 'text')).toThrow()
  expect(readdirSync(folder.path).sort()).toEqual(['directory', 'file'])
  folder.remove()
})
