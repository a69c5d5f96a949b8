/**
 * Tests the package for test suites in a separate project: packs it, installs it offline, and runs the sample project
 * of the guide with it and with the executable.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Glob } from 'bun'
import { executable, isBuilt } from './executable.ts'

const root = resolve(import.meta.dir, '../..')
const project = mkdtempSync(join(tmpdir(), 'petstore-package-'))
const archive = join(project, 'petstore-appliance.tgz')
const installed = join(project, 'node_modules/petstore-appliance')
const modules = join(root, 'node_modules')

interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Relative to the project. */
  readonly cwd?: string
}

/**
 * Runs a command in the project. Nothing listens on the address of the registry, so that it cannot download anything.
 */
async function run(command: readonly string[], { env = {}, cwd = '.' }: RunOptions = {}) {
  const child = Bun.spawn([...command], {
    cwd: join(project, cwd),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? project,
      BUN_CONFIG_REGISTRY: 'http://127.0.0.1:1',
      PETSTORE: executable,
      NO_COLOR: '1',
      ...env,
    },
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

const textOf = (page: string) => Bun.file(join(root, page)).text()

/** The examples of a page in the languages, unchanged. */
function examplesOf(text: string, ...languages: string[]): string[] {
  const fences = new RegExp(`^\`\`\`(?:${languages.join('|')})\n(.*?)^\`\`\``, 'gms')
  return [...text.matchAll(fences)].map(([, example = '']) => example)
}

const bun = process.execPath
const isMissing = (tool: string, command: readonly string[] = [tool, '--version']) => {
  const missing = Bun.which(tool) === null || Bun.spawnSync([...command]).exitCode !== 0
  if (missing) console.error(`SKIPPED: a suite of the guide needs ${command.join(' ')}.`)
  return missing
}

beforeAll(async () => {
  const packed = await run([bun, join(root, 'scripts/pack.ts'), project])
  expect(packed).toEqual({ code: 0, text: expect.stringContaining(`bun add --dev ${archive}\n`) })
  cpSync(join(root, 'docs/guide/test-suites'), project, { recursive: true })
  await Bun.write(join(project, 'package.json'), '{"type":"module"}')
  expect(await run([bun, 'add', '--dev', archive])).toMatchObject({ code: 0 })
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

test('the package installs without network and dependencies, and is smaller than half a megabyte', () => {
  expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'petstore-appliance',
  ])
  expect(statSync(archive).size).toBeLessThan(500_000)
  const files = readdirSync(installed).filter((name) => !name.startsWith('.'))
  expect(files.sort()).toEqual(
    [
      ...['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES.txt', 'package.json', 'store.js'],
      ...['testing.cjs', 'testing.d.cts', 'testing.d.ts', 'testing.js'],
    ].sort(),
  )
})

test('the package contains the licences of the code that it bundles', async () => {
  const notices = await Bun.file(join(installed, 'THIRD-PARTY-LICENSES.txt')).text()
  for (const name of ['elysia', 'drizzle-orm', '@sinclair/typebox'])
    expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'))
})

test('the version of the package has its commit', async () => {
  const commit = Bun.spawnSync(['git', 'rev-parse', '--short=12', 'HEAD'], { cwd: root }).stdout.toString().trim()
  const { version } = await Bun.file(join(installed, 'package.json')).json()
  expect(version).toStartWith(`1.0.0+${commit}`)
})

test('publint and Are The Types Wrong find nothing', async () => {
  const lint = await run([bun, '--bun', join(modules, '.bin/publint'), archive, '--strict'])
  expect(lint).toEqual({ code: 0, text: expect.stringContaining('All good!') })
  const types = await run([bun, '--bun', join(modules, '.bin/attw'), archive, '--format', 'ascii'])
  expect(types).toEqual({ code: 0, text: expect.stringContaining('No problems found') })
})

test('the examples of the README pass unchanged', async () => {
  const examples = examplesOf(await Bun.file(join(installed, 'README.md')).text(), 'ts')
  for (const [i, example] of examples.entries()) await Bun.write(join(project, `readme/${i}.test.ts`), example)
  const result = await run([bun, 'test', './readme'])
  expect(result.text).toContain(` ${examples.length} pass\n 0 fail\n`)
  expect(examples).toHaveLength(4)
})

describe('the sample project of the guide', () => {
  test('has every example of the chapter', async () => {
    const sources = await Promise.all(
      [...new Glob('**/*.{ts,mjs,py,go}').scanSync(join(root, 'docs/guide/test-suites'))].map((path) =>
        textOf(`docs/guide/test-suites/${path}`),
      ),
    )
    const examples = examplesOf(await textOf('docs/guide/test-suites.md'), 'ts', 'js', 'python', 'go')
    const strays = examples.filter((example) => !sources.some((source) => source.includes(example)))
    expect([examples.length, strays]).toEqual([7, []])
  })

  for (const [title, options] of Object.entries({ 'in one process': [], 'in several': ['--parallel=2'] })) {
    test(`passes in Bun, with a store for a test, one for a file, and at once, ${title}`, async () => {
      const { code, text } = await run([bun, 'test', ...options, './bun'])
      expect(text).toContain(' 15 pass\n 0 fail\n')
      expect(code).toBe(0)
    })
  }

  test('passes in Vitest under Bun', async () => {
    // Vitest resolves its own imports from where it is.
    symlinkSync(join(modules, 'vitest'), join(project, 'node_modules/vitest'))
    const { code, text } = await run([bun, '--bun', join(modules, '.bin/vitest'), 'run'])
    expect(text).toMatch(/Tests {2}1 passed/)
    expect(code).toBe(0)
  })

  test.skipIf(!isBuilt || isMissing('node'))('passes in Node.js', async () => {
    const { code, text } = await run(['node', '--test', '--test-reporter=tap', 'node/shop.test.mjs'])
    expect(text).toContain('# pass 2\n# fail 0\n')
    expect(code).toBe(0)
  })

  test.skipIf(!isBuilt || isMissing('python3', ['python3', '-m', 'pytest', '--version']))(
    'passes in pytest',
    async () => {
      const { code, text } = await run(['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'pytest'])
      expect(text).toContain('3 passed')
      expect(code).toBe(0)
    },
  )

  test.skipIf(!isBuilt || isMissing('go', ['go', 'version']))('passes in Go', async () => {
    const { code, text } = await run(['go', 'test', './...'], { cwd: 'go' })
    expect(text).toStartWith('ok')
    expect(code).toBe(0)
  })
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
    const invalid = await post('/v1/projects/' + id + '/domains', { hostname: 'no name' })
    console.log(openapi, id, code, invalid.code)
    await store.stop()`,
  )
  const { code, text } = await run([bun, 'hosting.ts'])
  expect(text).toMatch(/^3\.1\.0 \S+ conflict invalid_body\n$/)
  expect(code).toBe(0)
})

describe('the types compile in a strict project that also checks libraries', () => {
  const strict = { strict: true, skipLibCheck: false, noEmit: true, target: 'es2022' }
  const stricter = { exactOptionalPropertyTypes: true, verbatimModuleSyntax: true, noUncheckedIndexedAccess: true }
  const projects: Record<string, object> = {
    'with a bundler': { module: 'preserve', moduleResolution: 'bundler' },
    'with nodenext': { module: 'nodenext', moduleResolution: 'nodenext' },
    'with a bundler and every flag': { module: 'preserve', moduleResolution: 'bundler', ...stricter },
    'with nodenext and every flag': { module: 'nodenext', moduleResolution: 'nodenext', ...stricter },
    'with a library from before Symbol.asyncDispose': { module: 'preserve', target: 'es2022', lib: ['es2022', 'dom'] },
  }
  const compilers = { 'TypeScript 5.9': 'typescript-5/bin/tsc', 'TypeScript 7': 'typescript/bin/tsc' }
  const use = `import { startPetstore, type Fault, type PetstoreOptions, type TestPetstore } from 'petstore-appliance/testing'
    const options: PetstoreOptions = {
      now: new Date(0), plan: 'unlimited', clock: 'running', environment: 'staging',
      seed: { categories: [{ name: 'Rabbit' }], pets: [{ name: 'Ada', categoryId: 2, status: 'sold' }] },
    }
    export const store: TestPetstore = await startPetstore(options)
    await startPetstore()
    await startPetstore({ now: 0, plan: undefined })
    store.clock.advance(61_000)
    export const texts: string[] = [store.url, store.key]
    export const { id, accountId, key } = await store.createKey({ plan: 'free', scopes: ['pets:read'], expiresAt: new Date() })
    await store.createKey({ accountId })
    const fault: Fault = { lost: 'request' }
    export const takeBack: () => void = store.fail({ method: 'POST', path: '/v1/pets' }, fault, { times: 1 })
    store.fail({}, { status: 503, retryAfterSeconds: 1 })
    export const status: number | undefined = store.requests[0]?.status
    await store.reset()
    export const ended: Promise<void> = store.stop()
    export const disposable: AsyncDisposable = store
    // @ts-expect-error
    await startPetstore({ plan: 'gold' })
    // @ts-expect-error
    await startPetstore({ plann: 'free' })
    // @ts-expect-error
    await startPetstore({ now: '2026-11-20' })
    // @ts-expect-error
    store.clock.advance('61000')
    // @ts-expect-error
    store.fail({}, { status: 429 })
    // @ts-expect-error
    await store.createKey({ scopes: ['pets'] })
    // @ts-expect-error
    store.requests.push(store.requests[0])
  `

  async function compile(compiler: string, file: string, compilerOptions: object): Promise<void> {
    const config = { compilerOptions: { ...strict, ...compilerOptions }, files: [file] }
    await Bun.write(join(project, 'tsconfig.json'), JSON.stringify(config))
    expect(await run([bun, '--bun', join(modules, compiler)])).toEqual({ code: 0, text: '' })
  }

  beforeAll(() => Bun.write(join(project, 'use.mts'), use))

  for (const [name, compiler] of Object.entries(compilers)) {
    for (const [title, options] of Object.entries(projects)) {
      test(`${title}, by ${name}`, () => compile(compiler, 'use.mts', { types: [], ...options }))
    }
  }

  test('the sample project compiles with the types of Bun', async () => {
    mkdirSync(join(project, 'node_modules/@types'))
    for (const name of ['bun-types', '@types/node', 'undici-types']) {
      symlinkSync(join(modules, name), join(project, 'node_modules', name))
    }
    const options = { types: ['bun-types'], module: 'preserve', allowJs: true, checkJs: true, ...stricter }
    for (const name of ['store-for-a-test', 'store-for-a-file', 'concurrent']) {
      await compile(compilers['TypeScript 7'], `bun/${name}.test.ts`, options)
    }
  })
})

describe('the import fails with one sentence that says what to do instead', () => {
  const start = 'petstore-appliance/testing runs under Bun'
  const instead =
    'run the suite with `bun test`, or start the executable, in any language: `petstore serve --ephemeral --port 0 --json` prints its url and its key.'

  /** The lines with an error of a script in each kind of module. */
  async function errors(runtime: readonly string[], env: Record<string, string> = {}) {
    const scripts = {
      'elsewhere.mjs': `import { startPetstore } from 'petstore-appliance/testing'; startPetstore()`,
      'elsewhere.cjs': `require('petstore-appliance/testing').startPetstore()`,
    }
    const found: string[] = []
    for (const [name, script] of Object.entries(scripts)) {
      await Bun.write(join(project, name), script)
      const { code, text } = await run([...runtime, name], { env })
      expect(code).toBe(1)
      found.push(...text.split('\n').filter((line) => /^(\w*Error|error): /.test(line)))
    }
    return found.map((line) => line.replace(/^\w+: /, ''))
  }
  const twice = (message: string) => [message, message]

  test.skipIf(isMissing('node'))('in Node.js, in Vitest under it, and in Jest', async () => {
    expect(await errors(['node'])).toEqual(twice(`${start}, not under Node.js: ${instead}`))
    expect(await errors(['node'], { VITEST: 'true' })).toEqual(
      twice(
        `${start}, and this Vitest runs under Node.js: ${instead.replace('run the suite with `bun test`', 'start it with `bunx --bun vitest`')}`,
      ),
    )
    expect(await errors(['node'], { JEST_WORKER_ID: '1' })).toEqual(
      twice(`${start}, whose modules Jest can't load: ${instead}`),
    )
  })

  test('in Deno, and in a Bun that is too old', async () => {
    await Bun.write(join(project, 'deno.cjs'), 'globalThis.Deno = {}')
    expect(await errors([bun, '--preload', './deno.cjs'])).toEqual(twice(`${start}, not under Deno: ${instead}`))
    await Bun.write(join(project, 'old.cjs'), `Object.defineProperty(process.versions, 'bun', { value: '1.3.14' })`)
    expect(await errors([bun, '--preload', './old.cjs'])).toEqual(
      twice('petstore-appliance/testing needs Bun 1.4.0 or newer, and this is 1.3.14: run `bun upgrade`.'),
    )
  })
})
