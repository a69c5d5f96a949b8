/**
 * Creates the package for test suites in a directory, as an archive of the package's name: `startPetstore` bundled into
 * one JavaScript file, with an entry that checks the runtime, its types, and without dependencies. Prints the path of
 * the archive; `scripts/pack.sh` runs it.
 */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { $, type BunPlugin } from 'bun'
import manifest from '../package.json' with { type: 'json' }

const root = resolve(import.meta.dir, '..')
const [target = 'dist'] = process.argv.slice(2)
const archive = resolve(target, `${manifest.name}.tgz`)
mkdirSync(resolve(target), { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'petstore-pack-'))

/** Tried with the package; older ones fail at the first stop. */
const oldestBun = '1.4.0'

/**
 * The entry of the package, as a module and for `require`. It checks the runtime in one sentence and loads the store at
 * the first start: the store's own imports, such as `bun:sqlite`, would fail elsewhere before any sentence.
 */
function entry(exported: string): string {
  return `const name = '${manifest.name}/testing'
const { versions, env } = typeof process === 'object' ? process : { versions: {}, env: {} }
const isJest = env.JEST_WORKER_ID !== undefined && env.BUN_TEST_WORKER_ID === undefined && env.VITEST === undefined
const elsewhere =
  'or start the executable, in any language: \`petstore serve --ephemeral --port 0 --json\` prints its url and its key.'

if (typeof Deno !== 'undefined') {
  throw new Error(\`\${name} runs under Bun, not under Deno: run the suite with \\\`bun test\\\`, \${elsewhere}\`)
}
if (isJest) {
  throw new Error(\`\${name} runs under Bun, whose modules Jest can't load: run the suite with \\\`bun test\\\`, \${elsewhere}\`)
}
if (versions.bun === undefined && env.VITEST !== undefined) {
  throw new Error(\`\${name} runs under Bun, and this Vitest runs under Node.js: start it with \\\`bunx --bun vitest\\\`, \${elsewhere}\`)
}
if (versions.bun === undefined) {
  throw new Error(\`\${name} runs under Bun, not under Node.js: run the suite with \\\`bun test\\\`, \${elsewhere}\`)
}
if (!Bun.semver.satisfies(versions.bun.replace(/-.*/, ''), '>=${oldestBun}')) {
  throw new Error(\`\${name} needs Bun ${oldestBun} or newer, and this is \${versions.bun}: run \\\`bun upgrade\\\`.\`)
}

async function startPetstore(options) {
  const store = await import('./store.js')
  return store.startPetstore(options)
}

${exported}
`
}

/** Empty outside of a Git repository. */
const commit = (await $`git rev-parse --short=12 HEAD`.cwd(root).nothrow().quiet()).text().trim()
const isChanged = (await $`git status --porcelain`.cwd(root).nothrow().quiet()).text().trim() !== ''

/** An installed package is replaced only by one with another version. */
function versionOf(content: string): string {
  const parts = [...(commit === '' ? [] : [commit]), ...(isChanged || commit === '' ? [hashOf(content)] : [])]
  return `${manifest.version}+${parts.join('.')}`
}

const hashOf = (content: string) => new Bun.CryptoHasher('sha256').update(content).digest('hex').slice(0, 8)

const contents = {
  name: manifest.name,
  description: 'A pet store in your tests: the real API in memory, with a clock, faults and a journal of requests.',
  keywords: ['test', 'testing', 'mock', 'server', 'bun', 'vitest', 'rate-limit', 'fixtures'],
  license: manifest.license,
  type: 'module',
  exports: {
    './testing': {
      import: { types: './testing.d.ts', default: './testing.js' },
      require: { types: './testing.d.cts', default: './testing.cjs' },
    },
    './package.json': './package.json',
  },
  sideEffects: false,
  // Node.js installs it, and starts Vitest; the entry says there what to run.
  engines: { bun: `>=${oldestBun}`, node: '>=20' },
}

/** What replaces a module that is loaded by a dynamic import. */
const failing = (path: string) => `throw new Error('This module is not in the package: ${basename(path)}')`

/**
 * Modules that a temporary store never uses, with their replacements: those of hosting, mail and backups, Elysia's
 * check of file types, and the colours of a page that `@elysiajs/swagger` could serve. With the modules that only they
 * import they are a third of the bundle.
 */
const absent: Readonly<Record<string, string>> = {
  'src/hosting/certificates/hosting-certificates.ts':
    "export const createHostingCertificates = () => { throw new Error('Hosting is not in the package.') }",
  // With React.
  'src/hosting/webshop/pages/render.tsx':
    "export const createRenderer = () => () => '<!doctype html><p>The pages of the web shop are not in the package.</p>'",
  'src/hosting/domains/checks/checks.ts': 'export const createDomainChecks = () => undefined',
  // No host leads to a site.
  'src/hosting/sites/live.ts': 'export const createLiveSites = () => undefined',
  'src/hosting/webshop/style.ts': "export const [styleSheet, icon] = [() => '', () => '']",
  'node_modules/@scalar/themes/dist/index.js': "export const elysiajsTheme = ''",
  // Conversions of values to their schemas, and Elysia's handlers without compiled code.
  'node_modules/@sinclair/typebox/build/esm/value/cast/cast.mjs': 'export const [Cast, ValueCastError] = []',
  'node_modules/@sinclair/typebox/build/esm/value/convert/convert.mjs': 'export const Convert = undefined',
  'node_modules/elysia/dist/dynamic-handle.mjs': 'export const [createDynamicHandler, createDynamicErrorHandler] = []',
  // The types of files: no site is served, because hosting is off.
  'node_modules/mime-db/db.json': 'module.exports = {}',
  // The Public Suffix List, without its names: domains are refused in any case, because hosting is off.
  'node_modules/tldts/dist/es6/src/data/trie.js': `
    export const [nodeFlags, edgeStart] = [new Uint8Array(1), new Uint16Array(2)]
    export const [edgeLength, edgeChild] = [new Uint8Array(), new Uint16Array()]
    export const [labelText, rulesRoot, exceptionsRoot] = ['', 0, 0]`,
  ...Object.fromEntries(
    [
      'src/dns/check.ts',
      'src/dns/platform.ts',
      'node_modules/age-encryption/dist/index.js',
      'node_modules/file-type/source/index.js',
      'node_modules/nodemailer/dist/esm/nodemailer.js',
    ].map((path) => [path, failing(path)]),
  ),
}

/** Replaces the absent modules. Throws an Error if the build does not find one of them. */
function leaveOut(): BunPlugin {
  const found = new Set<string>()
  const pattern = new RegExp(`/(${Object.keys(absent).map(RegExp.escape).join('|')})$`)
  return {
    name: 'leave out',
    setup(build) {
      build.onLoad({ filter: pattern }, ({ path }) => {
        const [part, contents] = Object.entries(absent).find(([one]) => path.endsWith(one)) ?? [path, failing(path)]
        found.add(part)
        return { contents, loader: 'js' }
      })
      build.onEnd(() => {
        const missing = Object.keys(absent).filter((part) => !found.has(part))
        if (missing.length > 0) throw new Error(`The bundle never had these modules: ${missing.join(', ')}.`)
      })
    },
  }
}

/** Bundles without minifying, as scripts/build.sh does. Resolves to the directories of the bundled packages. */
async function bundle(): Promise<string[]> {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(root, 'src/testing/start-petstore.ts')],
    target: 'bun',
    naming: 'store.js',
    outdir: work,
    metafile: true,
    plugins: [leaveOut()],
  })
  if (outputs.length !== 1) throw new Error(`One file was expected, not ${outputs.map(({ path }) => path)}.`)
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.keys(output.inputs))
  const packages = inputs.flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? [])
  return [...new Set(packages)].sort().map((path) => resolve(path))
}

/** The licence text of a bundled package, which must be distributed with its code. */
async function noticeOf(directory: string): Promise<string> {
  const { name, version, license } = await Bun.file(join(directory, 'package.json')).json()
  const file = readdirSync(directory).find((one) => /^licen[cs]e(\.\w+)?$/i.test(one))
  const text = file === undefined ? '' : `\n\n${(await Bun.file(join(directory, file)).text()).trim()}`
  return `${name} ${version} (${license})${text}\n`
}

/**
 * Writes the compiler's declarations of the entry file, for both kinds of modules. Throws an Error if they need those
 * of another file.
 */
async function declare(): Promise<void> {
  const types = join(work, 'types')
  const tsc = join(root, 'node_modules/.bin/tsc')
  // The compiler writes declarations of the whole project and fails if those of another file can't be written.
  await $`${process.execPath} --bun ${tsc} -p ${root} --noEmit false --declaration --emitDeclarationOnly --outDir ${types}`
    .nothrow()
    .quiet()
  const text = await Bun.file(join(types, 'src/testing/start-petstore.d.ts')).text()
  if (/\bimport\b|\bfrom\b.*['"]|reference (path|types)/.test(text)) {
    throw new Error(`The types of startPetstore need another file:\n${text}`)
  }
  await Bun.write(join(work, 'testing.d.ts'), text)
  await Bun.write(join(work, 'testing.d.cts'), text)
  rmSync(types, { recursive: true })
}

try {
  console.error(`Bundling the store and writing its types…`)
  const [packages] = await Promise.all([bundle(), declare()])
  console.error(`Packing ${manifest.name} with the licences of ${packages.length} bundled packages…`)
  const notices = await Promise.all(packages.map(noticeOf))
  await Bun.write(join(work, 'THIRD-PARTY-LICENSES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`))
  await Bun.write(join(work, 'testing.js'), entry('export { startPetstore }'))
  await Bun.write(join(work, 'testing.cjs'), entry('exports.startPetstore = startPetstore'))
  await Bun.write(join(work, 'README.md'), Bun.file(join(root, 'src/testing/package.md')))
  const version = versionOf(await Bun.file(join(work, 'store.js')).text())
  await Bun.write(join(work, 'package.json'), JSON.stringify({ ...contents, version }, undefined, 2))
  const license = join(root, 'LICENSE')
  if (existsSync(license)) await Bun.write(join(work, 'LICENSE'), Bun.file(license))
  await $`${process.execPath} pm pack --quiet --filename ${archive}`.cwd(work).quiet()
  console.error(`Install it with: bun add --dev ${archive}`)
  console.log(archive)
} finally {
  rmSync(work, { recursive: true, force: true })
}
