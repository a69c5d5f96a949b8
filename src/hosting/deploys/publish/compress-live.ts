/**
 * Compresses the files of the live deploys. The results are recorded after each few files, so that the work continues
 * after a restart, and no content is compressed twice. Forms whose files are missing or damaged are made again, so that
 * deploying a site again repairs it.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../../lib/clock.ts'
import { isIntact } from '../../../lib/contents/content.ts'
import { forEach } from '../../../lib/contents/disk.ts'
import type { ContentStore } from '../../../lib/contents/store.ts'
import { compress, isWorthwhile } from '../compress.ts'
import type { FileRows } from '../file-rows.ts'
import type { SiteFile } from '../manifest.ts'
import type { DeployStore } from '../store.ts'
import { rowsPerStep, type Write } from './publish.ts'

export interface CompressParts {
  readonly deploys: Pick<DeployStore, 'nextToCompress' | 'setCompressed'>
  readonly deployFiles: Pick<FileRows, 'page' | 'encodingsOf' | 'addEncodings' | 'dropEncodings'>
  readonly files: Pick<ContentStore, 'pathOf' | 'begin'>
  readonly write: Write
  readonly clock: Pick<Clock, 'now'>
}

/** Files that are compressed before their results are recorded. */
const filesPerStep = 50
/** Files that are checked on disk at once. */
const checkedAtOnce = 16

/** Returns when every live deploy is compressed, or between two files once `signal` is aborted. */
export async function compressLive(parts: CompressParts, signal: AbortSignal): Promise<void> {
  for (;;) {
    const deploy = signal.aborted ? undefined : parts.deploys.nextToCompress()
    if (deploy === undefined) return
    await compressDeploy(parts, deploy.id, signal)
    if (signal.aborted) return
    await parts.write(() => parts.deploys.setCompressed(deploy.id, parts.clock.now()))
  }
}

async function compressDeploy(parts: CompressParts, deployId: number, signal: AbortSignal): Promise<void> {
  const { deployFiles } = parts
  for (let after = '', isLast = false; !isLast && !signal.aborted; ) {
    const page = await withoutDamaged(parts, deployFiles.page(deployId, after, rowsPerStep))
    after = page.at(-1)?.path ?? ''
    isLast = page.length < rowsPerStep
    // A file that is not text is not recorded: a page may have the same content.
    const unknown = page.filter((file) => isWorthwhile(file) && deployFiles.encodingsOf(file.hash) === undefined)
    for (let at = 0; at < unknown.length && !signal.aborted; at += filesPerStep) {
      await compressSome(parts, unknown.slice(at, at + filesPerStep), signal)
    }
    // Where every content is compressed already, nothing else lets requests in between.
    await nextTurn()
  }
}

/** Deletes the records of compressed forms that are missing or damaged. Returns the files without them. */
async function withoutDamaged(
  { deployFiles, files, write }: CompressParts,
  page: readonly SiteFile[],
): Promise<readonly SiteFile[]> {
  const damaged = new Set<string>()
  await forEach(page, checkedAtOnce, async ({ hash, encodings }) => {
    for (const form of [encodings?.br, encodings?.gzip]) {
      if (form !== undefined && !(await isIntact(files.pathOf(form.hash), form))) damaged.add(hash)
    }
  })
  if (damaged.size === 0) return page
  await write(() => {
    for (const hash of damaged) deployFiles.dropEncodings(hash)
  })
  return page.map(({ encodings, ...file }) =>
    encodings === undefined || damaged.has(file.hash) ? file : { ...file, encodings },
  )
}

async function compressSome(
  { deployFiles, files, write }: CompressParts,
  some: readonly SiteFile[],
  signal: AbortSignal,
): Promise<void> {
  // The forms of a damaged file would stay wrong after a deploy repairs the file.
  const intact: SiteFile[] = []
  await forEach(some, checkedAtOnce, async (file) => {
    if (await isIntact(files.pathOf(file.hash), file)) intact.push(file)
  })
  const batch = files.begin()
  try {
    const compressed = await compress(intact, { store: files, batch, signal })
    // Where it was aborted, files that were not reached look like files that don't become smaller.
    if (signal.aborted) return
    await batch.commit()
    await write(() => {
      for (const { hash, encodings = {} } of compressed) deployFiles.addEncodings(hash, encodings)
    })
  } finally {
    await batch.close()
  }
}
