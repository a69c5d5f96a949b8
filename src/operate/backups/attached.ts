/**
 * The files of a backup that are rows of a separate table: keys and certificates, so that they share its checksum. The
 * whole files that `backup create` of petstore 1.0.0 made have the files of deploys there, too; otherwise these are
 * shared contents (`contents.ts`). A restore writes all of them back and removes the tables.
 */

import type { Database } from 'bun:sqlite'
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openImmutable } from '../../database/open.ts'
import { certificatesDirectory } from '../../hosting/certificates/files/key-files.ts'
import { type Layout, layoutOf } from '../../lib/contents/layout.ts'
import { filesDirectory } from '../../lib/contents/place.ts'
import { AppError } from '../../lib/error.ts'
import { giveToOwner, makeDirectory } from '../../lib/file-owner.ts'
import { flush } from '../../lib/flush.ts'
import { contentsOf, gather, isWholeIn, neededContents } from './contents.ts'
import { hashOf, writeFully } from './files.ts'
import { changeCopy, hasTable } from './open.ts'

interface Kind {
  readonly directoryOf: (databasePath: string) => string
  /** The paths in the directory that belong to the store. */
  readonly paths: RegExp
}

const kinds: Readonly<Record<FileKind, Kind>> = {
  deploys: { directoryOf: filesDirectory, paths: /^[0-9a-f]{2}\/[0-9a-f]{62}$/ },
  certificates: { directoryOf: certificatesDirectory, paths: /^[0-9a-f-]{36}\.(key|pem)$/ },
}

type FileKind = 'deploys' | 'certificates'

/** Adds the certificates and keys beside `databasePath` to the copy of the database at `target`. */
export function attachCertificates(target: string, databasePath: string): void {
  const { directoryOf, paths } = kinds.certificates
  const directory = directoryOf(databasePath)
  if (!existsSync(directory)) return
  const files = readdirSync(directory, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && paths.test(entry.name),
  )
  if (files.length === 0) return
  changeCopy(target, (copy) => {
    copy.run('BEGIN')
    copy.run(`CREATE TABLE backup_files (
      id INTEGER PRIMARY KEY, kind TEXT NOT NULL, path TEXT NOT NULL, part INTEGER NOT NULL, content BLOB NOT NULL
    )`)
    const insert = copy.prepare(
      "INSERT INTO backup_files (kind, path, part, content) VALUES ('certificates', $path, 0, $content)",
    )
    for (const { name: path } of files) insert.run({ path, content: readFileSync(join(directory, path)) })
    copy.run('COMMIT')
  })
}

/**
 * The files that the database of a backup refers to: its deploys, their compressed forms, certificates and their keys.
 */
const neededFiles: readonly (readonly [table: string, sql: string])[] = [
  ...neededContents.map(
    ([table, sql]) => [table, `SELECT 'deploys' AS kind, lower(hex(hash)) AS name FROM (${sql})`] as const,
  ),
  ...['key', 'pem'].map((ending) => {
    const sql = `SELECT 'certificates' AS kind, file || '.${ending}' AS name FROM certificates WHERE file IS NOT NULL AND removed_at IS NULL`
    return ['certificates', sql] as const
  }),
]

/**
 * The number of files that the database of the backup at `path` refers to, but that it has neither in itself nor in one
 * of the directories of contents, or not with the content that they had at first.
 */
export function countDamaged(path: string, contents: readonly Layout[]): number {
  const database = openImmutable(path)
  try {
    const whole = hasTable(database, 'backup_files') ? wholeFiles(database) : new Set<string>()
    const needed = neededFiles.flatMap(([table, sql]) => (hasTable(database, table) ? [sql] : []))
    if (needed.length === 0) return 0
    const isShared = hasTable(database, 'backup_contents')
    let damaged = 0
    // A UNION has each file once. All of them would need much memory in a store with many deploys.
    const files = database.query<{ kind: string; name: string }, []>(needed.join(' UNION '))
    for (const { kind, name } of files.iterate()) {
      const isWhole = isShared && kind === 'deploys' ? isWholeIn(contents, name) : whole.has(`${kind} ${name}`)
      if (!isWhole) damaged++
    }
    return damaged
  } finally {
    database.close()
  }
}

/** The attached files, without those whose content is not what their name, a hash, promises. */
function wholeFiles(database: Database): Set<string> {
  const whole = new Set<string>()
  let last: { readonly kind: string; readonly name: string; readonly hash: Bun.CryptoHasher } | undefined
  const finish = () => {
    if (last && (last.kind !== 'deploys' || last.hash.digest('hex') === last.name))
      whole.add(`${last.kind} ${last.name}`)
  }
  const parts = database.query<Part, []>('SELECT kind, path, part, content FROM backup_files ORDER BY id')
  for (const { kind, path, part, content } of parts.iterate()) {
    if (part === 0) {
      finish()
      last = { kind, name: path.replace('/', ''), hash: new Bun.CryptoHasher('sha256') }
    }
    if (kind === 'deploys') last?.hash.update(content)
  }
  finish()
  return whole
}

interface Part {
  readonly kind: string
  readonly path: string
  readonly part: number
  readonly content: Uint8Array
}

/**
 * Writes the files of the backup at `incoming` to the directories beside `databasePath`, and removes their tables from
 * it. A file that is there stays if it has the content that its name, a hash, promises; the others are replaced.
 * `contents` are the directories in which shared contents are searched for.
 */
export function restoreFiles(incoming: string, databasePath: string, contents: readonly Layout[]): void {
  gather(contentsOf(incoming), layoutOf(filesDirectory(databasePath)), contents, 'Nothing was restored')
  changeCopy(incoming, (database) => {
    const tables = ['backup_files', 'backup_contents'].filter((table) => hasTable(database, table))
    if (tables.length === 0) return
    if (tables.includes('backup_files')) writeAttached(database, databasePath)
    for (const table of tables) database.run(`DROP TABLE ${table}`)
    database.run('VACUUM')
  })
}

function writeAttached(database: Database, databasePath: string): void {
  const parts = database.query<Part, []>('SELECT kind, path, part, content FROM backup_files ORDER BY id')
  const changed = new Set<string>()
  let open: { readonly path: string; readonly file: number } | undefined
  const finish = () => {
    if (!open) return
    fsyncSync(open.file)
    renameSync(`${open.path}.unfinished`, open.path)
    closeSync(open.file)
    changed.add(dirname(open.path))
    open = undefined
  }
  try {
    for (const { kind, path, part, content } of parts.iterate()) {
      const target = targetOf(databasePath, kind, path)
      if (part === 0) {
        finish()
        if (kind === 'deploys' && hashOf(target) === path.replace('/', '')) continue
        makeDirectory(dirname(target))
        rmSync(`${target}.unfinished`, { force: true })
        open = { path: target, file: openSync(`${target}.unfinished`, 'wx', 0o600) }
        giveToOwner(`${target}.unfinished`)
      }
      if (open?.path === target) writeFully(open.file, content)
    }
    finish()
  } catch (error) {
    if (open) {
      closeSync(open.file)
      rmSync(`${open.path}.unfinished`, { force: true })
    }
    throw error
  }
  for (const directory of changed) flush(directory)
}

/** Throws `invalid_body` for a path that is none of the store's: the backup may be somebody else's. */
function targetOf(databasePath: string, name: string, path: string): string {
  const kind = Object.hasOwn(kinds, name) ? kinds[name as FileKind] : undefined
  if (kind?.paths.test(path)) return join(kind.directoryOf(databasePath), path)
  throw new AppError('invalid_body', `The backup can't be used: it has a file with the name ${JSON.stringify(path)}.`)
}
