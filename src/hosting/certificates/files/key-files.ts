/**
 * The files of private keys and certificates: `<name>.key` and `<name>.pem`, readable by their owner alone. A file is
 * whole or missing: it is written beside its place, synchronized with the disk, and renamed.
 */

import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncPath, writeAll } from '../../../lib/contents/disk.ts'
import { AppError } from '../../../lib/error.ts'
import { giveToOwner, makeDirectory } from '../../../lib/file-owner.ts'
import { codeOf, isSystemError, systemReason } from '../../../lib/system-error.ts'

type FileKind = 'key' | 'pem'

export interface KeyFiles {
  /** A name that no file has. */
  newName(): string
  /** Resolves when the file is on disk. Throws `storage_unavailable`. */
  write(name: string, kind: FileKind, text: string): Promise<void>
  /** The content; undefined if there is no such file. Throws `storage_unavailable`. */
  read(name: string, kind: FileKind): Promise<string | undefined>
  /** Deletes the files of a name. What can't be deleted is deleted by a later sweep. */
  remove(name: string): Promise<void>
  /** Deletes the files whose names are not in `used`. Nothing may be written meanwhile. */
  sweep(used: ReadonlySet<string>): Promise<number>
}

/** A file is much smaller: a chain has at most ten certificates. */
const maximumBytes = 1_048_576

/** The files in an absolute `directory`, which is created with the first file. */
export function createKeyFiles(directory: string): KeyFiles {
  const pathOf = (name: string, kind: FileKind) => join(directory, `${name}.${kind}`)
  return {
    newName: () => crypto.randomUUID(),
    async write(name, kind, text) {
      const path = pathOf(name, kind)
      const temporary = `${path}.unfinished`
      try {
        makeDirectory(directory)
        await writeNew(temporary, text)
        await rename(temporary, path)
        await syncPath(directory)
      } catch (cause) {
        await rm(temporary, { force: true }).catch(() => {})
        throw fault(`The certificate's files in ${directory} can't be stored`, cause)
      }
    },
    async read(name, kind) {
      try {
        const handle = await open(pathOf(name, kind), 'r')
        try {
          if ((await handle.stat()).size > maximumBytes) return undefined
          return await readFile(handle, 'utf8')
        } finally {
          await handle.close()
        }
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined
        throw fault(`The file ${pathOf(name, kind)} can't be read`, error)
      }
    },
    async remove(name) {
      for (const kind of ['key', 'pem'] as const) await rm(pathOf(name, kind), { force: true }).catch(() => {})
    },
    async sweep(used) {
      let removed = 0
      for (const entry of await entriesOf(directory)) {
        const [, name] = /^([0-9a-f-]{36})\.(?:key|pem)(?:\.unfinished)?$/.exec(entry) ?? []
        if (name === undefined || (used.has(name) && !entry.endsWith('.unfinished'))) continue
        await rm(join(directory, entry), { force: true })
        removed++
      }
      return removed
    },
  }
}

/** `storage_unavailable` for an error of the system; anything else as it is. */
function fault(what: string, cause: unknown): unknown {
  return isSystemError(cause)
    ? new AppError('storage_unavailable', `${what}: ${systemReason(cause)}.`, { cause })
    : cause
}

async function writeNew(path: string, text: string): Promise<void> {
  await rm(path, { force: true })
  const handle = await open(path, 'wx', 0o600)
  try {
    giveToOwner(path)
    await writeAll(handle, Buffer.from(text))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function entriesOf(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** The directory beside a database file: `production-certificates` beside `production.db`. */
export function certificatesDirectory(databasePath: string): string {
  return `${databasePath.replace(/\.db$/, '')}-certificates`
}
