/**
 * The addresses of a deploy, as docs/decisions/0022-sites.md lists them. An address costs at most three look-ups of
 * files, and a path that leaves the deploy cannot be expressed.
 */

import { pathOf } from '../../api/target.ts'
import { isReserved, type SiteFile } from '../deploys/manifest.ts'

/** Finds the file of a deploy that has exactly this path. */
export type FindFile = (path: string) => SiteFile | undefined

/** A file, or the path of another address that serves it, percent-encoded. */
export type Target = { readonly file: SiteFile } | { readonly location: string }

/** Deploys have no longer paths: this avoids look-ups. */
const maximumPathLength = 1_024

/** The target of a path, which is decoded and without the first slash. */
export function targetOf(find: FindFile, path: string): Target | undefined {
  if (path.length > maximumPathLength) return undefined
  const served = (file: string) => (isServed(file) ? find(file) : undefined)
  const isDirectory = path === '' || path.endsWith('/')
  const exact = isDirectory ? undefined : served(path)
  if (exact) return { file: exact }
  if (isReserved(path)) return undefined
  if (isDirectory) {
    const index = served(`${path}index.html`)
    if (index) return { file: index }
    const name = path.slice(0, -1)
    if (hasPage(name) && served(`${name}.html`)) return { location: encoded(name) }
    return directoryPage(name)
  }
  const page = hasPage(path) ? served(`${path}.html`) : undefined
  if (page) return { file: page }
  if (served(`${path}/index.html`)) return { location: encoded(`${path}/`) }
  return directoryPage(path)

  /** The address of the directory whose page `name` and `.html` is. */
  function directoryPage(name: string): Target | undefined {
    return isIndex(name) && served(`${name}.html`) ? { location: encoded(name.slice(0, -'index'.length)) } : undefined
  }
}

/** Whether `name` and `.html` can be a separate page: `index.html` belongs to its directory. */
function hasPage(name: string): boolean {
  return name !== '' && !name.endsWith('/') && !isIndex(name)
}

function isIndex(name: string): boolean {
  return name === 'index' || name.endsWith('/index')
}

/** The path of a request as `targetOf` takes it; undefined for one that cannot be the path of a file. */
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
