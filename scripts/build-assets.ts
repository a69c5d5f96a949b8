/**
 * Bundles the web pages into dist/assets, compresses every file with brotli and gzip, and writes src/assets/embedded.js,
 * which imports them all so that `bun build --compile` puts them into the executable.
 */

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

interface Page {
  /** Name of its export in embedded.js. */
  readonly name: string
  readonly entry: string
  /** Path in its URL; its files are below, in `assets/`. */
  readonly path: string
}

const pages: readonly Page[] = [{ name: 'docs', entry: 'src/docs/docs.html', path: '/docs' }]

const root = resolve(import.meta.dir, '..')
/** A compressed copy is kept only if it is smaller than this share of the original. */
const worthwhile = 0.95

const compressors = {
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 9 }),
}
const extensions = { br: '.br', gzip: '.gz' }

const imports: string[] = []
const exported: string[] = []
for (const page of pages) exported.push(await build(page))
await Bun.write(
  `${root}/src/assets/embedded.js`,
  `/** Written by scripts/build-assets.ts. */\n${imports.join('\n')}\n\n${exported.join('\n')}\n`,
)

/** Builds one page; returns the text of its export. */
async function build({ name, entry, path }: Page): Promise<string> {
  const directory = `${root}/dist/assets/${name}`
  mkdirSync(directory, { recursive: true })
  const { outputs } = await Bun.build({
    entrypoints: [`${root}/${entry}`],
    target: 'browser',
    splitting: true,
    minify: true,
    publicPath: `${path}/assets/`,
    naming: '[name]-[hash].[ext]',
  })
  const kept = new Set<string>()
  const files: string[] = []
  for (const output of outputs) {
    const fileName = basename(output.path)
    const bytes = new Uint8Array(await output.arrayBuffer())
    const stored = await store(directory, fileName, bytes)
    for (const one of Object.values(stored)) kept.add(one)
    const codings = Object.entries(stored).map(([coding, storedName]) => {
      const identifier = `file${imports.length}`
      imports.push(`import ${identifier} from '../../dist/assets/${name}/${storedName}' with { type: 'file' }`)
      return `${coding}: ${identifier}`
    })
    const url = fileName.endsWith('.html') ? path : `${path}/assets/${fileName}`
    const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 16)
    const type = output.type.replace(';charset', '; charset')
    files.push(`  { path: '${url}', type: '${type}', hash: '${hash}', codings: { ${codings.join(', ')} } },`)
  }
  for (const old of readdirSync(directory)) if (!kept.has(old)) rmSync(`${directory}/${old}`)
  return `export const ${name} = [\n${files.join('\n')}\n]`
}

/** Writes a file and its compressed copies, unless they are there already; returns their names by content coding. */
async function store(directory: string, name: string, bytes: Uint8Array): Promise<Record<string, string>> {
  const path = `${directory}/${name}`
  const isSame = existsSync(path) && Buffer.from(await Bun.file(path).bytes()).equals(bytes)
  const stored: Record<string, string> = { identity: name }
  for (const coding of ['br', 'gzip'] as const) {
    const copy = `${path}${extensions[coding]}`
    if (!isSame || !existsSync(copy)) await Bun.write(copy, await compressors[coding](bytes))
    if (Bun.file(copy).size < bytes.length * worthwhile) stored[coding] = basename(copy)
  }
  // Written last: an interrupted build then has no file that looks complete.
  if (!isSame) await Bun.write(path, bytes)
  return stored
}
