/**
 * The contents that backups share: the files of deploys, each once by its SHA-256 in the directory `contents` beside
 * the backups. A backup lists in a table what it has there. A content has its name only once it is whole and on disk.
 */

import { existsSync, linkSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { openImmutable } from '../../database/open.ts'
import { type Layout, layoutOf } from '../../lib/contents/layout.ts'
import { filesDirectory } from '../../lib/contents/place.ts'
import { giveToOwner, makeDirectory } from '../../lib/file-owner.ts'
import { flush } from '../../lib/flush.ts'
import { isSystemError, systemReason } from '../../lib/system-error.ts'
import { assertSpace, copyFileTo, hashOf, save } from './files.ts'
import { unusableFile } from './inspect.ts'
import { changeCopy, hasTable } from './open.ts'
import { readBackupName } from './rules.ts'
import { isSealed } from './seal.ts'

/** A content that a backup has beside it. */
export interface BackupContent {
  /** SHA-256 in hexadecimal digits. */
  readonly hash: string
  readonly bytes: number
}

/** The directory of the contents that the backup at `file` shares; `pathOf` has the path of a content. */
export function contentsBeside(file: string): Layout {
  return layoutOf(join(dirname(resolve(file)), 'contents'))
}

const ready = "SELECT id FROM deploys WHERE state = 'ready'"

/**
 * The contents that a store needs, by the table that lists them: the files of its deploys, their compressed forms, and photos.
 */
export const neededContents: readonly (readonly [table: string, sql: string])[] = [
  ['deploy_files', `SELECT DISTINCT hash, size AS bytes FROM deploy_files WHERE deploy_id IN (${ready})`],
  ...['br', 'gzip'].map((form) => {
    const sql = `SELECT ${form} AS hash, ${form}_size AS bytes FROM content_encodings WHERE ${form} IS NOT NULL
      AND hash IN (SELECT hash FROM deploy_files WHERE deploy_id IN (${ready}))`
    return ['content_encodings', sql] as const
  }),
  ['photo_files', 'SELECT DISTINCT hash, bytes FROM photo_files'],
]

/** The contents that the backup at `path` has beside it: none of one that petstore 1.0.0 has made as a whole file. */
export function* contentsOf(path: string): Generator<BackupContent, void> {
  const database = openImmutable(path)
  try {
    if (!hasTable(database, 'backup_contents')) return
    const listed = database.query<BackupContent, []>('SELECT lower(hex(hash)) AS hash, bytes FROM backup_contents')
    for (const content of listed.iterate()) {
      // The backup may be somebody else's.
      if (content.hash.length !== 64) throw unusableFile(path, 'it lists a content that has no SHA-256')
      yield content
    }
  } finally {
    database.close()
  }
}

/**
 * Puts the contents that the copy of the database at `path` needs beside it, unless they are there, and lists them in
 * the copy. What is whole neither there nor in the store at `databasePath` is not listed. Throws `storage_unavailable`
 * with a message that begins with `failure` if the disk is too small.
 */
export function shareContents(path: string, databasePath: string, failure: string): void {
  changeCopy(path, (copy) => {
    copy.run('CREATE TABLE backup_contents (hash BLOB PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID')
    for (const [table, sql] of neededContents) {
      if (hasTable(copy, table)) copy.run(`INSERT OR IGNORE INTO backup_contents ${sql}`)
    }
  })
  const store = layoutOf(filesDirectory(databasePath))
  const lacking = gather(contentsOf(path), contentsBeside(path), [store], failure)
  if (lacking.length === 0) return
  changeCopy(path, (copy) => {
    const remove = copy.prepare('DELETE FROM backup_contents WHERE hash = unhex(?)')
    copy.transaction(() => {
      for (const hash of lacking) remove.run(hash)
    })()
  })
}

/**
 * Makes contents whole at `target`, from the first of `sources` that has them whole. Returns the hashes of those that
 * are whole nowhere. They are on disk when it returns. `failure` begins the message if the disk is too small.
 */
export function gather(
  contents: Iterable<BackupContent>,
  target: Layout,
  sources: readonly Layout[],
  failure: string,
): string[] {
  const lacking: string[] = []
  const copied: { readonly from: string; readonly to: string; readonly bytes: number }[] = []
  const changed = new Set<string>()
  for (const { hash, bytes } of contents) {
    const to = target.pathOf(hash)
    if (hashOf(to) === hash) continue
    const from = sources.map(({ pathOf }) => pathOf(hash)).find((path) => hashOf(path) === hash)
    if (from === undefined) {
      lacking.push(hash)
      continue
    }
    makeDirectory(dirname(to))
    changed.add(dirname(to))
    if (!isLinked(from, to)) copied.push({ from, to, bytes })
  }
  const bytes = copied.reduce((sum, copy) => sum + copy.bytes, 0)
  if (bytes > 0) assertSpace(target.directory, bytes, failure)
  for (const { from, to } of copied) {
    rmSync(unfinished(to), { force: true })
    copyFileTo(unfinished(to), from)
    giveToOwner(unfinished(to))
    renameSync(unfinished(to), to)
  }
  for (const directory of changed) flush(directory)
  if (changed.size > 0) flush(target.directory)
  return lacking
}

const unfinished = (path: string) => `${path}.unfinished`

/**
 * Whether `to` became another name of the file at `from`. Some file systems have no such names, and none spans two of
 * them.
 */
function isLinked(from: string, to: string): boolean {
  try {
    rmSync(unfinished(to), { force: true })
    linkSync(from, unfinished(to))
    renameSync(unfinished(to), to)
    return true
  } catch (error) {
    if (!isSystemError(error)) throw error
    return false
  }
}

/**
 * Saves a content, which has its name only once it is whole and on disk. Returns false, and saves nothing, if its hash
 * is another. Throws what reading it and the system throw.
 */
export async function saveContent(target: Layout, hash: string, content: AsyncIterable<Uint8Array>): Promise<boolean> {
  const path = target.pathOf(hash)
  makeDirectory(dirname(path))
  await save(unfinished(path), content)
  if (hashOf(unfinished(path)) !== hash) {
    rmSync(unfinished(path))
    return false
  }
  renameSync(unfinished(path), path)
  flush(dirname(path))
  flush(target.directory)
  return true
}

/** Whether a content is whole in one of the directories. */
export function isWholeIn(places: readonly Layout[], hash: string): boolean {
  return places.some(({ pathOf }) => hashOf(pathOf(hash)) === hash)
}

/** Whether a backup has contents beside it, none of which is in one of the directories: it was copied without them. */
export function isAlone(path: string, places: readonly Layout[]): boolean {
  let isListed = false
  for (const { hash } of contentsOf(path)) {
    if (places.some(({ pathOf }) => lstatSync(pathOf(hash), { throwIfNoEntry: false }))) return false
    isListed = true
  }
  return isListed
}

/**
 * Deletes the contents that no backup in `folder` lists, of either environment. The folder must be locked: a backup
 * that is being made lists its contents later than it has them. The copy of a damaged database, which has no seal, lists
 * none. Throws if any other backup cannot be read, which may list any.
 */
export function removeUnlisted(folder: string): void {
  const layout = contentsBeside(join(folder, 'any'))
  if (!existsSync(layout.directory)) return
  const listed = new Set<string>()
  // A file with another name may be a renamed backup.
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.db'))) {
    const file = join(folder, name)
    try {
      if (readBackupName(name)?.reason === 'before-restore' && !isSealed(file)) continue
      for (const { hash } of contentsOf(file)) listed.add(hash)
    } catch (cause) {
      throw isSystemError(cause) ? unusableFile(file, systemReason(cause), cause) : cause
    }
  }
  for (const prefix of readdirSync(layout.directory)) {
    if (prefix.length !== 2) continue
    for (const name of readdirSync(layout.directoryOf(prefix))) {
      const hash = layout.hashAt(prefix, name)
      const isLeft = hash === undefined ? name.endsWith('.unfinished') : !listed.has(hash)
      if (isLeft) rmSync(join(layout.directoryOf(prefix), name))
    }
  }
}
