/**
 * Bundles the web pages into dist/assets, compresses every file with brotli and gzip, and writes src/assets/embedded.js,
 * which imports them all so that `bun build --compile` puts them into the executable.
 */

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BuildArtifact } from 'bun'

interface Page {
  /** Name of its export in embedded.js. */
  readonly name: string
  readonly entry: string
  /** Path in its URL. */
  readonly path: string
  /** Directory of its other files, in URLs. */
  readonly assets: string
  /** A classic script that the browser runs before it paints the page. */
  readonly boot?: string
}

const pages: readonly Page[] = [
  { name: 'docs', entry: 'src/docs/docs.html', path: '/docs', assets: '/docs/assets/' },
  {
    name: 'dashboard',
    entry: 'src/dashboard/index.html',
    path: '/dashboard/',
    assets: '/dashboard/assets/',
    boot: 'src/dashboard/boot.ts',
  },
]

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
async function build({ name, entry, path, assets, boot }: Page): Promise<string> {
  const directory = `${root}/dist/assets/${name}`
  mkdirSync(directory, { recursive: true })
  const outputs = await bundle(entry, assets)
  const bootOutputs = boot === undefined ? [] : await bundle(boot, assets, 'iife')
  const kept = new Set<string>()
  const files: string[] = []
  for (const output of [...outputs, ...bootOutputs]) {
    const fileName = basename(output.path)
    const isPage = fileName.endsWith('.html')
    const bytes =
      isPage && boot !== undefined
        ? await withBootScripts(output, bootOutputs, assets)
        : new Uint8Array(await output.arrayBuffer())
    const stored = await store(directory, fileName, bytes)
    for (const one of Object.values(stored)) kept.add(one)
    const codings = Object.entries(stored).map(([coding, storedName]) => {
      const identifier = `file${imports.length}`
      imports.push(`import ${identifier} from '../../dist/assets/${name}/${storedName}' with { type: 'file' }`)
      return `${coding}: ${identifier}`
    })
    const url = isPage ? path : `${assets}${fileName}`
    const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 16)
    const type = output.type.replace(';charset', '; charset')
    files.push(`  { path: '${url}', type: '${type}', hash: '${hash}', codings: { ${codings.join(', ')} } },`)
  }
  for (const old of readdirSync(directory)) if (!kept.has(old)) rmSync(`${directory}/${old}`)
  return `export const ${name} = [\n${files.join('\n')}\n]`
}

async function bundle(entry: string, assets: string, format: 'esm' | 'iife' = 'esm'): Promise<BuildArtifact[]> {
  const { outputs } = await Bun.build({
    entrypoints: [`${root}/${entry}`],
    target: 'browser',
    format,
    splitting: format === 'esm',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    publicPath: assets,
    naming: '[name]-[hash].[ext]',
  })
  return outputs
}

/** The HTML of a page with its boot scripts as the first elements of the head that load something. */
async function withBootScripts(
  page: BuildArtifact,
  scripts: readonly BuildArtifact[],
  assets: string,
): Promise<Uint8Array> {
  const html = await page.text()
  const elements = scripts.map(({ path }) => `<script src="${assets}${basename(path)}"></script>`).join('')
  return new TextEncoder().encode(html.replace('<link', `${elements}<link`))
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
