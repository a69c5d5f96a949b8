/**
 * Prepared statements over the files of deploys, the contents that accounts use, and compressed forms. A deploy may have
 * 20,000 files: every function here takes or returns a part of them, so that no transaction holds up the event loop.
 */

import type { Database } from 'bun:sqlite'
import type { Encodings } from './compress.ts'
import { contentTypeOf, type SiteFile, type StoredContent } from './manifest.ts'

interface FileRow {
  readonly path: string
  readonly hash: Uint8Array
  readonly size: number
  readonly modified_at: number
  readonly br: Uint8Array | null
  readonly br_size: number | null
  readonly gzip: Uint8Array | null
  readonly gzip_size: number | null
}

/** The deploy that files belong to. */
export interface FileOwner {
  readonly id: number
  readonly accountId: number
}

const fileColumns = `path, deploy_files.hash, size, modified_at, br, br_size, gzip, gzip_size
  FROM deploy_files LEFT JOIN content_encodings ON content_encodings.hash = deploy_files.hash`

export function createFileRows(connection: Database) {
  const prepare = <Row, Parameters extends Record<string, unknown>>(text: string) =>
    connection.prepare<Row, [Parameters & Record<string, string | number | Uint8Array | null>]>(text)

  const one = prepare<FileRow, { deploy: number; path: string }>(
    `SELECT ${fileColumns} WHERE deploy_id = $deploy AND path = $path`,
  )
  const some = prepare<FileRow, { deploy: number; after: string; limit: number }>(
    `SELECT ${fileColumns} WHERE deploy_id = $deploy AND path > $after ORDER BY path LIMIT $limit`,
  )
  const addFile = connection.prepare('INSERT INTO deploy_files VALUES (?, ?, ?, ?, ?)')
  const removeFile = connection.prepare('DELETE FROM deploy_files WHERE deploy_id = ? AND path = ?')
  const use = connection.prepare<{ uses: number }, [number, Uint8Array, number]>(
    `INSERT INTO account_contents VALUES (?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET uses = uses + 1 RETURNING uses`,
  )
  const release = connection.prepare<{ uses: number }, [number, Uint8Array]>(
    'UPDATE account_contents SET uses = uses - 1 WHERE account_id = ? AND hash = ? RETURNING uses',
  )
  const removeContent = connection.prepare('DELETE FROM account_contents WHERE account_id = ? AND hash = ?')
  const addBytes = connection.prepare(
    'INSERT INTO account_storage VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes',
  )
  const bytesOf = connection.prepare<{ bytes: number }, [number]>(
    'SELECT bytes FROM account_storage WHERE account_id = ?',
  )
  const usesOf = connection.prepare<{ uses: number }, [number, Uint8Array]>(
    'SELECT uses FROM account_contents WHERE account_id = ? AND hash = ?',
  )
  const reference = prepare<{ found: 1 }, { hash: Uint8Array }>(
    `SELECT 1 AS found FROM account_contents WHERE hash = $hash
     UNION ALL SELECT 1 FROM content_encodings WHERE br = $hash
     UNION ALL SELECT 1 FROM content_encodings WHERE gzip = $hash LIMIT 1`,
  )
  const encodings = connection.prepare<Omit<FileRow, 'path'>, [Uint8Array]>(
    'SELECT br, br_size, gzip, gzip_size FROM content_encodings WHERE hash = ?',
  )
  const addEncodings = connection.prepare('INSERT OR REPLACE INTO content_encodings VALUES (?, ?, ?, ?, ?)')
  const dropEncodings = connection.prepare('DELETE FROM content_encodings WHERE hash = ?')
  const encodedAfter = connection.prepare<{ hash: Uint8Array }, [Uint8Array, number]>(
    'SELECT hash FROM content_encodings WHERE hash > ? ORDER BY hash LIMIT ?',
  )
  const removeEncodings = connection.prepare(
    `DELETE FROM content_encodings
     WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM account_contents WHERE hash = ?1)`,
  )

  return {
    /** Adds files to a deploy and counts their contents for its account. To be called in a transaction. */
    add({ id, accountId }: FileOwner, files: readonly SiteFile[]): void {
      let added = 0
      for (const { path, hash, size, modifiedMs } of files) {
        const bytes = bytesOfHash(hash)
        addFile.run(id, path, bytes, size, modifiedMs)
        if (use.get(accountId, bytes, size)?.uses === 1) added += size
      }
      addBytes.run(accountId, added)
    },
    /** Deletes up to `limit` files of a deploy; returns whether there were any. To be called in a transaction. */
    removeSome({ id, accountId }: FileOwner, limit: number): boolean {
      let removed = 0
      const rows = some.all({ deploy: id, after: '', limit })
      for (const { path, hash, size } of rows) {
        removeFile.run(id, path)
        if (release.get(accountId, hash)?.uses !== 0) continue
        removeContent.run(accountId, hash)
        removed += size
      }
      if (rows.length > 0) addBytes.run(accountId, -removed)
      return rows.length > 0
    },
    /** The file of a deploy at a path. */
    find(deploy: number, path: string): SiteFile | undefined {
      const row = one.get({ deploy, path })
      return row ? toFile(row) : undefined
    },
    /** At most `limit` files of a deploy with paths beyond `after` (in UTF-8), by path. */
    page: (deploy: number, after: string, limit: number): SiteFile[] => some.all({ deploy, after, limit }).map(toFile),
    /** The size of the distinct contents that an account uses. */
    bytesOf: (accountId: number): number => bytesOf.get(accountId)?.bytes ?? 0,
    /** How many files of an account have a content. */
    usesOf: (accountId: number, hash: string): number => usesOf.get(accountId, bytesOfHash(hash))?.uses ?? 0,
    /** Whether a file of a deploy has this content, or a compressed form of it. */
    isReferenced: (hash: string): boolean => reference.get({ hash: bytesOfHash(hash) }) !== null,
    /** The compressed forms of a content; undefined if it was not compressed yet. */
    encodingsOf(hash: string): Encodings | undefined {
      const row = encodings.get(bytesOfHash(hash))
      return row ? toEncodings(row) : undefined
    },
    /** Records the compressed forms of a content. To be called in a transaction. */
    addEncodings(hash: string, { br, gzip }: Encodings): void {
      const columns = (form: StoredContent | undefined) => (form ? [bytesOfHash(form.hash), form.size] : [null, null])
      addEncodings.run(bytesOfHash(hash), ...columns(br), ...columns(gzip))
    },
    /** Makes a content count as not compressed yet. To be called in a transaction. */
    dropEncodings: (hash: string): void => void dropEncodings.run(bytesOfHash(hash)),
    /**
     * Deletes the compressed forms of contents that no deploy has, for at most `limit` contents beyond `after`. Returns the
     * last one that was looked at; undefined at the end. To be called in a transaction.
     */
    removeUnusedEncodings(after: string, limit: number): string | undefined {
      const rows = encodedAfter.all(Buffer.from(after, 'hex'), limit)
      for (const { hash } of rows) removeEncodings.run(hash)
      const last = rows.at(-1)
      return last && rows.length === limit ? hexOf(last.hash) : undefined
    },
  }
}
export type FileRows = ReturnType<typeof createFileRows>

const bytesOfHash = (hash: string) => Buffer.from(hash, 'hex')
const hexOf = (hash: Uint8Array) => Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex')

function toFile(row: FileRow): SiteFile {
  const { path, hash, size, modified_at: modifiedMs } = row
  const encodings = toEncodings(row)
  const file = { path, hash: hexOf(hash), size, contentType: contentTypeOf(path), modifiedMs }
  return encodings.br || encodings.gzip ? { ...file, encodings } : file
}

function toEncodings({ br, br_size, gzip, gzip_size }: Omit<FileRow, 'path'>): Encodings {
  return {
    ...(br ? { br: { hash: hexOf(br), size: br_size ?? 0 } } : {}),
    ...(gzip ? { gzip: { hash: hexOf(gzip), size: gzip_size ?? 0 } } : {}),
  }
}
