/** Tests the package for test suites in a project of its own: packs it, installs it offline, runs it and compiles against it. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { executable, isBuilt } from './executable.ts'

const root = resolve(import.meta.dir, '../..')
const project = mkdtempSync(join(tmpdir(), 'petstore-package-'))
const archive = join(project, 'petstore-appliance.tgz')
const installed = join(project, 'node_modules/petstore-appliance')

/** Runs a command in the project. Nothing listens on the address of the registry, so that it cannot download anything. */
async function run(command: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...command], {
    cwd: project,
    env: { PATH: process.env['PATH'] ?? '', HOME: project, BUN_CONFIG_REGISTRY: 'http://127.0.0.1:1', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, text: out + err }
}

/** The first example of a language in a page, unchanged. */
async function example(page: string, language: string): Promise<string> {
  const text = await Bun.file(join(root, page)).text()
  return text.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''
}

const bun = process.execPath
const isMissing = (tool: string) => {
  const missing = Bun.which(tool) === null
  if (missing) console.error(`SKIPPED: an example of the guide needs ${tool}.`)
  return missing
}

beforeAll(async () => {
  const packed = await run([bun, join(root, 'scripts/pack.ts'), project])
  expect(packed).toEqual({ code: 0, text: expect.stringContaining(`bun add --dev ${archive}\n`) })
  await Bun.write(join(project, 'package.json'), '{}')
  const added = await run([bun, 'add', '--dev', archive])
  expect(added).toMatchObject({ code: 0 })
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

test('the package installs without network and dependencies, and is smaller than half a megabyte', () => {
  expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'petstore-appliance',
  ])
  expect(statSync(archive).size).toBeLessThan(500_000)
  expect(readdirSync(installed)).toEqual(
    expect.arrayContaining(['README.md', 'elsewhere.cjs', 'package.json', 'testing.d.ts', 'testing.js']),
  )
})

test('the package contains the licences of the code that it bundles', async () => {
  const notices = await Bun.file(join(installed, 'THIRD-PARTY-LICENSES.txt')).text()
  for (const name of ['elysia', 'drizzle-orm', '@sinclair/typebox'])
    expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'))
})

test('the example of the guide for `bun test` passes unchanged', async () => {
  const text = await example('docs/guide/test-suites.md', 'ts')
  expect(await Bun.file(join(installed, 'README.md')).text()).toContain(text)
  await Bun.write(join(project, 'store.test.ts'), text)
  const result = await run([bun, 'test', './store.test.ts'])
  expect(result.text).toContain(' 1 pass\n 0 fail\n')
  expect(result.code).toBe(0)
})

test('the package describes its API and reports that hosting is off, without the modules of hosting', async () => {
  await Bun.write(
    join(project, 'hosting.ts'),
    `import { startPetstore } from 'petstore-appliance/testing'
    const store = await startPetstore()
    const headers = { Authorization: 'Bearer ' + store.key, 'Content-Type': 'application/json' }
    const post = async (path: string, body: object) =>
      (await fetch(store.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
    const { openapi } = await (await fetch(store.url + '/openapi.json')).json()
    const { id } = await post('/v1/projects', { name: 'Shop' })
    const { code } = await post('/v1/projects/' + id + '/domains', { hostname: 'shop.example.com' })
    const invalid = await post('/v1/projects/' + id + '/domains', { hostname: 'co.uk' })
    console.log(openapi, id, code, invalid.code)
    await store.stop()`,
  )
  const { code, text } = await run([bun, 'hosting.ts'])
  expect(text).toMatch(/^3\.1\.0 \S+ conflict invalid_body\n$/)
  expect(code).toBe(0)
})

test('each of several test files that run in parallel has a store of its own', async () => {
  const text = await example('docs/guide/test-suites.md', 'ts')
  const files = Array.from({ length: 4 }, (_, i) => `./parallel-${i}.test.ts`)
  await Promise.all(files.map((file) => Bun.write(join(project, file), text)))
  const result = await run([bun, 'test', '--parallel=2', ...files])
  expect(result.text).toContain(' 4 pass\n 0 fail\n')
  expect(result.code).toBe(0)
})

describe('the types compile in a strict project that also checks libraries', () => {
  const strict = { strict: true, skipLibCheck: false, noEmit: true }
  const stricter = { exactOptionalPropertyTypes: true, verbatimModuleSyntax: true, noUncheckedIndexedAccess: true }
  const projects: Record<string, object> = {
    'with defaults': {},
    'with a bundler': { module: 'preserve', moduleResolution: 'bundler' },
    'with nodenext': { module: 'nodenext', moduleResolution: 'nodenext' },
    'with a bundler and every flag': { module: 'preserve', moduleResolution: 'bundler', ...stricter },
    'with nodenext and every flag': { module: 'nodenext', moduleResolution: 'nodenext', ...stricter },
    'with a library from before Symbol.asyncDispose': { module: 'preserve', target: 'es2022', lib: ['es2022', 'dom'] },
  }
  const use = `import { startPetstore, type PetstoreOptions, type TestPetstore } from 'petstore-appliance/testing'
    const options: PetstoreOptions = { now: new Date(0), plan: 'free' }
    export const store: TestPetstore = await startPetstore(options)
    await startPetstore()
    await startPetstore({ now: 0, plan: undefined })
    store.clock.advance(61_000)
    export const texts: string[] = [store.url, store.key]
    export const ended: Promise<void> = store.stop()
    export const disposable: AsyncDisposable = store
    // @ts-expect-error
    await startPetstore({ plan: 'enterprise' })
    // @ts-expect-error
    await startPetstore({ plann: 'free' })
    // @ts-expect-error
    await startPetstore({ now: '2026-11-20' })
    // @ts-expect-error
    store.clock.advance('61000')
  `

  async function compile(file: string, compilerOptions: object): Promise<void> {
    const config = { compilerOptions: { ...strict, ...compilerOptions }, files: [file] }
    await Bun.write(join(project, 'tsconfig.json'), JSON.stringify(config))
    expect(await run([bun, '--bun', join(root, 'node_modules/.bin/tsc')])).toEqual({ code: 0, text: '' })
  }

  beforeAll(() => Bun.write(join(project, 'use.mts'), use))

  for (const [title, options] of Object.entries(projects)) {
    test(title, () => compile('use.mts', { types: [], ...options }))
  }

  test('the example of the guide compiles with the types of Bun', async () => {
    mkdirSync(join(project, 'node_modules/@types'))
    for (const name of ['bun-types', '@types/node', 'undici-types']) {
      symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name))
    }
    await Bun.write(join(project, 'example.test.ts'), await example('docs/guide/test-suites.md', 'ts'))
    await compile('example.test.ts', { types: ['bun-types'], module: 'preserve', ...stricter })
  })
})

test.skipIf(isMissing('node'))('the import fails in Node.js with one error that says what to do instead', async () => {
  const message =
    'Error: petstore-appliance/testing runs under Bun only, for instance in `bun test`. Anywhere else start the ' +
    'executable: run `petstore serve --ephemeral --port 0 --json` and read its URL and key from the first line that it prints.'
  const statements = [
    `import { startPetstore } from 'petstore-appliance/testing'; startPetstore()`,
    `import * as testing from 'petstore-appliance/testing'; testing.startPetstore()`,
    `await import('petstore-appliance/testing')`,
    `import { createRequire } from 'node:module'; createRequire(import.meta.url)('petstore-appliance/testing')`,
  ]
  for (const statement of statements) {
    await Bun.write(join(project, 'elsewhere.mjs'), statement)
    const { code, text } = await run(['node', 'elsewhere.mjs'])
    expect(code).toBe(1)
    expect(text.split('\n').filter((line) => /^\w*Error/.test(line))).toEqual([message])
  }
})

describe('the examples for other languages pass unchanged', () => {
  beforeAll(() => symlinkSync(executable, join(project, 'petstore')))

  test.skipIf(!isBuilt || isMissing('node'))('in Node.js', async () => {
    await Bun.write(join(project, 'store.test.mjs'), await example('docs/guide/test-suites.md', 'js'))
    const { code, text } = await run(['node', '--test', '--test-reporter=tap', 'store.test.mjs'])
    expect(text).toContain('# pass 1')
    expect(code).toBe(0)
  })

  test.skipIf(!isBuilt || isMissing('python3'))('in Python', async () => {
    await Bun.write(join(project, 'test_store.py'), await example('docs/guide/test-suites.md', 'python'))
    const { code, text } = await run(['python3', '-m', 'unittest'])
    expect(text).toContain('Ran 1 test')
    expect(code).toBe(0)
  })
})
