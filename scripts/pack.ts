/**
 * Creates the package for test suites in a directory, as an archive of the package's name: `startPetstore` bundled into one
 * JavaScript file, with its types and without dependencies. Prints the path of the archive; `scripts/pack.sh` runs it.
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

/**
 * The module for Node.js and other runtimes, which throws an error. It declares its export, because otherwise
 * `import { startPetstore }` fails with a different error.
 */
const elsewhere = `exports.startPetstore = undefined
throw new Error(
  '${manifest.name}/testing runs under Bun only, for instance in \`bun test\`. Anywhere else start the executable: ' +
    'run \`petstore serve --ephemeral --port 0 --json\` and read its URL and key from the first line that it prints.',
)
`

const readme = `# ${manifest.name}

\`startPetstore()\` starts a temporary pet store inside \`bun test\`, with a clock that the test moves.

\`\`\`ts
${testExample(await Bun.file(join(root, 'docs/guide/test-suites.md')).text())}\`\`\`
`

/** Empty outside of a Git repository. */
const commit = (await $`git rev-parse --short=12 HEAD`.cwd(root).nothrow().quiet()).text().trim()

const contents = {
  name: manifest.name,
  // Of two packages of one version, the commit tells which is newer.
  version: commit === '' ? manifest.version : `${manifest.version}+${commit}`,
  description: 'A temporary pet store for test suites that run under Bun.',
  license: manifest.license,
  type: 'module',
  exports: {
    './testing': { types: './testing.d.ts', bun: './testing.js', default: './elsewhere.cjs' },
    './package.json': './package.json',
  },
  engines: { bun: `>=${manifest.devDependencies.bun}` },
}

/** The guide's example for `bun test`. */
function testExample(text: string): string {
  const example = text.match(/```ts\n(import .*?)```/s)?.[1]
  if (example === undefined) throw new Error('The guide has no example that begins with an import.')
  return example
}

/** The colours of a page that `@elysiajs/swagger` could serve, with a library for the options of that page. */
const scalarThemes = 'node_modules/@scalar/themes/dist/index.js'

/**
 * Modules that a temporary store never uses: those of hosting and Elysia's check of file types are loaded by dynamic imports.
 * With the modules that only they import they are a third of the bundle.
 */
const absent = [
  'src/hosting/certificates/acme/x509.ts',
  'src/dns/check.ts',
  'src/dns/platform.ts',
  'node_modules/reflect-metadata/Reflect.js',
  'node_modules/file-type/source/index.js',
  scalarThemes,
]

/** Replaces the absent modules by one that throws. Throws an Error if the build does not find one of them. */
function leaveOut(): BunPlugin {
  const found = new Set<string>()
  const pattern = new RegExp(`/(${absent.map((path) => path.replaceAll('.', '\\.')).join('|')})$`)
  return {
    name: 'leave out',
    setup(build) {
      build.onLoad({ filter: pattern }, ({ path }) => {
        for (const part of absent) if (path.endsWith(part)) found.add(part)
        if (path.endsWith(scalarThemes)) return { contents: `export const elysiajsTheme = ''`, loader: 'js' }
        return { contents: `throw new Error('This module is not in the package: ${basename(path)}')`, loader: 'js' }
      })
      build.onEnd(() => {
        const missing = absent.filter((part) => !found.has(part))
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
    naming: 'testing.js',
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

/** Writes the compiler's declarations of the entry file. Throws an Error if they need those of another file. */
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
  rmSync(types, { recursive: true })
}

try {
  console.error(`Bundling the store and writing its types…`)
  const [packages] = await Promise.all([bundle(), declare()])
  console.error(`Packing ${manifest.name} with the licences of ${packages.length} bundled packages…`)
  const notices = await Promise.all(packages.map(noticeOf))
  await Bun.write(join(work, 'THIRD-PARTY-LICENSES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`))
  await Bun.write(join(work, 'elsewhere.cjs'), elsewhere)
  await Bun.write(join(work, 'README.md'), readme)
  await Bun.write(join(work, 'package.json'), JSON.stringify(contents, undefined, 2))
  const license = join(root, 'LICENSE')
  if (existsSync(license)) await Bun.write(join(work, 'LICENSE'), Bun.file(license))
  await $`${process.execPath} pm pack --quiet --filename ${archive}`.cwd(work).quiet()
  console.error(`Install it with: bun add --dev ${archive}`)
  console.log(archive)
} finally {
  rmSync(work, { recursive: true, force: true })
}
