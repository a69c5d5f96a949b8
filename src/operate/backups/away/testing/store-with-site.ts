/** A store with a site on disk, whose backups of the schedule have contents beside them. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openDatabase } from '../../../../database/open.ts'
import { layoutOf } from '../../../../lib/contents/layout.ts'
import { filesDirectory } from '../../../../lib/contents/place.ts'
import { emptyFolder } from '../../../../testing/executable.ts'
import { createBackup } from '../../create.ts'
import type { StorePlace } from '../../folder.ts'

export const noon = Date.UTC(2026, 10, 20, 12)
export const dayMs = 86_400_000
export const sha256 = (content: string | Uint8Array) => new Bun.CryptoHasher('sha256').update(content).digest('hex')

export function createStoreWithSite(contents: readonly string[]) {
  const folder = emptyFolder()
  const place: StorePlace = { databasePath: join(folder.path, 'data/production.db'), environment: 'production' }
  mkdirSync(dirname(place.databasePath))
  let deploys = 0

  function addContent(content: string): void {
    const { connection, close } = openDatabase(place.databasePath, 0)
    const id = ++deploys
    connection.run(
      "INSERT INTO deploys (id, project_id, account_id, state, created_at, created_by, file_count, bytes) VALUES (?, 1, 1, 'ready', 0, 'key:1', 1, 1)",
      [id],
    )
    connection.run(
      'INSERT INTO deploy_files (deploy_id, path, hash, size, modified_at) VALUES (?, ?, unhex(?), ?, 0)',
      [id, `${id}.html`, sha256(content), content.length],
    )
    close()
    const path = layoutOf(filesDirectory(place.databasePath)).pathOf(sha256(content))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { mode: 0o600 })
  }

  for (const content of contents) addContent(content)
  return {
    folder,
    place,
    addContent,
    /** Makes a backup of the schedule; returns its path. */
    backUp: (at = noon) => createBackup(place, () => at, 'scheduled').file,
  }
}
export type StoreWithSite = ReturnType<typeof createStoreWithSite>
