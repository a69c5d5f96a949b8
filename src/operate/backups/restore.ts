/**
 * Replaces the store's database by a backup. No other process may have the old one open meanwhile. If the process is
 * killed at any moment, the database is wholly the old one or wholly the new one: the new file is complete and on the
 * disk before one rename puts it in place.
 */

import { dirname } from 'node:path'
import { lockForServing } from '../../database/lock.ts'
import { migrate } from '../../database/migrate.ts'
import { removeUpgradeMark } from '../../database/upgrade-mark.ts'
import { type Layout, layoutOf } from '../../lib/contents/layout.ts'
import { filesDirectory } from '../../lib/contents/place.ts'
import { giveToOwner } from '../../lib/file-owner.ts'
import { flush } from '../../lib/flush.ts'
import { restoreFiles } from './attached.ts'
import { contentsBeside } from './contents.ts'
import { copyFileTo, explained } from './files.ts'
import { type BackupFolder, openBackupFolder, type StorePlace } from './folder.ts'
import { changeCopy } from './open.ts'
import { holdDatabase, type Previous } from './previous.ts'
import { wholeSecond } from './rules.ts'
import { unseal } from './seal.ts'
import { assertFinished, type Verified, verifyCopy } from './verify.ts'

export interface Restored extends Verified {
  /** Path at which the old database is kept; null if there was none. */
  readonly previous: string | null
  /** Paths at which the logs of a database that was lost are kept. */
  readonly previousLogs: readonly string[]
  /** Whether certificates, mail and webhooks wait for the owner: the backup is not of the store that was here. */
  readonly isHeld: boolean
}

/**
 * Throws `conflict` if a server or a command uses the store, `not_found` or `invalid_body` if the file can't be
 * restored, `storage_unavailable` if the system fails. The store is unchanged then.
 */
export function restoreBackup(file: string, place: StorePlace, now: () => number): Restored {
  return restoreWith(markRestored, file, place, now)
}

/**
 * Puts the backup of a store back that nobody has used since: sessions and set-up links stay, and so does the schema of
 * an older petstore, which is to open it. Throws what `restoreBackup` throws.
 */
export function putBack(file: string, place: StorePlace, now: () => number): Restored {
  return restoreWith(() => false, file, place, now)
}

/**
 * Changes the new database at `path` before it takes the place of the previous one; returns whether it waits for its
 * owner.
 */
type Mark = (path: string, previous: Previous, nowMs: number) => boolean

function restoreWith(mark: Mark, file: string, place: StorePlace, now: () => number): Restored {
  assertFinished(file)
  try {
    const unlock = lockForServing(place.databasePath)
    try {
      removeUpgradeMark(place.databasePath)
      using folder = openBackupFolder(place.databasePath)
      return restore(mark, file, place, folder, wholeSecond(now()))
    } finally {
      unlock()
    }
  } catch (cause) {
    throw explained('Nothing was restored', cause)
  }
}

function restore(mark: Mark, file: string, place: StorePlace, folder: BackupFolder, nowMs: number): Restored {
  copyFileTo(folder.incoming, file)
  const contents = sourcesOf(file, folder, place)
  // The copy is verified instead of the original, because no other process changes the copy afterwards.
  const verified = verifyCopy(folder.incoming, place.environment, file, contents)
  if (verified.createdAt !== null) unseal(folder.incoming)
  giveToOwner(folder.incoming)
  return { ...verified, ...replace(mark, place, folder, contents, nowMs) }
}

/**
 * Where shared contents are searched for: a copy of the backup that lies elsewhere may have been made on this machine.
 */
function sourcesOf(file: string, folder: BackupFolder, { databasePath }: StorePlace): Layout[] {
  return [contentsBeside(file), contentsBeside(folder.unfinished), layoutOf(filesDirectory(databasePath))]
}

/** Marks the new database, puts it in place and returns the paths at which the old one or its logs are kept. */
function replace(
  mark: Mark,
  place: StorePlace,
  folder: BackupFolder,
  contents: readonly Layout[],
  nowMs: number,
): Pick<Restored, 'previous' | 'previousLogs' | 'isHeld'> {
  const old = holdDatabase(place)
  try {
    const isHeld = mark(folder.incoming, old, nowMs)
    const previous = old.keepAside(folder, nowMs)
    restoreFiles(folder.incoming, place.databasePath, contents)
    flush(folder.incoming)
    const previousLogs = old.replaceBy(folder.incoming)
    flush(dirname(place.databasePath))
    return { previous, previousLogs, isHeld }
  } finally {
    old.release()
  }
}

/**
 * Deletes the sessions and set-up links of the dashboard, which the owner may have ended since the backup was made.
 * Holds the store if it replaces no store of which it is a backup: another machine may run that one.
 */
function markRestored(path: string, previous: Previous, nowMs: number): boolean {
  return changeCopy(path, (database) => {
    migrate(database, { isNew: false })
    for (const table of ['owner_sessions', 'setup_links']) database.run(`DELETE FROM ${table}`)
    const id = database.query<{ cookie_id: string }, []>('SELECT cookie_id FROM installation').get()?.cookie_id ?? ''
    const isHeld = !previous.isStore(id)
    database.run('UPDATE installation SET restored_at = ?', [isHeld ? nowMs : null])
    database.run('UPDATE webhooks SET held_since = ? WHERE is_enabled', [nowMs])
    return isHeld
  })
}
