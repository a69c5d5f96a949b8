/** The rules of this house that Biome and TypeScript can't say (docs/architecture.md). */

import { describe, expect, test } from 'bun:test'
import { dirname, join, normalize, relative } from 'node:path'
import { Glob } from 'bun'

const src = import.meta.dir
const paths = [...new Glob('**/*.{ts,tsx}').scanSync(src)].filter((path) => !path.endsWith('.d.ts')).sort()
const code = paths.filter((path) => !path.includes('.test.'))
const texts = new Map(
  await Promise.all(paths.map(async (path) => [path, await Bun.file(join(src, path)).text()] as const)),
)
const textOf = (path: string) => texts.get(path) ?? ''

/** Paths, relative to src, that a file imports; types too unless told otherwise. */
function importsOf(path: string, { types = true } = {}): string[] {
  const found = textOf(path).matchAll(/^(?:import|export) (type )?(?:[^;'"]*? from )?['"](\.[^'"]+)['"]/gm)
  return [...found]
    .filter(([, isType]) => types || !isType)
    .map(([, , target = '']) => relative('.', normalize(join(dirname(path), target))))
}

const roomOf = (path: string) => path.split('/').slice(0, -1).join('/') || '.'

test('every file opens with a sentence on what it is for', () => {
  expect(code.filter((path) => !/^\/\*\*[ \n]/.test(textOf(path)))).toEqual([])
})

test('files are named by kebab-case nouns and verbs, never after nothing in particular', () => {
  expect(paths.filter((path) => !/^[a-z0-9/-]+(\.test)?\.tsx?$/.test(path))).toEqual([])
  expect(paths.filter((path) => /(^|\/)(utils?|helpers?|services?|types|index|common|misc)\.ts$/.test(path))).toEqual(
    [],
  )
})

test('a room has at most ten files beside its tests, and a file at most 250 lines', () => {
  // `cli` holds a file for each command.
  const rooms = Map.groupBy(
    code.filter((path) => roomOf(path) !== 'cli'),
    roomOf,
  )
  expect([...rooms].filter(([, files]) => files.length > 10).map(([room, { length }]) => `${room}: ${length}`)).toEqual(
    [],
  )
  expect(code.filter((path) => textOf(path).split('\n').length > 251)).toEqual([])
})

test('main alone touches the process, and config alone reads its environment', () => {
  const touching = code.filter((path) => /\bprocess\.[a-z]|\bBun\.env\b|import\.meta\.env/.test(textOf(path)))
  expect(touching.filter((path) => !path.startsWith('testing/'))).toEqual(['main.ts'])
})

describe('imports lead one way', () => {
  test('lib knows nothing of the rest', () => {
    const strays = code.filter((path) => roomOf(path) === 'lib').flatMap((path) => importsOf(path))
    expect(strays.filter((target) => !target.startsWith('lib/'))).toEqual([])
  })

  test('nothing but main and the commands imports commands', () => {
    const importing = code.filter((path) => importsOf(path).some((target) => target.startsWith('cli/')))
    expect(importing.filter((path) => roomOf(path) !== 'cli' && path !== 'main.ts')).toEqual([])
  })

  test('stores, tables and rules import no routes and no HTTP', () => {
    const quiet = code.filter((path) => /\/(store|table|rules)\.ts$/.test(path))
    const strays = quiet.flatMap((path) => importsOf(path).map((target) => `${path} → ${target}`))
    expect(strays.filter((one) => /→ (http|cli|openapi|docs)\/|routes\.ts$|server\.ts$/.test(one))).toEqual([])
  })

  test('features take the app by type alone', () => {
    const importing = code.filter((path) => importsOf(path, { types: false }).includes('app.ts'))
    expect(importing.filter((path) => !/^(cli|testing)\//.test(path))).toEqual([])
  })
})

test('no two files import each other, directly or through others, types included', () => {
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path)
    if (start !== -1) circles.push([...way.slice(start), path].join(' → '))
    if (start !== -1 || done.has(path)) return
    for (const target of importsOf(path)) visit(target, [...way, path])
    done.add(path)
  }
  for (const path of code) visit(path, [])
  expect(circles).toEqual([])
})

test('every migration on disk is compiled in, in order', () => {
  const files = [...new Glob('database/migrations/*.sql').scanSync(src)].sort()
  const imported = [...textOf('database/migrate.ts').matchAll(/from '\.\/(migrations\/[^']+\.sql)'/g)]
  expect(imported.map(([, path]) => `database/${path}`)).toEqual(files)
})
