/**
 * Code generators on the document: each generates a client, its code is compiled strictly, and it calls a server. The
 * generators come from their package registries and are kept in node_modules/.cache; those that cannot be had are
 * skipped.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startPetstore, type TestPetstore } from '../../testing/start-petstore.ts'
import {
  generatorProgram,
  goProgram,
  openapiFetchProgram,
  orvalProgram,
  pythonProgram,
  rustProgram,
} from './testing/client-programs.ts'

const root = resolve(import.meta.dir, '../../..')
const cache = join(root, 'node_modules/.cache/generators')
mkdirSync(cache, { recursive: true })

const quiet = { ...process.env, SCARF_ANALYTICS: 'false', DO_NOT_TRACK: '1' }

/** Runs a command and returns what it prints. Throws an Error with that if it fails. */
async function run(command: readonly string[], { cwd = cache, env = {} } = {}): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...quiet, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
    stdin: 'ignore',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`${command.join(' ')} exited with ${code}:\n${(out + err).slice(-4_000)}`)
  return out + err
}

/**
 * Runs the commands of `install` unless they have made `made` before. Whether a generator can be used; prints a line if
 * not.
 */
async function has(name: string, made: string | undefined, needs: readonly string[], ...install: readonly string[][]) {
  const missing = needs.find((program) => Bun.which(program) === null)
  try {
    if (missing !== undefined) throw new Error(`There is no ${missing} on the PATH.`)
    if (made === undefined || !existsSync(join(cache, made))) for (const command of install) await run(command)
    return true
  } catch (error) {
    console.error(`SKIPPED: ${name} cannot be had. ${error instanceof Error ? error.message : error}`)
    return false
  }
}

const pip = (folder: string, ...packages: readonly string[]) => [
  ['python3', '-m', 'venv', folder],
  [`${folder}/bin/pip`, 'install', '--quiet', '--disable-pip-version-check', ...packages],
]
const modules = join(cache, 'npm/node_modules')
mkdirSync(join(cache, 'npm'), { recursive: true })
writeFileSync(join(cache, 'npm/package.json'), JSON.stringify({ private: true }))
const hasTypeScript = await has(
  'openapi-typescript and orval',
  'npm/node_modules/.bin/orval',
  ['node'],
  [
    ...[
      'env',
      '-C',
      join(cache, 'npm'),
      process.execPath,
      'add',
      '--ignore-scripts',
      'typescript@5.9.3',
      '@types/node@24',
    ],
    ...['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'orval@7.13.2', 'zod@3.25.76'],
  ],
)
const pythonClient = 'python-client/bin/openapi-python-client'
const hasPythonClient = await has(
  ...(['openapi-python-client', pythonClient, ['python3']] as const),
  ...pip('python-client', 'openapi-python-client==0.29.1', 'mypy==2.4.1'),
)
const generator = 'generator/bin/openapi-generator-cli'
const hasGenerator = await has(
  ...(['openapi-generator', generator, ['python3', 'java']] as const),
  ...pip('generator', 'openapi-generator-cli==7.26.0', 'urllib3', 'python-dateutil', 'pydantic', 'typing-extensions'),
)
const goCommand = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
const hasGo = await has(
  'oapi-codegen',
  'go/oapi-codegen',
  ['go'],
  ['env', `GOBIN=${cache}/go`, 'go', 'install', goCommand],
)
// A `cargo` of rustup runs only if a toolchain is installed for the user.
const hasRust = await has('Rust', undefined, ['cargo'], ['cargo', '--version'])

let store: TestPetstore
let document: string
let patterns: readonly string[]
/** The folder in which clients are generated. */
const work = join(cache, 'work')
const env = () => ({ PETSTORE_URL: `${store.url}/v1`, PETSTORE_KEY: store.key })

beforeAll(async () => {
  store = await startPetstore()
  document = join(cache, 'openapi.json')
  const text = await (await fetch(`${store.url}/openapi.json`)).text()
  writeFileSync(document, text)
  patterns = [...new Set([...text.matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/g)].map(([, one = '']) => JSON.parse(one)))]
  expect(patterns.length).toBeGreaterThan(20)
  rmSync(work, { recursive: true, force: true })
})
afterAll(() => store?.stop())

/** A folder with these files, in which the npm packages can be imported. */
function project(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(work, name)
  mkdirSync(path, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  writeFileSync(join(path, 'patterns.json'), JSON.stringify(patterns))
  writeFileSync(join(path, 'patterns.txt'), `${patterns.join('\n')}\n`)
  symlinkSync(modules, join(path, 'node_modules'))
  return path
}

/** Compiles with TypeScript's strict options, and runs the program. */
async function runTypeScript(cwd: string): Promise<void> {
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
  const options = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'nodenext', '--allowImportingTsExtensions']
  const types = ['--lib', 'es2023,dom,dom.iterable', '--types', 'node']
  await run(['node', join(modules, '.bin/tsc'), ...options, ...types, 'main.ts'], { cwd })
  await run([process.execPath, 'main.ts'], { cwd, env: env() })
}

const longMs = 600_000

test.skipIf(!hasTypeScript)(
  'openapi-typescript and openapi-fetch',
  async () => {
    const cwd = project('openapi-fetch', { 'main.ts': openapiFetchProgram })
    await run(['node', join(modules, '.bin/openapi-typescript'), document, '-o', 'schema.d.ts'], { cwd })
    await runTypeScript(cwd)
  },
  longMs,
)

test.skipIf(!hasTypeScript)(
  'orval, with fetch and with Zod',
  async () => {
    const output = (target: string, client: string) => ({
      input: document,
      output: { target, client, baseUrl: `${store.url}/v1` },
    })
    const config = { client: output('client.ts', 'fetch'), schemas: output('schemas.ts', 'zod') }
    const files = { 'main.ts': orvalProgram, 'config.cjs': `module.exports = ${JSON.stringify(config)}` }
    const cwd = project('orval', files)
    await run(['node', join(modules, '.bin/orval'), '--config', 'config.cjs'], { cwd })
    await runTypeScript(cwd)
  },
  longMs,
)

test.skipIf(!hasGo)(
  'oapi-codegen',
  async () => {
    const cwd = project('go', { 'main.go': goProgram })
    await run(
      // It would remove the schemas of webhooks, and refer to them nevertheless.
      [
        join(cache, 'go/oapi-codegen'),
        '-generate',
        'types,client,skip-prune',
        '-package',
        'main',
        '-o',
        'api.go',
        document,
      ],
      {
        cwd,
      },
    )
    await run(['go', 'mod', 'init', 'petstore'], { cwd })
    await run(['go', 'mod', 'tidy'], { cwd })
    await run(['go', 'vet', '.'], { cwd })
    await run(['go', 'run', '.'], { cwd, env: env() })
  },
  longMs,
)

test.skipIf(!hasPythonClient)(
  'openapi-python-client',
  async () => {
    const bin = join(cache, 'python-client/bin')
    const files = {
      'main.py': pythonProgram,
      'config.yaml': `content_type_overrides:
  application/zip: application/octet-stream
  application/gzip: application/octet-stream
  application/x-tar: application/octet-stream
  image/jpeg: application/octet-stream
  image/png: application/octet-stream
  image/webp: application/octet-stream
post_hooks: []
`,
      // The generator's own part is the same in each client.
      'mypy.ini': '[mypy]\nstrict = True\n[mypy-petstore.client]\nignore_errors = True\n',
    }
    const cwd = project('python', files)
    const options = ['--meta', 'none', '--output-path', 'petstore', '--config', 'config.yaml']
    const printed = await run([join(bin, 'openapi-python-client'), 'generate', '--path', document, ...options], { cwd })
    // It has no text bodies, and leaves out all types of a file but application/octet-stream.
    expect([...printed.matchAll(/parsing .*/g)].join('\n')).toBe(
      Array(5).fill('parsing POST /imports within animals.').join('\n'),
    )
    await run([join(bin, 'mypy'), 'main.py', 'petstore'], { cwd })
    await run([join(bin, 'python'), 'main.py'], { cwd, env: env() })
  },
  longMs,
)

test.skipIf(!hasGenerator)(
  'openapi-generator, for Python',
  async () => {
    const bin = join(cache, 'generator/bin')
    // It writes invalid code for webhooks.
    const { webhooks: _, ...withoutWebhooks } = JSON.parse(readFileSync(document, 'utf8'))
    const cwd = project('generator', {
      'main.py': generatorProgram,
      'openapi.json': JSON.stringify(withoutWebhooks),
    })
    const options = ['-g', 'python', '-o', 'generated', '--additional-properties', 'packageName=petstore']
    await run([join(bin, 'openapi-generator-cli'), 'generate', '-i', 'openapi.json', ...options], { cwd })
    cpSync(join(cwd, 'generated/petstore'), join(cwd, 'petstore'), { recursive: true })
    await run([join(bin, 'python'), '-m', 'compileall', '-q', 'petstore'], { cwd })
    await run([join(bin, 'python'), '-W', 'error::SyntaxWarning', 'main.py'], { cwd, env: env() })
  },
  longMs,
)

test.skipIf(!hasRust)(
  "Rust's regex compiles the patterns",
  async () => {
    const cwd = project('rust', {
      'Cargo.toml': '[package]\nname = "patterns"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nregex = "1"\n',
    })
    mkdirSync(join(cwd, 'src'))
    writeFileSync(join(cwd, 'src/main.rs'), rustProgram)
    await run(['cargo', 'run', '--quiet'], { cwd, env: { CARGO_TARGET_DIR: join(cache, 'rust') } })
  },
  longMs,
)
