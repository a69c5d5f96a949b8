/**
 * Compresses the text files of live deploys, one at a time in the thread pool, so that requests are served meanwhile.
 * The results are contents like all others, and recorded after each few files, so that the work continues after a
 * restart, and no content is compressed twice. Forms whose files are missing or damaged are made again, so that
 * deploying a site again repairs it.
 */

import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { BrotliCompress, Gzip } from 'node:zlib'
import type { Clock } from '../../lib/clock.ts'
import type { ContentBatch } from '../../lib/contents/batch.ts'
import { isIntact } from '../../lib/contents/content.ts'
import { forEach, storageError } from '../../lib/contents/disk.ts'
import type { ContentStore } from '../../lib/contents/store.ts'
import { nodeZlib } from '../../lib/late-modules.ts'
import type { FileRows } from './file-rows.ts'
import { type Encodings, isCompressible, isPacked, type Manifest, type SiteFile } from './manifest.ts'
import { rowsPerStep, type Write } from './publish.ts'
import type { DeployStore } from './store.ts'

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

/** Smaller files fit into one packet as they are. */
const minimumBytes = 512
/** Larger files stay as they are: they would keep a core busy for minutes. */
const maximumBytes = 50 * 1_048_576
/** Up to this size the best quality is worth its time: about a second for a megabyte. */
const bestQualityBytes = 1_048_576

export interface CompressOptions {
  readonly store: Pick<ContentStore, 'pathOf'>
  /** Where the compressed contents are added. It is neither committed nor closed here. */
  readonly batch: Pick<ContentBatch, 'add'>
  /** Ends the work before the next file; the files so far keep their encodings. */
  readonly signal?: AbortSignal
}

/**
 * The manifest with brotli and gzip forms of its compressible files, each only where it saves at least a tenth. Throws
 * `storage_unavailable`.
 */
export async function compress(manifest: Manifest, options: CompressOptions): Promise<Manifest> {
  const done = new Map<string, Encodings>()
  const result: SiteFile[] = []
  for (const file of manifest) {
    if (options.signal?.aborted || !isWorthwhile(file)) {
      result.push(file)
      continue
    }
    const encodings = done.get(file.hash) ?? (await encode(file, options))
    done.set(file.hash, encodings)
    result.push(encodings.br || encodings.gzip ? { ...file, encodings } : file)
  }
  return result
}

/**
 * Whether a file may have compressed forms: text of some size that has none yet. Equal contents may differ in their
 * types.
 */
export function isWorthwhile({ path, size, contentType, encodings }: SiteFile): boolean {
  const isOfSize = size >= minimumBytes && size <= maximumBytes
  return encodings === undefined && isOfSize && isCompressible(contentType) && !isPacked(path)
}

async function encode({ hash, size }: SiteFile, { store, batch }: CompressOptions): Promise<Encodings> {
  const path = store.pathOf(hash)
  try {
    const forms = size <= bestQualityBytes ? await compressAtOnce(path) : compressStreamed(path)
    const [br, compressed] = [await batch.add(forms.br), await batch.add(forms.gzip)]
    const isSmaller = (content: { size: number }) => content.size <= size * 0.9
    return { ...(isSmaller(br) && { br }), ...(isSmaller(compressed) && { gzip: compressed }) }
  } catch (error) {
    throw storageError(error)
  }
}

async function compressAtOnce(path: string) {
  const content = await readFile(path)
  const { brotliCompress, constants, gzip } = nodeZlib()
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  }
  return {
    br: [await promisify(brotliCompress)(content, { params })],
    gzip: [await promisify(gzip)(content, { level: 9 })],
  }
}

/** Quality 5 takes about as long as gzip and compresses better. */
function compressStreamed(path: string) {
  const { constants, createBrotliCompress, createGzip } = nodeZlib()
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 }
  return { br: piped(path, createBrotliCompress({ params })), gzip: piped(path, createGzip({ level: 6 })) }
}

async function* piped(path: string, compressor: BrotliCompress | Gzip) {
  // An error of the file destroys the compressor with it, so that the loop throws it.
  const piping = pipeline(createReadStream(path), compressor).catch(() => {})
  try {
    for await (const chunk of compressor) yield chunk as Uint8Array
  } finally {
    compressor.destroy()
    await piping
  }
}
