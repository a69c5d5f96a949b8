import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findingCodes } from './report.ts'

test('every code of a finding is reached by a test', () => {
  const text = [
    import.meta.dir,
    join(import.meta.dir, '../hosting/certificates'),
    join(import.meta.dir, '../hosting/domains'),
  ]
    .flatMap((directory) => readdirSync(directory).map((name) => join(directory, name)))
    .filter((path) => path.endsWith('.test.ts') && !path.endsWith('report.test.ts'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
  expect(findingCodes.filter((code) => !new RegExp(`['" ]${code}'`).test(text))).toEqual([])
})
