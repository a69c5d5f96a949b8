/** The files of a website: those of a dropped or chosen folder, with their paths in the website, and what is wrong with them. */

import { countOf } from '../ui/format.ts'

export interface SiteFile {
  /** With slashes, without a leading one. */
  readonly path: string
  readonly file: File
}

/** Archives are sent as they are. */
const isArchive = (name: string): boolean => /\.(zip|tgz|tar\.gz)$/i.test(name)

/** The files of a drop, also of folders in it. */
export async function filesOfDrop(items: DataTransferItemList): Promise<readonly SiteFile[]> {
  // The entries are gone after the first pause.
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  const found: SiteFile[] = []
  for (const entry of entries) await collect(entry, '', found)
  return withoutTopFolder(found)
}

/** The files of an `<input type="file">`, with or without folders. */
export function filesOfInput(files: FileList): readonly SiteFile[] {
  return withoutTopFolder([...files].map((file) => ({ path: file.webkitRelativePath || file.name, file })))
}

async function collect(entry: FileSystemEntry, folder: string, found: SiteFile[]): Promise<void> {
  const path = folder === '' ? entry.name : `${folder}/${entry.name}`
  // Chromium has no global FileSystemFileEntry.
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    found.push({ path, file })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // A reader gives at most 100 entries at once.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return
    for (const one of some) await collect(one, path, found)
  }
}

/** A dropped folder is the website itself, not a folder in it. */
function withoutTopFolder(files: readonly SiteFile[]): readonly SiteFile[] {
  const [top] = files[0]?.path.split('/') ?? []
  const isShared = files.length > 0 && files.every(({ path }) => path.startsWith(`${top}/`))
  const stripped = isShared ? files.map(({ path, file }) => ({ path: path.slice(`${top}/`.length), file })) : files
  return stripped.filter(({ path }) => isPublished(path))
}

/** Hidden files are not part of a website, except those below .well-known (RFC 8615). */
function isPublished(path: string): boolean {
  return path.split('/').every((name, index) => !name.startsWith('.') || (index === 0 && name === '.well-known'))
}

const mostFiles = 20_000
const namedFolders = 3

/**
 * `paths` are those of the files in the website. Undefined if they can be published. The web shop has a first page, and files
 * replace single pages of it.
 */
export function filesProblem(paths: readonly string[], hasWebshop = false): string | undefined {
  const [only = ''] = paths
  if (paths.length === 0) return 'There are no files in it. Choose the folder that has index.html in it.'
  if (paths.length > mostFiles) {
    return `These are ${countOf(paths.length, 'file')}, and at most ${countOf(mostFiles, 'file')} are allowed. Leave some out.`
  }
  if (hasWebshop || isSingleArchive(paths) || paths.some((path) => path.toLowerCase() === 'index.html'))
    return undefined
  const folders = foldersWithPage(paths)
  if (folders.length === 1) return `The website is in the folder “${folders[0]}” inside. Choose that folder.`
  if (folders.length > 1) {
    const named = folders.slice(0, namedFolders).map((folder) => `“${folder}”`)
    return `There are several websites in it: ${named.join(', ')}${folders.length > namedFolders ? '…' : ''}. Choose one of these folders.`
  }
  if (paths.length === 1 && /^[^/]+\.html?$/i.test(only)) {
    return `The first page of a website is called index.html. Rename ${only}, or choose the folder of the website.`
  }
  if (paths.length === 1) return `${only} is only one file of a website. Choose the folder that has index.html in it.`
  return 'There is no index.html in it, the first page of a website. Choose the folder that your website builder creates, often called dist or build.'
}

export const isSingleArchive = (paths: readonly string[]): boolean => paths.length === 1 && isArchive(paths[0] ?? '')

/** The folders that have an index.html, nearest to the top. */
function foldersWithPage(paths: readonly string[]): readonly string[] {
  const folders = paths.flatMap((path) => /^(.+)\/index\.html$/i.exec(path)?.[1] ?? [])
  const depthOf = (folder: string) => folder.split('/').length
  const nearest = folders.reduce((least, folder) => Math.min(least, depthOf(folder)), Number.POSITIVE_INFINITY)
  return folders.filter((folder) => depthOf(folder) === nearest)
}
