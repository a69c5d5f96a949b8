/** Where a store keeps the files of its deploys. */

import { lstatSync, mkdtempSync, rmSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { lockFile } from '../../../database/lock.ts'
import { AppError } from '../../../lib/error.ts'
import { systemReason } from '../../../lib/system-error.ts'
import type { FileStore } from '../manifest.ts'
import { createFileStore, type FileStoreOptions } from './files.ts'

/** The directory beside a database file: `production-files` beside `production.db`. */
export function filesDirectory(databasePath: string): string {
  return `${databasePath.replace(/\.db$/, '')}-files`
}

/** The file store of a database; a temporary one for `:memory:`. */
export function createStoreFiles(databasePath: string, options: FileStoreOptions = {}): FileStore {
  if (databasePath === ':memory:') return createTemporaryStore(options.nowMs ?? Date.now)
  return createFileStore(filesDirectory(databasePath), options)
}

const prefix = 'petstore-ephemeral-'
/** A directory of this age without a lock is not just being made. */
const unlockedMs = 60_000

/**
 * Makes the directory at the first use, which throws `storage_unavailable` if that fails. `removeAbandoned` deletes those
 * of killed processes.
 */
function createTemporaryStore(nowMs: () => number): FileStore {
  let opened: ReturnType<typeof make> | undefined
  const open = () => {
    opened ??= make(nowMs)
    return opened
  }
  return {
    pathOf: (hash) => open().store.pathOf(hash),
    begin: () => open().store.begin(),
    sweep: async (isReferenced, signal) => (await opened?.store.sweep(isReferenced, signal)) ?? { files: 0, bytes: 0 },
    removeAbandoned: () => removeOthers(opened?.path),
    async close() {
      await opened?.store.close()
      opened?.unlock()
      if (opened) rmSync(opened.path, { recursive: true, force: true })
      opened = undefined
    },
  }
}

function make(nowMs: () => number) {
  const path = makeDirectory()
  return { path, unlock: lock(path), store: createFileStore(join(path, 'files'), { nowMs }) }
}

function makeDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix))
  } catch (cause) {
    const advice = 'Nothing was changed; start the service with TMPDIR set to another one.'
    const message = `The directory for temporary files, ${tmpdir()}, can't be used: ${systemReason(cause)}. ${advice}`
    throw new AppError('storage_unavailable', message, { cause, retryAfterSeconds: 60 })
  }
}

/** A running process has the lock of its directory. */
const lock = (path: string) => lockFile(join(path, 'lock'), { timeoutMs: 0, message: `${path} is in use.` })

async function removeOthers(own: string | undefined): Promise<void> {
  const { uid } = userInfo()
  for (const name of await readdir(tmpdir())) {
    const path = join(tmpdir(), name)
    if (!name.startsWith(prefix) || path === own) continue
    try {
      const found = lstatSync(path)
      // Another user could have placed a link there.
      if (!found.isDirectory() || found.uid !== uid || found.mtimeMs > Date.now() - unlockedMs) continue
      const unlock = lock(path)
      await rm(path, { recursive: true, force: true })
      unlock()
    } catch {
      // It is in use, or gone.
    }
  }
}
