/** The place of a pet store's contents: beside its database. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../error.ts'
import { systemReason } from '../system-error.ts'
import { type ContentStore, createContentStore } from './store.ts'

/** The directory beside a database file: `production-files` beside `production.db`. */
export function filesDirectory(databasePath: string): string {
  return `${databasePath.replace(/\.db$/, '')}-files`
}

/** The content store beside a database; a temporary one for `:memory:`. */
export function createStoreFiles(databasePath: string): ContentStore {
  return databasePath === ':memory:' ? createTemporaryStore() : createContentStore(filesDirectory(databasePath))
}

/** Makes the directory at the first use, which throws `storage_unavailable` if that fails. */
function createTemporaryStore(): ContentStore {
  let opened: ReturnType<typeof make> | undefined
  const open = () => {
    opened ??= make()
    return opened
  }
  return {
    pathOf: (hash) => open().store.pathOf(hash),
    begin: () => open().store.begin(),
    sweep: async (isReferenced, signal) => (await opened?.store.sweep(isReferenced, signal)) ?? { files: 0, bytes: 0 },
    removeAbandoned: async () => {},
    async close() {
      await opened?.store.close()
      if (opened) rmSync(opened.path, { recursive: true, force: true })
      opened?.watcher?.stdin.end()
      opened = undefined
    },
  }
}

function make() {
  const path = makeDirectory()
  return { path, watcher: removeAtEnd(path), store: createContentStore(join(path, 'files')) }
}

function makeDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'petstore-ephemeral-'))
  } catch (cause) {
    const advice = 'Nothing was changed; start the service with TMPDIR set to another one.'
    const message = `The directory for temporary files, ${tmpdir()}, can't be used: ${systemReason(cause)}. ${advice}`
    throw new AppError('storage_unavailable', message, { cause, retryAfterSeconds: 60 })
  }
}

/** Starts a shell that removes the directory when this process ends, even if it is killed: its input ends then. */
function removeAtEnd(path: string) {
  try {
    // In a separate process group, so that no signal to the group of this process reaches it.
    const watcher = Bun.spawn(['sh', '-c', 'read -r _; rm -rf "$0"', path], {
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'ignore',
      detached: true,
    })
    watcher.unref()
    return watcher
  } catch {
    // Without a shell, a killed process leaves the directory behind.
    return undefined
  }
}
