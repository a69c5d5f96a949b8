/** Checks the files of a website before they are packed: the problem, and which files to choose instead. */

import { countOf } from '../../ui/format.ts'
import { isArchive } from './collect-files.ts'

const mostFiles = 20_000
const namedFolders = 3

/** `paths` are those of the files in the website. Undefined if they can be published. */
export function filesProblem(paths: readonly string[]): string | undefined {
  const [only = ''] = paths
  if (paths.length === 0) return 'There are no files in it. Choose the folder that has index.html in it.'
  if (paths.length > mostFiles) {
    return `These are ${countOf(paths.length, 'file')}. At most ${countOf(mostFiles, 'file')} fit: leave some out.`
  }
  if (isSingleArchive(paths) || paths.some((path) => path.toLowerCase() === 'index.html')) return undefined
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
  return 'There is no index.html in it, the first page of a website. Choose the folder that your website builder writes, often called dist or build.'
}

export const isSingleArchive = (paths: readonly string[]): boolean => paths.length === 1 && isArchive(paths[0] ?? '')

/** The folders that have an index.html, nearest to the top. */
function foldersWithPage(paths: readonly string[]): readonly string[] {
  const folders = paths.flatMap((path) => /^(.+)\/index\.html$/i.exec(path)?.[1] ?? [])
  const depthOf = (folder: string) => folder.split('/').length
  const nearest = folders.reduce((least, folder) => Math.min(least, depthOf(folder)), Number.POSITIVE_INFINITY)
  return folders.filter((folder) => depthOf(folder) === nearest)
}
