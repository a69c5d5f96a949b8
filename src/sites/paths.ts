/**
 * The addresses of a deploy, as docs/decisions/0022-sites.md lists them. Built once for each deploy: a request costs one
 * look-up in a map, and a path that leaves the deploy can not be expressed.
 */

import { isReserved, type Manifest, type SiteFile } from '../deploys/manifest.ts'
import { pathOf } from '../http/target.ts'

/** A file, or the path of another address that serves it, percent-encoded. */
export type Target = { readonly file: SiteFile } | { readonly location: string }

/** The targets of a deploy by path, which is decoded and without the first slash. */
export function createPathTable(manifest: Manifest): ReadonlyMap<string, Target> {
  const served = manifest.filter(({ path }) => isServed(path))
  const targets = new Map<string, Target>(served.map((file) => [file.path, { file }]))
  // The addresses in the order of their precedence: a later one never replaces an earlier one.
  const add = (path: string, target: Target) => {
    if (!targets.has(path) && !isReserved(path)) targets.set(path, target)
  }
  const indexes: Named[] = []
  const pages: Named[] = []
  for (const file of served) {
    const { path } = file
    if (path === 'index.html' || path.endsWith('/index.html')) indexes.push({ file, name: path.slice(0, -10) })
    else if (path.endsWith('.html')) pages.push({ file, name: path.slice(0, -5) })
  }
  for (const { file, name } of pages) add(name, { file })
  for (const { file, name } of indexes) add(name, { file })
  for (const { name } of indexes) if (name !== '') add(name.slice(0, -1), { location: encoded(name) })
  for (const { name } of pages) add(`${name}/`, { location: encoded(name) })
  return targets
}

/** A file with the path that it has without `index.html` or `.html`. */
interface Named {
  readonly file: SiteFile
  readonly name: string
}

/** The path of a request as `createPathTable` has it; undefined for one that can not be the path of a file. */
export function requestedPath(url: string): string | undefined {
  const path = pathOf(url).slice(1)
  if (!path.includes('%')) return path
  // An encoded slash belongs to a name (RFC 3986 section 2.2), and no file has one in its name.
  if (/%2f/i.test(path)) return undefined
  try {
    return decodeURIComponent(path).normalize('NFC')
  } catch {
    return undefined
  }
}

/** A part of a path that is empty or begins with a dot. */
const hiddenPart = /(?:^|\/)(?:\.|\/|$)/

/** Whether requests can reach a file: hidden files are not served, and challenges are not a deploy's to respond to. */
function isServed(path: string): boolean {
  const visible = path.startsWith('.well-known/') ? path.slice(12) : path
  return !hiddenPart.test(visible) && !isReserved(path) && path.isWellFormed()
}

function encoded(path: string): string {
  return `/${path.split('/').map(encodeURIComponent).join('/')}`
}
