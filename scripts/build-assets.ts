/**
 * Bundles the web pages into dist/assets, compresses every file with brotli and gzip, and writes
 * src/server/assets/embedded.js, which imports them all so that `bun build --compile` puts them into the executable.
 */

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BuildArtifact } from 'bun'
import { licensesText } from './licenses.ts'

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
  /** Whether the page links to the licences of the packages. */
  readonly hasLicenses?: boolean
}

/** A file that the server sends. */
interface Output {
  readonly name: string
  /** The value of `Content-Type`. */
  readonly type: string
  readonly bytes: Uint8Array
}

const pages: readonly Page[] = [
  { name: 'docs', entry: 'src/web/docs/docs.html', path: '/docs', assets: '/docs/assets/' },
  {
    name: 'dashboard',
    entry: 'src/web/dashboard/index.html',
    path: '/dashboard/',
    assets: '/dashboard/assets/',
    boot: 'src/web/dashboard/boot.ts',
    hasLicenses: true,
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
  `${root}/src/server/assets/embedded.js`,
  `/** Written by scripts/build-assets.ts. */\n${imports.join('\n')}\n\n${exported.join('\n')}\n`,
)

/** Builds one page; returns the text of its export. */
async function build(page: Page): Promise<string> {
  const { name, path, assets } = page
  const directory = `${root}/dist/assets/${name}`
  mkdirSync(directory, { recursive: true })
  const kept = new Set<string>()
  const files: string[] = []
  for (const { name: fileName, type, bytes } of await outputsOf(page)) {
    const stored = await store(directory, fileName, bytes)
    for (const one of Object.values(stored)) kept.add(one)
    const codings = Object.entries(stored).map(([coding, storedName]) => {
      const identifier = `file${imports.length}`
      imports.push(`import ${identifier} from '../../../dist/assets/${name}/${storedName}' with { type: 'file' }`)
      return `${coding}: ${identifier}`
    })
    const url = fileName.endsWith('.html') ? path : `${assets}${fileName}`
    files.push(`  { path: '${url}', type: '${type}', hash: '${hashOf(bytes)}', codings: { ${codings.join(', ')} } },`)
  }
  for (const old of readdirSync(directory)) if (!kept.has(old)) rmSync(`${directory}/${old}`)
  return `export const ${name} = [\n${files.join('\n')}\n]`
}

function hashOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 16)
}

async function outputsOf({ entry, assets, boot, hasLicenses = false }: Page): Promise<Output[]> {
  const scripts = boot === undefined ? [] : await bundle(boot, assets, 'iife')
  const licenses = hasLicenses ? [licensesOutput()] : []
  const elements = [
    ...scripts.map(({ path }) => `<script src="${assets}${basename(path)}"></script>`),
    ...licenses.map(({ name }) => `<link rel="license" href="${assets}${name}">`),
  ]
  const outputs: Output[] = licenses
  for (const output of [...(await bundle(entry, assets)), ...scripts]) {
    const name = basename(output.path)
    const bytes = name.endsWith('.html')
      ? withElements(await output.text(), elements)
      : new Uint8Array(await output.arrayBuffer())
    outputs.push({ name, type: output.type.replace(';charset', '; charset'), bytes })
  }
  return outputs
}

function licensesOutput(): Output {
  const bytes = new TextEncoder().encode(licensesText())
  return { name: `licenses-${hashOf(bytes)}.txt`, type: 'text/plain; charset=utf-8', bytes }
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

/**
 * The HTML of a page with these elements before all others of its head that load something: scripts run before the
 * first paint.
 */
function withElements(html: string, elements: readonly string[]): Uint8Array {
  return new TextEncoder().encode(html.replace('<link', `${elements.join('')}<link`))
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
