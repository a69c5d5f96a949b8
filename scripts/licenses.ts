/** The packages in the executable, and their licences as one text. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dir, '..')

/** Packages that only compilers use; others name them as peers. */
const unbundled = /^(@types\/|typescript$|bun-types$|csstype$)/
/** `swagger-ui-bundle.js.LICENSE.txt` has those of what a package has bundled itself. */
const fileNames = /^(licen[cs]e|notice|copying)([.-].*)?$|\.licen[cs]e\.txt$/i

export interface Package {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly author?: string | { readonly name?: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** All dependencies in package.json and theirs, by name and version, with the directory of each. */
export function bundledPackages(): (Package & { readonly directory: string })[] {
  const found = new Map<string, Package & { readonly directory: string }>()
  collect(root, found)
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** One text with the licences of all packages. */
export function licensesText(): string {
  return `${introduction}\n${bundledPackages()
    .map(({ directory }) => textOf(directory))
    .join('\n')}`
}

const introduction = `Third-party licences

petstore contains the packages below, and the Bun runtime, whose licences are at https://bun.com/docs/project/license.
`

const manifestOf = (directory: string): Package => JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))

/** Adds the packages that the one in `directory` needs. */
function collect(directory: string, found: Map<string, Package & { readonly directory: string }>): void {
  const { dependencies, peerDependencies } = manifestOf(directory)
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    const place = unbundled.test(name) ? undefined : placeOf(name, directory)
    if (place === undefined) continue
    const manifest = manifestOf(place)
    const key = `${name} ${manifest.version}`
    if (found.has(key)) continue
    found.set(key, { ...manifest, directory: place })
    collect(place, found)
  }
}

/** Where a package finds another one; undefined for a peer that is not installed. */
function placeOf(name: string, from: string): string | undefined {
  for (let directory = from; directory.startsWith(root); directory = resolve(directory, '..')) {
    const place = join(directory, 'node_modules', name)
    if (existsSync(join(place, 'package.json'))) return place
  }
  return undefined
}

function textOf(place: string): string {
  const { name, version, license = 'see its source', author } = manifestOf(place)
  const files = readdirSync(place).filter((file) => fileNames.test(file))
  const writer = typeof author === 'string' ? author : author?.name
  const texts = files.map((file) => readFileSync(join(place, file), 'utf8').trim())
  if (texts.length === 0 && writer !== undefined) texts.push(`By ${writer}.`)
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`
}
