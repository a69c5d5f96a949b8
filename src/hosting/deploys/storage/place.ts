/** Where a store keeps the files of its deploys. */

import type { FileStore } from '../manifest.ts'
import { createFileStore, type FileStoreOptions } from './files.ts'
import { createTemporaryStore } from './temporary.ts'

/** The directory beside a database file: `production-files` beside `production.db`. */
export function filesDirectory(databasePath: string): string {
  return `${databasePath.replace(/\.db$/, '')}-files`
}

/** The file store of a database; a temporary one for `:memory:`. */
export function createStoreFiles(databasePath: string, options: FileStoreOptions = {}): FileStore {
  if (databasePath === ':memory:') return createTemporaryStore(options.nowMs ?? Date.now)
  return createFileStore(filesDirectory(databasePath), options)
}
