import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isBuilt } from '../../../testing/executable.ts'

const root = join(import.meta.dir, '../../../..')
const assets = join(root, 'dist/assets/dashboard')
const textOf = (extension: string) =>
  readdirSync(assets)
    .filter((name) => name.endsWith(extension))
    .map((name) => readFileSync(join(assets, name), 'utf8'))
    .join('\n')
const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g))

test.skipIf(!isBuilt)('every component of Mantine in the scripts has its style sheet', () => {
  const styled = classesIn(readFileSync(join(root, 'node_modules/@mantine/core/styles.css'), 'utf8'))
  const used = [...classesIn(textOf('.js'))].filter((name) => styled.has(name))
  const bundled = classesIn(textOf('.css'))
  expect(used.length).toBeGreaterThan(100)
  expect(used.filter((name) => !bundled.has(name))).toEqual([])
})
