/**
 * Statements over the files of deploys, the contents that accounts use, and compressed forms. A deploy may have
 * 20,000 files: every function here takes or returns a part of them, so that no transaction holds up the event loop.
 */

import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { contentTypeOf, type Encodings, type SiteFile } from './manifest.ts'
import { accountContents, accountStorage, contentEncodings, deployFiles } from './table.ts'

type EncodingColumns = Omit<typeof contentEncodings.$inferSelect, 'hash'>
type FileRow = Omit<typeof deployFiles.$inferSelect, 'deployId'> & EncodingColumns

/** The deploy that files belong to. */
export interface FileOwner {
  readonly id: number
  readonly accountId: number
}

const value = sql.placeholder
const { hash: _, ...forms } = getTableColumns(contentEncodings)

export function createFileRows(tables: Tables) {
  const fileRows = rowsOf(tables, deployFiles)
  const contents = rowsOf(tables, accountContents)
  const storage = rowsOf(tables, accountStorage)
  const isFile = and(eq(deployFiles.deployId, value('deployId')), eq(deployFiles.path, value('path')))
  const isContent = and(eq(accountContents.accountId, value('accountId')), eq(accountContents.hash, value('hash')))
  const files = () => {
    const { path, hash, size, modifiedAt } = deployFiles
    return tables
      .select({ path, hash, size, modifiedAt, ...forms })
      .from(deployFiles)
      .leftJoin(contentEncodings, eq(contentEncodings.hash, hash))
  }

  const fileAt = lazily(() => files().where(isFile).prepare())
  const filesAfter = lazily(() =>
    files()
      .where(and(eq(deployFiles.deployId, value('deployId')), gt(deployFiles.path, value('after'))))
      .orderBy(asc(deployFiles.path))
      .limit(value('limit'))
      .prepare(),
  )
  const addFile = lazily(() =>
    tables
      .insert(deployFiles)
      .values({
        deployId: value('deployId'),
        path: value('path'),
        hash: value('hash'),
        size: value('size'),
        modifiedAt: value('modifiedAt'),
      })
      .prepare(),
  )
  const uses = { uses: accountContents.uses }
  const useContent = lazily(() =>
    tables
      .insert(accountContents)
      .values({ accountId: value('accountId'), hash: value('hash'), size: value('size'), uses: 1 })
      .onConflictDoUpdate({
        target: [accountContents.accountId, accountContents.hash],
        set: { uses: sql`${accountContents.uses} + 1` },
      })
      .returning(uses)
      .prepare(),
  )
  const releaseContent = lazily(() =>
    tables
      .update(accountContents)
      .set({ uses: sql`${accountContents.uses} - 1` })
      .where(isContent)
      .returning(uses)
      .prepare(),
  )
  const addBytes = lazily(() =>
    tables
      .insert(accountStorage)
      .values({ accountId: value('accountId'), bytes: value('bytes') })
      .onConflictDoUpdate({
        target: accountStorage.accountId,
        set: { bytes: sql`${accountStorage.bytes} + excluded.bytes` },
      })
      .prepare(),
  )
  const isUsed = (hash: Buffer) => contents.list({ hash }, { limit: 1 }).length > 0

  return {
    ...createEncodingRows(tables, isUsed),
    /** Adds files to a deploy and counts their contents for its account. To be called in a transaction. */
    add({ id: deployId, accountId }: FileOwner, added: readonly SiteFile[]): void {
      let bytes = 0
      for (const { path, hash: name, size, modifiedMs: modifiedAt } of added) {
        const hash = bytesOfHash(name)
        addFile.run({ deployId, path, hash, size, modifiedAt })
        if (useContent.get({ accountId, hash, size })?.uses === 1) bytes += size
      }
      addBytes.run({ accountId, bytes })
    },
    /** Deletes up to `limit` files of a deploy; returns whether there were any. To be called in a transaction. */
    removeSome({ id: deployId, accountId }: FileOwner, limit: number): boolean {
      let bytes = 0
      const rows = filesAfter.all({ deployId, after: '', limit })
      for (const { path, hash, size } of rows) {
        fileRows.remove({ deployId, path })
        if (releaseContent.get({ accountId, hash })?.uses !== 0) continue
        contents.remove({ accountId, hash })
        bytes -= size
      }
      if (rows.length > 0) addBytes.run({ accountId, bytes })
      return rows.length > 0
    },
    /** The file of a deploy at a path. */
    find(deployId: number, path: string): SiteFile | undefined {
      const row = fileAt.get({ deployId, path })
      return row ? toFile(row) : undefined
    },
    /** At most `limit` files of a deploy with paths beyond `after` (in UTF-8), by path. */
    page: (deployId: number, after: string, limit: number): SiteFile[] =>
      filesAfter.all({ deployId, after, limit }).map(toFile),
    /** The size of the distinct contents that an account uses. */
    bytesOf: (accountId: number): number => storage.find({ accountId })?.bytes ?? 0,
    /** How many files of an account have a content. */
    usesOf: (accountId: number, hash: string): number =>
      contents.find({ accountId, hash: bytesOfHash(hash) })?.uses ?? 0,
  }
}
export type FileRows = ReturnType<typeof createFileRows>

/** The compressed forms of contents. `isUsed`: whether a deploy has the content. */
function createEncodingRows(tables: Tables, isUsed: (hash: Buffer) => boolean) {
  const compressed = rowsOf(tables, contentEncodings)
  const encodedAs = lazily(() => {
    const named = (column: typeof contentEncodings.br | typeof contentEncodings.gzip) =>
      tables
        .select({ hash: contentEncodings.hash })
        .from(contentEncodings)
        .where(eq(column, value('hash')))
    return named(contentEncodings.br).unionAll(named(contentEncodings.gzip)).limit(1).prepare()
  })
  const encodedAfter = lazily(() =>
    tables
      .select({ hash: contentEncodings.hash })
      .from(contentEncodings)
      .where(gt(contentEncodings.hash, value('after')))
      .orderBy(asc(contentEncodings.hash))
      .limit(value('limit'))
      .prepare(),
  )

  return {
    /** Whether a file of a deploy has this content, or a compressed form of it. */
    isReferenced(hash: string): boolean {
      const bytes = bytesOfHash(hash)
      return isUsed(bytes) || encodedAs.get({ hash: bytes }) !== undefined
    },
    /** The compressed forms of a content; undefined if it was not compressed yet. */
    encodingsOf(hash: string): Encodings | undefined {
      const row = compressed.find({ hash: bytesOfHash(hash) })
      return row ? toEncodings(row) : undefined
    },
    /** Records the compressed forms of a content. To be called in a transaction. */
    addEncodings(hash: string, { br, gzip }: Encodings): void {
      const row = {
        hash: bytesOfHash(hash),
        br: br ? bytesOfHash(br.hash) : null,
        brSize: br?.size ?? null,
        gzip: gzip ? bytesOfHash(gzip.hash) : null,
        gzipSize: gzip?.size ?? null,
      }
      compressed.put(row, 'hash')
    },
    /** Makes a content count as not compressed yet. To be called in a transaction. */
    dropEncodings: (hash: string): void => void compressed.remove({ hash: bytesOfHash(hash) }),
    /**
     * Deletes the compressed forms of contents that no deploy has, for at most `limit` contents beyond `after`. Returns
     * the last one that was looked at; undefined at the end. To be called in a transaction.
     */
    removeUnusedEncodings(after: string, limit: number): string | undefined {
      const rows = encodedAfter.all({ after: bytesOfHash(after), limit })
      for (const { hash } of rows) if (!isUsed(hash)) compressed.remove({ hash })
      const last = rows.at(-1)
      return last && rows.length === limit ? last.hash.toString('hex') : undefined
    },
  }
}

const bytesOfHash = (hash: string) => Buffer.from(hash, 'hex')

function toFile(row: FileRow): SiteFile {
  const { path, hash, size, modifiedAt: modifiedMs } = row
  const encodings = toEncodings(row)
  const file = { path, hash: hash.toString('hex'), size, contentType: contentTypeOf(path), modifiedMs }
  return encodings.br || encodings.gzip ? { ...file, encodings } : file
}

function toEncodings({ br, brSize, gzip, gzipSize }: EncodingColumns): Encodings {
  return {
    ...(br ? { br: { hash: br.toString('hex'), size: brSize ?? 0 } } : {}),
    ...(gzip ? { gzip: { hash: gzip.toString('hex'), size: gzipSize ?? 0 } } : {}),
  }
}
