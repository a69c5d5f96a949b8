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

/** Paths, relative to src, that a file imports; types too unless told otherwise. */
function importsOf(path: string, { types = true } = {}): string[] {
  const found = textOf(path).matchAll(/^(?:import|export) (type )?(?:[^;'"]*? from )?['"](\.[^'"]+)['"]/gm)
  return [...found]
    .filter(([, isType]) => types || !isType)
    .map(([, , target = '']) => relative('.', normalize(join(dirname(path), target))))
}

const directoryOf = (path: string) => path.split('/').slice(0, -1).join('/') || '.'

test('every file begins with a comment about its purpose', () => {
  expect(code.filter((path) => !/^\/\*\*[ \n]/.test(textOf(path)))).toEqual([])
})

test('file names are in kebab-case, and none is a name such as utils, types or index', () => {
  expect(paths.filter((path) => !/^[a-z0-9/-]+(\.(test|long))?\.tsx?$/.test(path))).toEqual([])
  expect(paths.filter((path) => /(^|\/)(utils?|helpers?|services?|types|index|common|misc)\.ts$/.test(path))).toEqual(
    [],
  )
})

test('a directory has at most ten files besides tests, and a file at most 250 lines', () => {
  // `cli` has a file for each command.
  const directories = Map.groupBy(
    code.filter((path) => directoryOf(path) !== 'cli'),
    directoryOf,
  )
  expect(
    [...directories].filter(([, files]) => files.length > 10).map(([path, { length }]) => `${path}: ${length}`),
  ).toEqual([])
  expect(code.filter((path) => textOf(path).split('\n').length > 251)).toEqual([])
})

test('only main uses the process and its environment', () => {
  const touching = code.filter((path) => /\bprocess\.[a-z]|\bBun\.env\b|import\.meta\.env/.test(textOf(path)))
  expect(touching.filter((path) => !path.startsWith('testing/'))).toEqual(['main.ts'])
})

test('a start does not load the modules of Node.js that are loaded late', () => {
  const late = [...textOf('lib/node/modules.ts').matchAll(/'node:(\w+)'/g)].map(([, name]) => name).slice(1)
  expect(late).toEqual(['crypto', 'net', 'tls', 'zlib'])
  const early = new RegExp(`^import (?!type).*'node:(${late.join('|')})'`, 'm')
  expect(code.filter((path) => !/(^|\/)testing\//.test(path) && early.test(textOf(path)))).toEqual([])
})

describe('imports have one direction', () => {
  test('lib imports nothing outside of lib', () => {
    const strays = code.filter((path) => directoryOf(path) === 'lib').flatMap((path) => importsOf(path))
    expect(strays.filter((target) => !target.startsWith('lib/'))).toEqual([])
  })

  test('only main and the commands import commands', () => {
    const importing = code.filter((path) => importsOf(path).some((target) => target.startsWith('cli/')))
    expect(importing.filter((path) => directoryOf(path) !== 'cli' && path !== 'main.ts')).toEqual([])
  })

  test('stores, tables and rules import no routes and no HTTP', () => {
    const quiet = code.filter((path) => /\/(store|table|rules)\.ts$/.test(path))
    const strays = quiet.flatMap((path) => importsOf(path).map((target) => `${path} → ${target}`))
    expect(strays.filter((one) => /→ (http|cli|openapi|docs)\/|routes\.ts$|server\.ts$/.test(one))).toEqual([])
  })

  test('the dashboard imports code of the server only as types, and the server none of the dashboard', () => {
    const isDashboard = (path: string) => path.startsWith('dashboard/')
    const strays = code.flatMap((path) =>
      importsOf(path, { types: !isDashboard(path) })
        .filter((target) => isDashboard(target) !== isDashboard(path) && !path.startsWith('testing/'))
        .map((target) => `${path} → ${target}`),
    )
    expect(strays).toEqual([])
  })

  test('features import the app only as a type', () => {
    const importing = code.filter((path) => importsOf(path, { types: false }).includes('app.ts'))
    expect(importing.filter((path) => !/^(cli|testing)\//.test(path))).toEqual([])
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

test('names that were replaced do not return', () => {
  const replaced: Readonly<Record<string, RegExp>> = {
    'audit context': /\b[dD]eeds?\b/,
    'limit status': /\b(type|interface) Standing\b/,
    'post result': /\b(type|interface) Made\b/,
    idempotency: /\bposting\b/,
    'stored responses': /\b(StoredAnswer|idempotentAnswers|app\.answers)\b/,
    principal: /\b(type|interface) Caller\b|\bCallerCache\b/,
    'response, result': /\b[aA]nswer(s|ed)?\b/,
    'reject, error': /\b([rR]efusals?|[tT]urn(ed|s)?[ A][aA]way|holdBack)\b/,
    'invalidate, clear': /\b(forget\(|forgetAll)/,
    timeout: /\bpatience(Ms)?\b/,
    'new key': /\bKeyOrder\b/,
    'ready line': /\b[gG]reet(ing)?s?\b/,
    'codebase, directory': /\b(house|roomOf|[bB]odyRoom)\b/,
  }
  // In the DNS an answer is an established term (RFC 1035 section 4.1.1).
  const isAboutDns = (path: string) => /^dns\/|^domains\/|^cli\/domains/.test(path)
  const found = paths
    .filter((path) => path !== 'tidy.test.ts')
    .flatMap((path) =>
      Object.entries(replaced).flatMap(([now, before]) => {
        if (now === 'response, result' && isAboutDns(path)) return []
        const name = before.exec(textOf(path))?.[0]
        return name === undefined ? [] : `${path}: replace "${name}" by ${now}`
      }),
    )
  expect(found).toEqual([])
})
