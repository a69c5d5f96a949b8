/**
 * A whole file as `backup create` of petstore 1.0.0 made it, of a store with the animal Ada, a site of three files, four
 * compressed forms of them, and a certificate.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { StorePlace } from '../folder.ts'

export const wholeFileName = 'production-20261127T202212Z.db'

/** Writes it to the backups of a store. Returns its path. */
export function writeWholeFile({ databasePath }: Pick<StorePlace, 'databasePath'>): string {
  const path = join(dirname(databasePath), 'backups', wholeFileName)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, gunzipSync(readFileSync(join(import.meta.dir, 'whole-1.0.0.db.gz'))), { mode: 0o600 })
  return path
}
