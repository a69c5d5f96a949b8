/** Deploys, their files, and the stored contents that each account uses. */

import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** `preparing` until all files are recorded; `removed` while they are deleted. Only `ready` ones are shown. */
export const deployStates = ['preparing', 'ready', 'removed'] as const

export const deploys = sqliteTable(
  'deploys',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Without a foreign key: the files of a deleted project's deploys are deleted after it, in steps. */
    projectId: integer('project_id').notNull(),
    accountId: integer('account_id').notNull(),
    state: text({ enum: deployStates }).notNull(),
    /** Unix milliseconds, as are all times. */
    createdAt: integer('created_at').notNull(),
    /** The actor as in the audit log. */
    createdBy: text('created_by').notNull(),
    fileCount: integer('file_count').notNull(),
    /** The size of all files together. */
    bytes: integer().notNull(),
    /** The order in which deploys last went live. It doesn't depend on the clock, which may be set back. */
    liveOrder: integer('live_order'),
    liveAt: integer('live_at'),
    /** When somebody last promoted it. Null if it went live only once, when it was created. */
    promotedAt: integer('promoted_at'),
    /** When its text files had been compressed. */
    compressedAt: integer('compressed_at'),
  },
  (table) => [
    index('deploys_by_project').on(table.projectId, table.id),
    index('deploys_by_live_order').on(table.liveOrder),
    index('deploys_by_account').on(table.accountId, table.id),
    index('deploys_by_state').on(table.state, table.id),
  ],
)

/** The manifests. WITHOUT ROWID, as are the two tables of contents: their rows are found by the key alone. */
export const deployFiles = sqliteTable(
  'deploy_files',
  {
    deployId: integer('deploy_id').notNull(),
    path: text().notNull(),
    /** SHA-256 of the content. */
    hash: blob({ mode: 'buffer' }).notNull(),
    size: integer().notNull(),
    modifiedAt: integer('modified_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.deployId, table.path] })],
)

/** The distinct contents of an account, each with the number of its files that have it. */
export const accountContents = sqliteTable(
  'account_contents',
  {
    accountId: integer('account_id').notNull(),
    hash: blob({ mode: 'buffer' }).notNull(),
    size: integer().notNull(),
    uses: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.hash] }), index('account_contents_by_hash').on(table.hash)],
)

/** The sum of the sizes in `account_contents`. */
export const accountStorage = sqliteTable('account_storage', {
  accountId: integer('account_id').primaryKey(),
  bytes: integer().notNull(),
})

/** The compressed forms of a content; null where one would save less than a tenth. */
export const contentEncodings = sqliteTable(
  'content_encodings',
  {
    hash: blob({ mode: 'buffer' }).primaryKey(),
    br: blob({ mode: 'buffer' }),
    brSize: integer('br_size'),
    gzip: blob({ mode: 'buffer' }),
    gzipSize: integer('gzip_size'),
  },
  (table) => [index('content_encodings_by_br').on(table.br), index('content_encodings_by_gzip').on(table.gzip)],
)
