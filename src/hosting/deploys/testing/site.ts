/** Unpacks archives in tests into a file store of their own. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ArchiveLimits } from '../archive/entry.ts'
import { type ArchiveType, unpack } from '../archive/unpack.ts'
import { createFileStore } from '../storage/files.ts'
import { buildTar, type TarEntry } from './tar.ts'
import { buildZip, type ZipEntry } from './zip.ts'

/** An empty directory, deleted by `using`. */
export function temporaryDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'petstore-deploys-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** The files below a directory, by their relative paths. */
export function filesBelow(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort()
}

/** Deploys an archive into an empty store. The result has the contents by path; a rejected archive leaves no file. */
export async function deploy(archive: Uint8Array, type: ArchiveType, limits?: ArchiveLimits) {
  using directory = temporaryDirectory()
  const file = join(directory.path, 'archive')
  writeFileSync(file, archive)
  const store = createFileStore(join(directory.path, 'files'))
  const batch = store.begin()
  try {
    const options = { batch, nowMs: Date.UTC(2026, 10, 21), ...(limits && { limits }) }
    const manifest = await unpack(file, type, options)
    await batch.commit()
    const contents = new Map(manifest.map(({ path, hash }) => [path, readFileSync(store.pathOf(hash))]))
    return { manifest, contents, paths: manifest.map(({ path }) => path).sort() }
  } catch (error) {
    await batch.close()
    const left = filesBelow(join(directory.path, 'files'))
    if (left.length > 0) throw new Error(`a rejected archive left ${left.join(', ')}`, { cause: error })
    throw error
  } finally {
    await batch.close()
  }
}

export const deployZip = (entries: readonly ZipEntry[], limits?: ArchiveLimits) =>
  deploy(buildZip(entries), 'application/zip', limits)
export const deployTar = (entries: readonly (TarEntry | Buffer)[], limits?: ArchiveLimits) =>
  deploy(gzipSync(buildTar(entries)), 'application/gzip', limits)
