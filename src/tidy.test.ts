/** The rules of docs/architecture.md that Biome and TypeScript cannot check. */

import { describe, expect, test } from 'bun:test'
import { dirname, join, normalize, relative } from 'node:path'
import { Glob } from 'bun'

const src = import.meta.dir
const paths = [...new Glob('**/*.{ts,tsx}').scanSync(src)].filter((path) => !path.endsWith('.d.ts')).sort()
const code = paths.filter((path) => !/\.(test|long)\./.test(path))
const texts = new Map(
  await Promise.all(paths.map(async (path) => [path, await Bun.file(join(src, path)).text()] as const)),
)
const textOf = (path: string) => texts.get(path) ?? ''

/** Paths, relative to src, that a file imports, also with `import()`; types too, unless `types` is false. */
function importsOf(path: string, { types = true } = {}): string[] {
  const statement =
    /^(?:import|export) (type )?(?:[^;'"]*? from )?['"](\.[^'"]+)['"]|()\bimport\(['"](\.[^'"]+)['"]\)/gm
  return [...textOf(path).matchAll(statement)]
    .filter(([, isType]) => types || !isType)
    .map(([, , target, , late]) => relative('.', normalize(join(dirname(path), target ?? late ?? ''))))
}

test('every file begins with a comment about its purpose', () => {
  expect(code.filter((path) => !/^\/\*\*[ \n]/.test(textOf(path)))).toEqual([])
})

test('file names are in kebab-case, and none is a name such as utils, types or index', () => {
  expect(paths.filter((path) => !/^[a-z0-9/-]+(\.(test|long))?\.tsx?$/.test(path))).toEqual([])
  expect(paths.filter((path) => /(^|\/)(utils?|helpers?|services?|types|index|common|misc)\.ts$/.test(path))).toEqual(
    [],
  )
})

test('a test awaits what it expects of a promise', () => {
  const tests = paths.filter((path) => /\.(test|long)\./.test(path))
  expect(tests.filter((path) => /^ *expect\(.*\)\.(rejects|resolves)\./m.test(textOf(path)))).toEqual([])
})

test('only main uses the process and its environment', () => {
  const touching = code.filter((path) => /\bprocess\.[a-z]|\bBun\.env\b|import\.meta\.env/.test(textOf(path)))
  expect(touching.filter((path) => !path.startsWith('testing/'))).toEqual(['main.ts'])
})

test('a start does not load the modules of Node.js that are loaded late', () => {
  const late = [...textOf('lib/late-modules.ts').matchAll(/'node:(\w+)'/g)].map(([, name]) => name).slice(1)
  expect(late).toEqual(['crypto', 'net', 'tls', 'zlib'])
  const early = new RegExp(`^import (?!type).*'node:(${late.join('|')})'`, 'm')
  expect(code.filter((path) => !/(^|\/)testing\//.test(path) && early.test(textOf(path)))).toEqual([])
})

/** The directories of src, from the bottom to the top: a file imports only from its own and from those before it. */
const layers = [
  'lib',
  'database',
  'dns',
  'config',
  'api',
  'access',
  'shop',
  'hosting',
  'operate',
  'owner',
  'server',
  'app',
  'cli',
  'web',
  'testing',
]

/** Imports that go upwards still. */
const left: string[] = []

describe('imports have one direction', () => {
  const layerOf = (path: string) => path.split('/')[0] ?? ''
  const isTest = (path: string) => /(^|\/)testing\//.test(path)
  const imports = code
    .filter((path) => path.includes('/') && !isTest(path))
    .flatMap((path) => importsOf(path).map((target) => ({ path, target })))
    .filter(({ target }) => !target.startsWith('..'))
  const shown = (strays: typeof imports) => strays.map(({ path, target }) => `${path} → ${target}`)

  test('every directory of src is in the list', () => {
    const directories = new Set(paths.filter((path) => path.includes('/')).map(layerOf))
    expect([...directories].sort()).toEqual([...layers].sort())
  })

  test('a directory imports only from those before it in the list, types too', () => {
    const upwards = imports.filter(
      ({ path, target }) => layers.indexOf(layerOf(target)) > layers.indexOf(layerOf(path)),
    )
    expect(shown(upwards)).toEqual(left)
  })

  test('the server knows no feature: it imports from lib and api alone', () => {
    const strays = imports.filter(
      ({ path, target }) => layerOf(path) === 'server' && !['lib', 'api', 'server'].includes(layerOf(target)),
    )
    expect(shown(strays)).toEqual([])
  })

  test('the web pages import code of other directories only as types, and nothing imports theirs', () => {
    const isPage = (path: string) => path.startsWith('web/')
    const strays = code
      .filter((path) => path.includes('/') && !isTest(path))
      .flatMap((path) => importsOf(path, { types: !isPage(path) }).map((target) => ({ path, target })))
      .filter(({ path, target }) => isPage(target) !== isPage(path))
    expect(shown(strays)).toEqual([])
  })

  test('stores, tables and rules import no routes and no HTTP', () => {
    const quiet = imports.filter(({ path }) => /\/(store|table|rules)\.ts$/.test(path))
    expect(
      shown(
        quiet.filter(({ target }) =>
          /^(api\/(?!principal|scopes|idempotency)|cli\/|server\/)|routes\.ts$/.test(target),
        ),
      ),
    ).toEqual([])
  })
})

test('no files import each other in a circle, including type imports', () => {
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
