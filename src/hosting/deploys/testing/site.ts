/** Unpacks archives in tests, each into an empty content store. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createContentStore } from '../../../lib/contents/store.ts'
import { filesBelow } from '../../../lib/contents/testing/content-store.ts'
import { emptyFolder } from '../../../testing/executable.ts'
import type { ArchiveLimits } from '../archive/entry.ts'
import { type ArchiveType, unpack } from '../archive/unpack.ts'
import { buildTar, type TarEntry } from './tar.ts'
import { buildZip, type ZipEntry } from './zip.ts'

/** Deploys an archive into an empty store. The result has the contents by path; a rejected archive leaves no file. */
export async function deploy(archive: Uint8Array, type: ArchiveType, limits?: ArchiveLimits) {
  using directory = emptyFolder()
  const file = join(directory.path, 'archive')
  writeFileSync(file, archive)
  const store = createContentStore(join(directory.path, 'files'))
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
